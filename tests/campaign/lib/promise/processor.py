# SPDX-License-Identifier: GPL-2.0
"""What the virtual machine's processor had to do, from the lines of processor-watch.

A machine whose processor is full is slower than its clients ask for, whatever the drive does: windows that were missed
then say nothing of the drive's scheduler.  A mean hides it: beside a drive that stops for 60 ms of each 130 it has half to do,
and that is all of the other half, when all clients ask at once.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

PERCENT = 100
# Tasks ran for so much of an interval: whoever wanted to run, waited.  Of a processor that has nothing left (by the idle time of
# /proc/timer_list, which takes too long to be asked so often) tasks have 85 to 100 %; changing between them, and interrupts
# meanwhile, take the rest.
FULL_PCT = 80
# A processor that is full for less of the time is not what a promise depends on: it may miss 1 to 10 % of its windows,
# and a window that is full in part is met with the rest.
SELDOM_PCT = 10


@dataclasses.dataclass(frozen=True)
class Point:
    """Time since boot, and that in which tasks ran.

    Not that in which there was nothing to do: the kernel counts it as waiting for a disk where any task says that it does."""

    now_ns: int
    run_ns: int

    @classmethod
    def parse(cls, line: str) -> Point:
        now, run = line.split()
        return cls(int(now), int(run))


@dataclasses.dataclass(frozen=True)
class Use:
    """For what part of the time tasks ran, and for what part it was full."""

    ran_pct: float
    full_pct: float

    @property
    def is_seldom_full(self) -> bool:
        return self.full_pct < SELDOM_PCT

    def text(self) -> str:
        return f"{self.ran_pct:.0f}, {self.full_pct:.0f}"


def ran_pct(begin: Point, end: Point) -> float:
    return PERCENT * (end.run_ns - begin.run_ns) / (end.now_ns - begin.now_ns)


def parse(text: str) -> Use:
    """Needs two lines at least."""
    points = [Point.parse(line) for line in text.splitlines()]
    full_ns = sum(end.now_ns - begin.now_ns for begin, end in pairwise(points) if ran_pct(begin, end) >= FULL_PCT)
    full_pct = PERCENT * full_ns / (points[-1].now_ns - points[0].now_ns)
    return Use(round(ran_pct(points[0], points[-1]), 1), round(full_pct, 1))
