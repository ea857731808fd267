# SPDX-License-Identifier: GPL-2.0
"""Requests completed in each 100 ms, and what can be promised of them."""

from __future__ import annotations

from dataclasses import dataclass
from operator import add

from ssdqos.errors import ToolError
from ssdqos.qos.profile_file import NS_MAX
from ssdqos.qos.units import MS_PER_S, NS_PER_MS, PERMILLE, ceil_div

STEP_MS = 100
# Those of a profile.
WINDOWS_MS = (100, 200, 500, 1000, 2000, 3000, 5000, 10000, 20000, 30000)
# A distribution wants at least so many windows that do not overlap.
WINDOWS_IN_SERIES = 2


@dataclass(frozen=True)
class Series:
    """Counts by 100 ms, of reads and of writes; both have the same length."""

    reads: list[int]
    writes: list[int]

    def __len__(self) -> int:
        return len(self.reads)

    def of(self, op: str) -> list[int]:
        return self.reads if op == "read" else self.writes

    def __add__(self, other: Series) -> Series:
        """One after the other."""
        return Series(self.reads + other.reads, self.writes + other.writes)

    def total(self) -> list[int]:
        """Of both together."""
        return list(map(add, self.reads, self.writes))

    def duration_ms(self) -> int:
        return len(self) * STEP_MS

    def seconds(self) -> int:
        return self.duration_ms() // MS_PER_S


def fitting_windows(duration_ms: int) -> tuple[int, ...]:
    """Those for which a series is long enough."""
    return tuple(window for window in WINDOWS_MS if window * WINDOWS_IN_SERIES <= duration_ms)


def sums_in_time(counts: list[int], window_ms: int) -> list[int]:
    """Of each window that begins at a whole 100 ms."""
    steps = window_ms // STEP_MS
    if steps > len(counts):
        return []
    whole = sum(counts[:steps])
    sums = [whole]
    for gone, come in zip(counts, counts[steps:]):
        whole += come - gone
        sums.append(whole)
    return sums


def window_sums(counts: list[int], window_ms: int) -> list[int]:
    """Least first."""
    return sorted(sums_in_time(counts, window_ms))


def promised_count(sums: list[int], confidence: int) -> int:
    """What at least this part of the windows reaches."""
    return sums[len(sums) * (PERMILLE - confidence) // PERMILLE]


def count_cost_ns(count: int, window_ms: int) -> int | None:
    """Device time of one of so many requests, rounded up; None if nothing can be promised, or less than a profile can say."""
    cost = ceil_div(window_ms * NS_PER_MS, count) if count else None
    return cost if cost and cost <= NS_MAX else None


def mean_ns(counts: list[int]) -> float:
    """Device time of one request over all of the series."""
    whole = sum(counts)
    if not whole:
        raise ToolError("no request completed")
    return len(counts) * STEP_MS * NS_PER_MS / whole
