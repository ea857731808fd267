# SPDX-License-Identifier: GPL-2.0
"""What the virtual machine's processor had to do, from the lines of processor-watch.

A machine whose processor is full is slower than its clients ask for, whatever the drive does: windows that were missed
then say nothing of the drive's scheduler.  A mean hides it: a drive that stops for 60 ms of each 130 leaves half of the
processor, and the other half of the time all clients ask at once.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

PERCENT = 100
NS_PER_S = 1_000_000_000
# Tasks ran for so much of an interval: whoever wanted to run, waited.  Of a processor that has nothing left (by the idle time of
# /proc/timer_list, which takes too long to be asked so often) tasks have 85 to 100 %; changing between them, and interrupts
# meanwhile, take the rest.
FULL_PCT = 80
# A processor that is full for less of the time is not what a promise depends on: it may miss 1 to 10 % of its windows,
# and a window that is full in part is met with the rest.
SELDOM_PCT = 10


@dataclasses.dataclass(frozen=True)
class Point:
    """Since boot: time, that in which there was nothing to do, that in which tasks ran."""

    now_ns: int
    idle_s: float
    run_ns: int

    @classmethod
    def parse(cls, line: str) -> Point:
        now, idle, run = line.split()
        return cls(int(now), float(idle), int(run))


@dataclasses.dataclass(frozen=True)
class Use:
    """What was left of it, and for what part of the time it was full."""

    left_pct: float
    full_pct: float

    @property
    def is_seldom_full(self) -> bool:
        return self.full_pct < SELDOM_PCT

    def text(self) -> str:
        return f"{self.left_pct:.0f}, {self.full_pct:.0f}"


def ran_pct(begin: Point, end: Point) -> float:
    return PERCENT * (end.run_ns - begin.run_ns) / (end.now_ns - begin.now_ns)


def parse(text: str) -> Use:
    """Needs two lines at least."""
    points = [Point.parse(line) for line in text.splitlines()]
    whole_ns = points[-1].now_ns - points[0].now_ns
    full_ns = sum(end.now_ns - begin.now_ns for begin, end in pairwise(points) if ran_pct(begin, end) >= FULL_PCT)
    left_pct = PERCENT * NS_PER_S * (points[-1].idle_s - points[0].idle_s) / whole_ns
    # both are read one after the other
    return Use(round(min(left_pct, PERCENT), 1), round(PERCENT * full_ns / whole_ns, 1))
