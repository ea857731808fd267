# SPDX-License-Identifier: GPL-2.0
"""For how long a drive stands still when it is written in order, after it was written at random.

Some drives put off collection while they are written in order, and then do nothing else until they have made up for
it.  Example: after 240 MB in order nothing completes for 2.1 s, whatever else waits.  Writes at random never show that.
"""

from __future__ import annotations

from collections.abc import Iterator

from ssdqos.profiler.cell import KIB, Cell
from ssdqos.profiler.series import STEP_MS, Series

# What is shorter may be a few slow requests.
LEAST_STEPS = 2


def stops(writes: list[int]) -> Iterator[tuple[int, int]]:
    """Of each: how many steps without a write in a row, and how many writes since the one before."""
    came = still = 0
    for count in writes:
        if not count:
            still += 1
            continue
        if came and still >= LEAST_STEPS:
            yield still, came
            came = 0
        came, still = came + count, 0


def longest(cells: dict[Cell, Series]) -> tuple[int, int] | None:
    """ms and KiB written before; None where no cell stopped.

    Its begin and its end are somewhere in steps that have writes: both are counted.
    """
    found = [(still, came * cell.bytes // KIB) for cell, counts in cells.items()
             for still, came in stops(counts.writes)]
    if not found:
        return None
    still, kib = max(found, key=lambda one: (one[0], -one[1]))
    return (still + 2) * STEP_MS, max(kib, 1)
