# SPDX-License-Identifier: GPL-2.0
"""Does a promise fit?  dm-ssdqos/core/qos/admit.c in Python, in the same integers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from ssdqos.errors import ToolError
from ssdqos.qos import cost, mixture
from ssdqos.qos.cost import NoCost, Terms
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.promise import RATE_KEYS, Promise
from ssdqos.qos.ranges import RANGES
from ssdqos.qos.units import PERMILLE, PPM, ceil_div, ms_text

PERCENT = 100
UTIL_PPM_MAX = 1_000_000_000
# 2^27 is above the highest rate there is.
MOST_BITS = 27
# Classes of clients: 1 request at a time, 2 or 3, ... 1024 and more; of up to 4 KiB, 8, ... 256 KiB.
DEPTH_CLASSES = 11
SIZE_CLASSES, SIZE_MIN = 7, 4096
# A lead begins with an eighth of the window.
GRANT_DIVISOR = 8

# What would fit, by what was asked in.
FIT_FIELDS = {"min_iops": "fit_iops", "min_mb_s": "fit_mb_s", "util_ppm": "fit_util_ppm"}


@dataclass(frozen=True)
class DriveSettings:
    """The drive_ keys that admission looks at."""

    queue_depth: int = 32
    best_effort_permille: int = 10
    margin_permille: int = 25

    def is_shallow(self, promise: Promise) -> bool:
        """Reads of a client that waits for them while the drive could do more."""
        return promise.request.op == "read" and 0 < promise.iodepth < self.queue_depth

    def effort_ppm(self) -> int:
        return self.best_effort_permille * PERMILLE

    def limit_ppm(self) -> int:
        return PPM - self.effort_ppm()


@dataclass(frozen=True)
class Answer:
    """Field for field what the message `admit` answers.

    `used_ppm` is with the new promise, `free_ppm` without it; of `fit_iops`, `fit_mb_s`
    and `fit_util_ppm` the one that was asked in is set.  `least_depth` is 0 for writes.
    What begins with `from_` says of which rows of the profile the cost is made,
    `asked_depth` how many requests at a time it is for; all 0 without a cost.
    `largest` is whose other promise is the largest: of the kernel, 253:0+0 by
    device and first sector, else its number in the list.
    """

    fits: int
    util_ppm: int
    used_ppm: int
    free_ppm: int
    mix_factor_permille: int
    cost_ns: int
    fit_iops: int = 0
    fit_mb_s: int = 0
    fit_window_ms: int = 0
    least_depth: int = 0
    asked_depth: int = 0
    from_bytes: int = 0
    from_bytes_to: int = 0
    from_window_ms: int = 0
    from_depth: int = 0
    from_depth_to: int = 0
    from_confidence_permille: int = 0
    spare_write_before_ppm: int = 0
    spare_write_ppm: int = 0
    left_before_ppm: int = 0
    left_ppm: int = 0
    largest_ppm: int = 0
    fit_util_ppm: int = 0
    from_pattern: str = "none"
    largest: str = "none"


@dataclass(frozen=True)
class Sums:
    """Device time promised for reads and for writes; dm-ssdqos/core/qos/load.c in Python."""

    settings: DriveSettings
    read_ppm: int = 0
    write_ppm: int = 0
    window_ms: int = RANGES["window_ms"].most
    longest_ms: int = 0
    confidence: int = 0
    depth: int = 0
    # The largest part of one client's reads, by the class of its depth and size.
    largest_ppm: tuple[tuple[tuple[int, int], int], ...] = ()

    def plus(self, promise: Promise, ppm: int) -> Sums:
        if not ppm:
            return self
        depth = self.depth or self.settings.queue_depth
        largest = dict(self.largest_ppm)
        if self.settings.is_shallow(promise):
            at = depth_class(promise.iodepth), size_class(promise.block_bytes)
            largest[at] = max(largest.get(at, 0), ppm)
        return replace(self, largest_ppm=tuple(largest.items()), read_ppm=self.read_ppm + (ppm if promise.request.op == "read" else 0),
                       write_ppm=self.write_ppm + (ppm if promise.request.op == "write" else 0),
                       window_ms=min(self.window_ms, promise.window_ms), longest_ms=max(self.longest_ms, promise.window_ms),
                       confidence=max(self.confidence, promise.confidence_permille),
                       depth=min(depth, promise.iodepth) if promise.iodepth else depth)

    def terms(self) -> Terms:
        return Terms(self.window_ms, self.confidence, self.depth or self.settings.queue_depth, self.longest_ms)

    def mixed_pcts(self) -> tuple[int, int]:
        """Parts of writes in the mixture: those who were promised nothing may write, or read."""
        effort = self.settings.effort_ppm()
        whole = self.read_ppm + self.write_ppm + effort
        return PERCENT * (self.write_ppm + effort) // whole, PERCENT * self.write_ppm // whole

    def beside_pct(self) -> int:
        """Part of the time that writes take beside reads."""
        return write_pct(self.granted_ppm() + self.settings.effort_ppm())

    def granted_ppm(self) -> int:
        """What owners of writes may have, with what they are granted (core/qos/load.c)."""
        return self.write_ppm + self.write_ppm // GRANT_DIVISOR

    def shallow(self) -> list[tuple[int, Terms, int]]:
        """The largest reads of each class of clients with few requests at a time; the last is their size."""
        return [(ppm, replace(self.terms(), depth=1 << depth), SIZE_MIN << size) for (depth, size), ppm in self.largest_ppm]

    def factor(self, profile: Profile | None) -> int:
        whole = self.read_ppm + self.write_ppm
        if profile is None or not whole:
            return PERMILLE
        return max(mixture.factor(profile, self.terms(), pct) for pct in self.mixed_pcts())

    def used_ppm(self, profile: Profile | None) -> int:
        whole, effort = self.read_ppm + self.write_ppm, self.settings.effort_ppm()
        used = max(ceil_div((whole + effort) * self.factor(profile), PERMILLE),
                   beside_ppm(self.besides(profile), self.granted_ppm() + effort))
        return max(used - effort, 0)

    def besides(self, profile: Profile | None) -> list[tuple[int, dict[int, int]]]:
        """The largest reads of each class, and how much slower they are beside writes."""
        if profile is None or not profile.beside:
            return []
        return [(ppm, points) for ppm, terms, size in self.shallow() for points in mixture.beside(profile, terms, size)]

    def room_ppm(self, profile: Profile | None) -> int:
        """How much writes fit besides; the most is tried first."""
        whole = self.read_ppm + self.write_ppm
        points = mixture.points(profile, self.terms()) if profile else mixture.ENDS
        besides = self.besides(profile)
        for room in range(PPM, 0, -PPM // PERCENT):
            factor = mixture.between(points, PERCENT * (self.write_ppm + room) // (whole + room))
            if (ceil_div((whole + room) * factor, PERMILLE) <= PPM
                    and beside_ppm(besides, self.granted_ppm() + room) <= PPM):
                return room
        return 0


def depth_class(depth: int) -> int:
    """By powers of two."""
    return min(depth.bit_length(), DEPTH_CLASSES) - 1


def size_class(size: int) -> int:
    """Likewise, rounded up."""
    return min((max(size, SIZE_MIN) - 1).bit_length() - (SIZE_MIN - 1).bit_length(), SIZE_CLASSES - 1)


def write_pct(write_ppm: int) -> int:
    """As fine as the profile says what reads cost beside writes, rounded up."""
    return min(ceil_div(write_ppm, PPM // PERCENT), PERCENT)


def beside_ppm(besides: list[tuple[int, dict[int, int]]], write_ppm: int) -> int:
    """The most that a client's reads take beside so many writes."""
    pct = write_pct(write_ppm)
    return max((ceil_div(ppm * mixture.between(points, pct), PERMILLE) for ppm, points in besides), default=0)


def first_window(profile: Profile, promise: Promise, settings: DriveSettings) -> int:
    """From which measured window on something can be promised; 0 is none."""
    for window_ms in profile.windows_ms:
        try:
            cost_ns(profile, promise.with_window(window_ms), settings)
        except NoCost:
            continue
        return window_ms
    return 0


def terms(promise: Promise, settings: DriveSettings) -> Terms:
    """A client with few requests at a time gets no more than a drive that has no more of them."""
    depth = min(promise.iodepth, settings.queue_depth) or settings.queue_depth
    return Terms(promise.window_ms, promise.confidence_permille, depth)


def cost_ns(profile: Profile, promise: Promise, settings: DriveSettings) -> int:
    return cost.lookup(profile, promise.request, promise.block_bytes, terms(promise, settings))


def owned_ppm(promise: Promise, ns: int, settings: DriveSettings) -> int:
    """Device time for a rate, with what is owned beyond it."""
    promised = min(promise.utilisation_ppm(ns), UTIL_PPM_MAX)
    return min(ceil_div(promised * (PERMILLE + settings.margin_permille), PERMILLE), UTIL_PPM_MAX)


def demand(profile: Profile | None, promise: Promise, settings: DriveSettings) -> tuple[int, int]:
    """Device time in ppm, and the cost of a request; that is 0 where device time was promised."""
    if not promise.needs_profile():
        return promise.util_ppm, 0
    if profile is None:
        raise ToolError("a promise of IOPS or MB/s needs the drive's profile")
    try:
        ns = cost_ns(profile, promise, settings)
    except NoCost as error:
        window_ms = first_window(profile, promise, settings)
        allowed = f"{ms_text(window_ms)} and more can" if window_ms else "no other window can either"
        raise NoCost(f"{error}; {allowed}") from error
    return owned_ppm(promise, ns, settings), ns


def asked_in(promise: Promise) -> str:
    """Which of the fields of a promise says how much it is."""
    return next((field for field in RATE_KEYS if getattr(promise, field)), RATE_KEYS[-1])


def fitting_most(profile: Profile | None, others: Sums, promise: Promise, ns: int, settings: DriveSettings) -> int:
    """The highest rate in the unit that was asked in, or part of the time, bit by bit as the kernel finds it."""
    field = asked_in(promise)
    found = 0
    for bit in reversed(range(MOST_BITS)):
        most = found | 1 << bit
        asked = replace(promise, **{field: most})
        wanted = owned_ppm(asked, ns, settings) if promise.needs_profile() else most
        if most <= RANGES[field].most and others.plus(asked, wanted).used_ppm(profile) <= settings.limit_ppm():
            found = most
    return found


def fitting_window(profile: Profile, others: Sums, promise: Promise, settings: DriveSettings) -> int:
    """The shortest measured window at which the promise fits; 0 is none."""
    for window_ms in profile.windows_ms:
        try:
            wanted, _ = demand(profile, promise.with_window(window_ms), settings)
        except NoCost:
            continue
        if others.plus(promise.with_window(window_ms), wanted).used_ppm(profile) <= settings.limit_ppm():
            return window_ms
    return 0


def least_depth(promise: Promise, wanted_ppm: int, settings: DriveSettings) -> int:
    """Requests that a client has to have at a time for its reads; see admit.c."""
    if promise.request.op != "read":
        return 0
    return promise.iodepth or ceil_div(wanted_ppm * settings.queue_depth, PPM)


def with_source(answer: Answer, profile: Profile, promise: Promise, settings: DriveSettings) -> Answer:
    key = terms(promise, settings)
    found = cost.source(profile, promise.request, promise.block_bytes, key)
    return replace(answer, asked_depth=key.depth, from_pattern=found.pattern, from_bytes=found.bytes,
                   from_bytes_to=found.bytes_to, from_window_ms=found.window_ms, from_depth=found.depth,
                   from_depth_to=found.depth_to, from_confidence_permille=found.confidence)


def with_others(answer: Answer, profile: Profile | None, before: Sums, after: Sums) -> Answer:
    left, left_before = (max(PPM - sums.used_ppm(profile), 0) for sums in (after, before))
    return replace(answer, spare_write_before_ppm=before.room_ppm(profile), spare_write_ppm=after.room_ppm(profile),
                   left_before_ppm=left_before, left_ppm=left)


def with_largest(answer: Answer, others_ppm: list[int]) -> Answer:
    """Of several, the oldest."""
    if not others_ppm:
        return answer
    most = max(others_ppm)
    return replace(answer, largest_ppm=most, largest=str(others_ppm.index(most)))


def sums_of(profile: Profile | None, promises: list[Promise], settings: DriveSettings) -> Sums:
    """Raises NoCost where the profile promises nothing for one of them."""
    sums = Sums(settings)
    for promise in promises:
        sums = sums.plus(promise, demand(profile, promise, settings)[0])
    return sums


def admit(profile: Profile | None, others: list[Promise], promise: Promise,
          settings: DriveSettings) -> Answer:
    """Raises NoCost where the profile promises nothing for this class and window."""
    sums = Sums(settings)
    others_ppm = [demand(profile, other, settings)[0] for other in others]
    for other, ppm in zip(others, others_ppm):
        sums = sums.plus(other, ppm)
    wanted, ns = demand(profile, promise, settings)
    limit = settings.limit_ppm()
    both = sums.plus(promise, wanted)
    answer = Answer(int(both.used_ppm(profile) <= limit), wanted, both.used_ppm(profile),
                    max(limit - sums.used_ppm(profile), 0), both.factor(profile), ns,
                    least_depth=least_depth(promise, wanted, settings))
    answer = with_largest(with_others(answer, profile, sums, both), others_ppm)
    if promise.is_reservation():
        most = fitting_most(profile, sums, promise, ns, settings)
        answer = replace(answer, **{FIT_FIELDS[asked_in(promise)]: most})
    if profile is None or not promise.needs_profile():
        return answer
    return replace(with_source(answer, profile, promise, settings), fit_window_ms=fitting_window(profile, sums, promise, settings))


def nothing_promised(profile: Profile, others: list[Promise], promise: Promise, settings: DriveSettings) -> Answer:
    """Where admit() raises NoCost for the promise itself: all stays as it is, and a longer window may do."""
    sums = sums_of(profile, others, settings)
    used_ppm = sums.used_ppm(profile)
    answer = Answer(0, 0, used_ppm, max(settings.limit_ppm() - used_ppm, 0), sums.factor(profile), 0,
                    fit_window_ms=fitting_window(profile, sums, promise, settings))
    return with_largest(with_others(answer, profile, sums, sums), [demand(profile, other, settings)[0] for other in others])


def parse_answer(reply: str) -> Answer:
    """From the kernel's reply; words that are not known are passed over."""
    words = dict(word.split("=", 1) for word in reply.split() if "=" in word)
    try:
        return Answer(**{field.name: words.get(field.name, field.default) if field.type == "str" else
                         int(words.get(field.name, 0)) for field in fields(Answer)})
    except ValueError as error:
        raise ToolError(f"the kernel's answer is not understood: {reply.strip()}") from error
