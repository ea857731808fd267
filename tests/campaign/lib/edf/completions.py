# SPDX-License-Identifier: GPL-2.0
"""How much a client got done, window by window, from fio's log of completions.

fio writes a line about every 100 ms: time in ms, completions per second since
the line before.  An interval without any completion has no line.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

INTERVAL_MS = 100
MS_PER_S = 1000


@dataclasses.dataclass(frozen=True)
class Interval:
    """From `start_ms` to `end_ms`, so many requests were completed."""

    start_ms: int
    end_ms: int
    completions: int


def parse(lines: Iterable[str]) -> list[Interval]:
    """The intervals in which something was completed."""
    intervals: list[Interval] = []
    before_ms = 0
    for line in lines:
        end_ms, rate = (int(word) for word in line.split(",")[:2])
        length_ms = last_interval_ms(end_ms - before_ms)
        intervals.append(Interval(end_ms - length_ms, end_ms, round(rate * length_ms / MS_PER_S)))
        before_ms = end_ms
    return intervals


def last_interval_ms(since_ms: int) -> int:
    """Of a time since the line before, what belongs to this line."""
    empty = max(0, round(since_ms / INTERVAL_MS) - 1)
    return since_ms - empty * INTERVAL_MS


def windows(intervals: list[Interval], window_ms: int, count: int) -> list[float]:
    """Completions in each of `count` windows, one after the other from 0 on.
    An interval that reaches into the next window is shared out by time."""
    found = [0.0] * count
    for one in intervals:
        length_ms = max(1, one.end_ms - one.start_ms)
        at_ms = one.start_ms
        while at_ms < one.end_ms:
            window = at_ms // window_ms
            until_ms = min(one.end_ms, (window + 1) * window_ms)
            if 0 <= window < count:
                found[window] += one.completions * (until_ms - at_ms) / length_ms
            at_ms = until_ms
    return found


def met_pct(amounts: list[float], promised: float) -> float:
    """Part of the windows in which at least so much was completed."""
    # Sharing out an interval loses a fraction of a request, not one.
    return 100 * sum(amount > promised - 1 for amount in amounts) / len(amounts)


def rates(intervals: list[Interval], window_ms: int, count: int) -> list[float]:
    """Completions per second in each window."""
    return [amount * MS_PER_S / window_ms for amount in windows(intervals, window_ms, count)]
