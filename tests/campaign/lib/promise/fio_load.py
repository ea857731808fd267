# SPDX-License-Identifier: GPL-2.0
"""A load of the simulator, `randwrite bs=4k iodepth=256`, as jobs of fio.

The simulator took its words from fio, so most stay as they are.  What fio can't do raises NotForFio.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from lib.promise import turns
from lib.promise.turns import Turns

KIB = 1024
STEP_BYTES = 4 * KIB
PERCENT = 100
# Of requests that come at their times, whatever completes.
OPEN_DEPTH = 256
# Of a geometric distribution; the last one stands for all that are larger.
GEOMETRIC_SIZES = 16
KINDS = ("read", "write", "randread", "randwrite", "randrw", "randtrim")
# Words that mean the same to both.
SAME = ("bs", "iodepth", "rwmixread", "offset", "size", "rate_iops")
UNITS = {"": 1, "k": KIB, "m": KIB * KIB}


class NotForFio(Exception):
    """Why fio can't make this load."""


@dataclasses.dataclass(frozen=True)
class Load:
    """What a client does, and when."""

    options: tuple[str, ...]
    turns: Turns = Turns()


def size_bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+)([km]?)", text)
    if not match:
        raise NotForFio(f"{text} is no size")
    return int(match[1]) * UNITS[match[2]]


def geometric(mean: str) -> str:
    """Sizes in steps of 4 KiB, each with its part in per cent, which add up to 100."""
    small = STEP_BYTES / size_bytes(mean)
    beyond = [PERCENT * (1 - small) ** at for at in range(GEOMETRIC_SIZES)]
    parts = [round(one) - round(after) for one, after in zip(beyond, [*beyond[1:], 0])]
    return "bssplit=" + ":".join(f"{(at + 1) * STEP_BYTES}/{part}" for at, part in enumerate(parts) if part)


def distribution(value: str) -> str:
    """`hot:90/10`: so many per cent of the requests go to so many per cent of the drive."""
    kind, _, numbers = value.partition(":")
    if kind == "hot":
        access, space = (int(number) for number in numbers.split("/"))
        value = f"zoned:{access}/{space}:{PERCENT - access}/{PERCENT - space}"
    return f"random_distribution={value}"


def arrival(words: dict[str, str]) -> list[str]:
    """Requests at times of their own.  fio's bursts begin so long after the one before has ended."""
    kind = words.pop("arrival", "")
    if kind == "burst":
        count = int(words.pop("burst"))
        gap_us = count * 1_000_000 // int(words.pop("rate_iops"))
        words["iodepth"] = str(count)
        return [f"thinktime={gap_us}", f"thinktime_blocks={count}"]
    if "rate_iops" in words:
        words.setdefault("iodepth", str(OPEN_DEPTH))
    if kind and kind != "poisson":
        raise NotForFio(f"fio has no arrival {kind}")
    return [f"rate_process={kind}"] if kind else []


def urgent(kind: str, words: dict[str, str], more: dict[str, str]) -> list[str]:
    """Half of the requests of one write at a time are urgent: a flush after each."""
    pct = more.get("urgent", "0")
    if pct == "0":
        return []
    if pct == "50" and kind == "randwrite" and words.get("iodepth") == "1":
        return ["fsync=1"]
    raise NotForFio("fio can't mark requests as metadata")


def parse(load: str, more: str = "") -> Load:
    """A stream's load, and more words of the stream."""
    kind, *pairs = load.split()
    if kind not in KINDS:
        raise NotForFio(f"fio has no {kind}")
    words = dict(pair.split("=", 1) for pair in pairs)
    seed = words.pop("seed", None)
    made = [f"rw={kind}", *urgent(kind, words, stream_words(more)), *arrival(words)]
    if words.get("bs", "").startswith("geometric:"):
        made.append(geometric(words.pop("bs").partition(":")[2]))
    if "random_distribution" in words:
        made.append(distribution(words.pop("random_distribution")))
    unknown = set(words) - set(SAME) - set(turns.KEYS)
    if unknown:
        raise NotForFio(f"fio has no {', '.join(sorted(unknown))}")
    made += [f"{key}={value}" for key, value in words.items() if key in SAME]
    made += [f"randseed={seed}"] if seed else []
    return Load(tuple(made), turns.of(load))


def stream_words(more: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in more.split())


# What all clients have in common; the guest says which device.
COMMON = ("filename=${DEVICE}", "direct=1", "ioengine=libaio", "thread", "norandommap", "time_based", "group_reporting")


def job_file(loads: Iterable[Load], end_s: int, more: Iterable[str] = ()) -> str:
    """One client's: a job for each time that one of its loads is there, which ends with the run."""
    lines = ["[global]", *COMMON, *more]
    times = [(load, begin_s, until_s) for load in loads for begin_s, until_s in load.turns.until(end_s)]
    for at, (load, begin_s, until_s) in enumerate(times):
        lines += [f"[load{at}]", *load.options, f"runtime={until_s - begin_s}"]
        lines += [f"startdelay={begin_s}"] if begin_s else []
    return "\n".join(lines) + "\n"
