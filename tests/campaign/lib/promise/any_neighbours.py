# SPDX-License-Identifier: GPL-2.0
"""Neighbours that are drawn, stream by stream: loads that nobody has thought of, and nobody can have tuned the control for.

A whole number is drawn by its magnitude: 1 to 16 requests at a time are as likely as 16 to 256.
"""

from __future__ import annotations

import math
import random

from lib.promise.neighbours import Stream

STREAMS = (1, 1, 2, 3, 4, 8)
# Who writes breaks promises sooner than who reads.
KINDS = ("randwrite", "randwrite", "randwrite", "write", "randrw", "randrw", "rw", "randread", "read", "randtrim", "trim")
SECTOR = 512
SECTORS, TRIM_SECTORS = (1, 2048), (8, 32768)
DEPTHS, RATES, BURSTS, WEIGHTS = (1, 512), (10, 20_000), (2, 1024), (1, 10_000)
# For so long, and then for so many times as long not.
ON_MS, OFF_PERMILLE, START_MS = (20, 60_000), (100, 10_000), (1, 60_000)
HOT_KINDS = ("randwrite", "randrw", "randread")
HOT = ("zipf:0.5", "zipf:0.9", "zipf:1.2", "hot:80/20", "hot:95/5", "once")
PART_PCTS = (1, 100)
ON_OFF_ONE_IN, RATE_ONE_IN, HOT_ONE_IN, PART_ONE_IN, MORE_ONE_IN = 3, 4, 4, 4, 5
# Who asks a second for more than drives do only waits, in a queue without end.
RATES_MOST_BYTES = 400 << 20


def magnitude(dice: random.Random, least: int, most: int) -> int:
    return round(math.exp(dice.uniform(math.log(least), math.log(most))))


def is_one_in(dice: random.Random, many: int) -> bool:
    return not dice.randrange(many)


def pace(dice: random.Random, size: int) -> list[str]:
    """As fast as it goes, so many at a time; or at a rate, whatever completes."""
    if not is_one_in(dice, RATE_ONE_IN):
        return [f"iodepth={magnitude(dice, *DEPTHS)}"]
    rate = min(magnitude(dice, *RATES), max(RATES_MOST_BYTES // size, 1))
    arrival = dice.choice(("fixed", "poisson", "burst"))
    burst = [f"burst={magnitude(dice, *BURSTS)}"] if arrival == "burst" else []
    return [f"rate_iops={rate}", f"arrival={arrival}", *burst]


def place(dice: random.Random, kind: str) -> list[str]:
    """On all of the drive alike, on some of it more, or on a part of it, where a few per cent may be no block."""
    if kind in HOT_KINDS and is_one_in(dice, HOT_ONE_IN):
        return [f"random_distribution={dice.choice(HOT)}"]
    if not is_one_in(dice, PART_ONE_IN):
        return []
    part = dice.randint(*PART_PCTS)
    return [f"offset={dice.randint(0, 100 - part)}%", f"size={part}%"]


def times(dice: random.Random) -> list[str]:
    if not is_one_in(dice, ON_OFF_ONE_IN):
        return []
    on_ms = magnitude(dice, *ON_MS)
    off_ms = max(on_ms * magnitude(dice, *OFF_PERMILLE) // 1000, 1)
    return [f"start={magnitude(dice, *START_MS)}ms", f"runtime={on_ms}ms", f"every={on_ms + off_ms}ms"]


def more(dice: random.Random) -> str:
    made = [f"urgent={dice.choice((10, 50, 100))}"] if is_one_in(dice, MORE_ONE_IN) else []
    made += [f"weight={magnitude(dice, *WEIGHTS)}"] if is_one_in(dice, MORE_ONE_IN) else []
    return " ".join(made)


def stream(dice: random.Random, when: list[str] | None = None) -> Stream:
    """`when`: its times, which are drawn otherwise."""
    kind = dice.choice(KINDS)
    size = SECTOR * magnitude(dice, *(TRIM_SECTORS if kind.endswith("trim") else SECTORS))
    mixed = [f"rwmixread={dice.randint(1, 99)}"] if kind.endswith("rw") else []
    load = [kind, f"bs={size}", *mixed, *pace(dice, size), *place(dice, kind), *(times(dice) if when is None else when)]
    return " ".join(load), more(dice)


def streams(dice: random.Random) -> tuple[Stream, ...]:
    return tuple(stream(dice) for _ in range(dice.choice(STREAMS)))


def drawn(seed: int, number: int) -> tuple[Stream, ...]:
    return streams(random.Random(f"promise neighbours {seed} {number}"))
