# SPDX-License-Identifier: GPL-2.0
"""Requests completed in each 100 ms, and what can be promised of them."""

from __future__ import annotations

from dataclasses import dataclass

from ssdqos.errors import ToolError
from ssdqos.qos.units import NS_PER_MS, PERMILLE, ceil_div

STEP_MS = 100


@dataclass(frozen=True)
class Series:
    """Counts by 100 ms, of reads and of writes; both have the same length."""

    reads: list[int]
    writes: list[int]

    def __len__(self) -> int:
        return len(self.reads)

    def of(self, op: str) -> list[int]:
        return self.reads if op == "read" else self.writes

    def duration_ms(self) -> int:
        return len(self) * STEP_MS


def window_sums(counts: list[int], window_ms: int) -> list[int]:
    """Of each window that begins at a whole 100 ms, least first."""
    steps = window_ms // STEP_MS
    if steps > len(counts):
        return []
    whole = sum(counts[:steps])
    sums = [whole]
    for gone, come in zip(counts, counts[steps:]):
        whole += come - gone
        sums.append(whole)
    return sorted(sums)


def promised_count(sums: list[int], confidence: int) -> int:
    """What at least this part of the windows reaches."""
    return sums[len(sums) * (PERMILLE - confidence) // PERMILLE]


def cost_ns(sums: list[int], window_ms: int, confidence: int) -> int | None:
    """Device time of one request, rounded up; None if nothing can be promised."""
    count = promised_count(sums, confidence)
    return ceil_div(window_ms * NS_PER_MS, count) if count else None


def mean_ns(counts: list[int]) -> float:
    """Device time of one request over all of the series."""
    whole = sum(counts)
    if not whole:
        raise ToolError("no request completed")
    return len(counts) * STEP_MS * NS_PER_MS / whole
