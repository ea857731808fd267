# SPDX-License-Identifier: GPL-2.0
"""What the virtual machine's processor had left, from /proc/uptime once a second.

A machine whose processor is full is slower than its clients ask for, whatever the drive does: windows that were missed
then say nothing of the drive's scheduler.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

PERCENT = 100


@dataclasses.dataclass(frozen=True)
class Left:
    """Of its time: all of it, and the least second."""

    mean_pct: float
    least_pct: float

    def text(self) -> str:
        return f"{self.mean_pct:.0f}, {self.least_pct:.0f}"


def part_pct(begin: tuple[float, ...], end: tuple[float, ...]) -> float:
    """Seconds since boot, and those of them in which it had nothing to do."""
    (since, idle), (until, idle_then) = begin, end
    return round(min(PERCENT * (idle_then - idle) / (until - since), PERCENT), 1)


def parse(text: str) -> Left:
    """Needs two lines at least."""
    points = [tuple(map(float, line.split())) for line in text.splitlines()]
    return Left(part_pct(points[0], points[-1]), min(part_pct(*two) for two in pairwise(points)))
