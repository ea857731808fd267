# SPDX-License-Identifier: GPL-2.0
"""The profile of a drive, as a file and as words for the kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ssdqos import whole_file
from ssdqos.errors import ToolError
from ssdqos.qos.request import OPS, PATTERNS, RequestClass

MAGIC = "ssdqos-profile"
VERSION = "1"
WORDS_BYTES_MAX = 64 << 10
WINDOWS_MAX, MIXES_MAX, MIXED_MAX, ROWS_MAX, FLUSHES_MAX = 16, 16, 256, 1024, 8
# Of a cost: 32 bits, of which the greatest number is "nothing can be promised".
NS_MAX = (1 << 32) - 2
# Of discards: rows of an order, and sizes.
DISCARDS_MAX, DISCARD_BYTES_MIN, DISCARD_BYTES_MAX = 24, 512, 1 << 30
STOP_MS_MAX, STOP_KIB_MAX = 86_400_000, 1 << 30
NO_PROMISE = "-"
MODELS = ("additive", "max")
FIT_KEYS = ("base_ns", "per_kib_ns", "residual_pct")
# Of rows by the part of writes: a mixture has both, beside writes there are as many as there can be.
MIXED_PCT_MAX, BESIDE_PCT_MAX = 99, 100
# A line of meta that is the file's own: of how many rows, which are all lines but the first one, meta and comments.
META, ROWS = "meta", "rows"


@dataclass(frozen=True, order=True)
class CostKey:
    """What a cost is of."""

    request: RequestClass
    bytes: int
    depth: int
    confidence: int  # permille

    def words(self) -> str:
        return f"{self.request} {self.bytes} {self.depth} {self.confidence}"


# Of rows beside writes that are for all sizes.
ANY_BYTES = 0


@dataclass(frozen=True, order=True)
class MixedKey:
    """What a factor is of: of a mixture, or of reads beside writes."""

    write_pct: int  # of the device time, by single costs
    depth: int
    confidence: int  # permille

    def words(self) -> str:
        return f"{self.write_pct} {self.depth} {self.confidence}"


@dataclass(frozen=True, order=True)
class BesideKey(MixedKey):
    """Of which reads; older profiles have one row for all sizes, the worst."""

    bytes: int = ANY_BYTES

    def words(self) -> str:
        return f"beside_of {self.bytes} {super().words()}" if self.bytes else f"beside {super().words()}"


@dataclass(frozen=True)
class Fit:
    """A cost as a line of its size: base + per KiB, or the greater of the two."""

    model: str
    request: RequestClass
    base_ns: int
    per_kib_ns: int
    residual_pct: int

    def words(self) -> str:
        return (f"fit {self.model} {self.request} base_ns {self.base_ns} "
                f"per_kib_ns {self.per_kib_ns} residual_pct {self.residual_pct}")


def cost_words(row: tuple[int | None, ...]) -> list[str]:
    return [NO_PROMISE if ns is None else str(ns) for ns in row]


@dataclass
class Profile:
    """`costs` has the ns of one request for each of `windows_ms`; None is no promise at all.

    `mix` is the mean of mixtures, `mixed` has them by window as permille of the single costs, `beside` what reads of a
    client cost beside a rate of another one's writes, as permille of what they cost alone, by their size.
    """

    meta: dict[str, str] = field(default_factory=dict)
    windows_ms: tuple[int, ...] = ()
    costs: dict[CostKey, tuple[int | None, ...]] = field(default_factory=dict)
    mix: dict[int, int] = field(default_factory=dict)  # write time in percent: permille
    mixed: dict[MixedKey, tuple[int | None, ...]] = field(default_factory=dict)
    beside: dict[BesideKey, tuple[int | None, ...]] = field(default_factory=dict)
    flush: dict[int, tuple[int | None, ...]] = field(default_factory=dict)  # by confidence
    # By order (seq, rand), then by size: ns of one, one at a time, on average.
    discards: dict[str, dict[int, int]] = field(default_factory=dict)
    # How long the drive stands still when it is written in order, and the KiB before that.
    stop: tuple[int, int] | None = None
    fits: list[Fit] = field(default_factory=list)

    def kernel_lines(self) -> list[str]:
        """What the kernel needs: no meta, no fit, no comment."""
        made = [f"{MAGIC} {VERSION}", " ".join(["window_ms", *map(str, self.windows_ms)])]
        for key, row in sorted(self.costs.items()):
            made.append(" ".join(["cost", key.words(), *cost_words(row)]))
        made += [f"mix {pct} {permille}" for pct, permille in sorted(self.mix.items())]
        made += [" ".join(["mixed", key.words(), *cost_words(row)]) for key, row in sorted(self.mixed.items())]
        made += [" ".join([key.words(), *cost_words(row)]) for key, row in sorted(self.beside.items())]
        made += [" ".join(["flush", str(confidence), *cost_words(row)]) for confidence, row in sorted(self.flush.items())]
        made += [f"discard {order} {size} {ns}" for order, rows in sorted(self.discards.items())
                 for size, ns in sorted(rows.items())]
        if self.stop:
            made.append("stop {} {}".format(*self.stop))
        return made

    def words(self, name: str = "the profile") -> str:
        """The argument of the message `profile`; raises ToolError if it is too long, `name` is what is."""
        words = " ".join(self.kernel_lines())
        if len(words) > WORDS_BYTES_MAX:
            raise ToolError(f"{name} has {len(words)} bytes where the kernel takes "
                            f"{WORDS_BYTES_MAX}: leave sizes or depths out")
        return words

    def text(self) -> str:
        head, *rest = self.kernel_lines()
        rest += [fit.words() for fit in self.fits]
        meta = [f"{META} {key} {value}".rstrip() for key, value in ({ROWS: "", **self.meta} | {ROWS: str(len(rest))}).items()]
        return "\n".join([head, *meta, *rest]) + "\n"


def whole(word: str, least: int = 0) -> int:
    if not word.isdecimal() or int(word) < least:
        raise ValueError(f"{word!r} is no whole number from {least} on")
    return int(word)


def parse_request(op: str, pattern: str) -> RequestClass:
    request = RequestClass(op, pattern)
    if not request.is_known():
        raise ValueError(f"'{request}' is not read or write, seq or rand")
    return request


def parse_windows(words: list[str]) -> tuple[int, ...]:
    windows = tuple(whole(word, 1) for word in words)
    if not windows or list(windows) != sorted(set(windows)):
        raise ValueError("window_ms wants rising numbers")
    return windows


def parse_row(words: list[str], profile: Profile) -> tuple[int | None, ...]:
    if len(words) != len(profile.windows_ms):
        raise ValueError(f"{len(words)} costs for {len(profile.windows_ms)} windows")
    return tuple(None if word == NO_PROMISE else whole(word, 1) for word in words)


def parse_bytes(word: str) -> int:
    size = whole(word, 1)
    if size & (size - 1):
        raise ValueError(f"{size} bytes are no power of two")
    return size


def parse_cost(words: list[str], profile: Profile) -> None:
    if not profile.windows_ms:
        raise ValueError("cost comes before window_ms")
    op, pattern, size, depth, confidence, *row = words
    costs = parse_row(row, profile)
    key = CostKey(parse_request(op, pattern), parse_bytes(size), whole(depth, 1), whole(confidence, 1))
    if key in profile.costs:
        raise ValueError(f"a second cost of {key.words()}")
    profile.costs[key] = costs


def parse_flush(words: list[str], profile: Profile) -> None:
    if not profile.windows_ms:
        raise ValueError("flush comes before window_ms")
    confidence = whole(words[0], 1)
    if any(other >= confidence for other in profile.flush):
        raise ValueError("flush wants rising confidences")
    profile.flush[confidence] = parse_row(words[1:], profile)


def within(word: str, least: int, most: int) -> int:
    if not least <= whole(word) <= most:
        raise ValueError(f"{word!r} is not from {least} to {most}")
    return int(word)


def parse_discard(words: list[str], profile: Profile) -> None:
    if len(words) != 3:
        raise ValueError("discard wants an order, a size and a cost, such as 'discard seq 65536 400000'")
    order, size, ns = words
    if order not in PATTERNS:
        raise ValueError(f"discard wants an order, {' or '.join(PATTERNS)}, not {order!r}")
    rows = profile.discards.get(order, {})
    size_bytes = within(size, max(rows, default=DISCARD_BYTES_MIN - 1) + 1, DISCARD_BYTES_MAX)
    if len(rows) == DISCARDS_MAX:
        raise ValueError(f"there are more than {DISCARDS_MAX} discard rows of one order")
    profile.discards[order] = rows | {size_bytes: within(ns, 1, NS_MAX)}


def parse_stop(words: list[str], profile: Profile) -> None:
    if profile.stop:
        raise ValueError("stop stands there twice")
    if len(words) != 2:
        raise ValueError("stop wants its length in ms and the KiB written before it, such as 'stop 2100 240000'")
    profile.stop = within(words[0], 1, STOP_MS_MAX), within(words[1], 1, STOP_KIB_MAX)


def parse_mix(words: list[str], profile: Profile) -> None:
    pct, permille = (whole(word) for word in words)
    if pct > 100 or any(other >= pct for other in profile.mix):
        raise ValueError("mix wants rising percentages up to 100")
    profile.mix[pct] = permille


def parse_windowed(what: str, words: list[str], profile: Profile, pct_max: int) -> tuple[MixedKey, tuple[int | None, ...]]:
    """A row by the part of writes."""
    if not profile.windows_ms:
        raise ValueError(f"{what} comes before window_ms")
    pct, depth, confidence, *row = words
    key = MixedKey(whole(pct, 1), whole(depth, 1), whole(confidence, 1))
    if key.write_pct > pct_max:
        raise ValueError(f"{what} wants at most {pct_max} % of writes, not {key.write_pct}")
    return key, parse_row(row, profile)


def parse_mixed(words: list[str], profile: Profile) -> None:
    key, row = parse_windowed("mixed", words, profile, MIXED_PCT_MAX)
    if key in profile.mixed:
        raise ValueError(f"a second mixed {key.words()}")
    profile.mixed[key] = row


def parse_beside(words: list[str], profile: Profile, size: int = ANY_BYTES) -> None:
    found, row = parse_windowed("beside", words, profile, BESIDE_PCT_MAX)
    key = BesideKey(found.write_pct, found.depth, found.confidence, size)
    if key in profile.beside:
        raise ValueError(f"a second {key.words()}")
    profile.beside[key] = row


def parse_beside_of(words: list[str], profile: Profile) -> None:
    size, *rest = words
    parse_beside(rest, profile, parse_bytes(size))


def parse_fit(words: list[str]) -> Fit:
    model, op, pattern, *pairs = words
    values = dict(zip(pairs[::2], pairs[1::2]))
    if model not in MODELS:
        raise ValueError(f"{model!r} is not one of {', '.join(MODELS)}")
    for key in FIT_KEYS:
        if key not in values:
            raise ValueError(f"fit wants {key}")
    return Fit(model, parse_request(op, pattern), *(whole(values[key]) for key in FIT_KEYS))


# What may stand there more than once, or says itself that it may not.
PARSERS = {"cost": parse_cost, "mix": parse_mix, "mixed": parse_mixed, "beside": parse_beside, "beside_of": parse_beside_of,
           "flush": parse_flush, "discard": parse_discard, "stop": parse_stop}
# Words behind the first one, with a row's first cost; the others say themselves what they want.
WORDS_LEAST = {"cost": 6, "mix": 2, "mixed": 4, "beside": 4, "beside_of": 5, "flush": 2, "fit": 3}
WORDS_MOST = {"mix": 2}


def check_words(keyword: str, nr: int) -> None:
    least, most = WORDS_LEAST.get(keyword, 0), WORDS_MOST.get(keyword)
    if nr < least or (most is not None and nr > most):
        raise ValueError(f"{keyword} has {nr} word{'' if nr == 1 else 's'}, {'' if most else 'at least '}{least} are needed")


def parse_row_of(keyword: str, words: list[str], profile: Profile) -> None:
    check_words(keyword, len(words))
    if keyword == "window_ms" and not profile.windows_ms:
        profile.windows_ms = parse_windows(words)
    elif keyword == "fit":
        profile.fits.append(parse_fit(words))
    elif keyword in PARSERS:
        PARSERS[keyword](words, profile)
    else:
        raise ValueError(f"{keyword!r} is not expected here")


@dataclass
class Rows:
    """How many there are, and how many the file says it has: older ones don't."""

    found: int = 0
    said: int | None = None

    def check(self, name: str) -> None:
        line = f"('{META} {ROWS} {self.said}')"
        if self.said is not None and self.found < self.said:
            raise ToolError(f"{name} has {self.found} of the {self.said} rows that it says {line}: it is cut")
        if self.said is not None and self.found > self.said:
            raise ToolError(f"{name} has {self.found} rows, and says {self.said} {line}: take that line out if rows were added")


def parse_line(line: str, profile: Profile, rows: Rows) -> None:
    keyword, *words = line.split()
    if keyword != META:
        parse_row_of(keyword, words, profile)
        rows.found += 1
        return
    key, _, value = line.partition(" ")[2].strip().partition(" ")
    if key == ROWS:
        rows.said = whole(value.strip())
    else:
        profile.meta[key] = value.strip()


def check(profile: Profile, name: str) -> None:
    """What the kernel would refuse."""
    for op in OPS:
        if not any(key.request.op == op for key in profile.costs):
            raise ToolError(f"{name}: no cost of a {op} is there")
    for what, rows in (("mixed", profile.mixed), ("beside", profile.beside)):
        if len(rows) > MIXED_MAX:
            raise ToolError(f"{name} has more than {MIXED_MAX} {what} rows")
    if len(profile.flush) > FLUSHES_MAX:
        raise ToolError(f"{name} has more than {FLUSHES_MAX} flush rows")
    if len(profile.windows_ms) > WINDOWS_MAX or len(profile.mix) > MIXES_MAX or len(profile.costs) > ROWS_MAX:
        raise ToolError(f"{name} has more than {WINDOWS_MAX} windows, {MIXES_MAX} mixes or {ROWS_MAX} costs")


def parse(text: str, name: str = "profile") -> Profile:
    """Raises ToolError with the line that is wrong."""
    profile, rows = Profile(), Rows()
    begun = False
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            if begun:
                parse_line(line, profile, rows)
            elif line.split() != [MAGIC, VERSION]:
                raise ValueError(f"the first line is not '{MAGIC} {VERSION}'")
            elif not text.endswith("\n"):
                raise ToolError(f"{name} is cut: its last line has no end")
        except ValueError as error:
            raise ToolError(f"{name}:{number}: {error}") from error
        begun = True
    rows.check(name)
    check(profile, name)
    return profile


def read(path: Path) -> Profile:
    try:
        return parse(path.read_text(), str(path))
    except UnicodeDecodeError as error:
        raise ToolError(f"{path} cannot be read: it is no text") from error
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}") from error


def write(profile: Profile, path: Path) -> None:
    whole_file.replace(path, profile.text())
