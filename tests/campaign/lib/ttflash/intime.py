# SPDX-License-Identifier: GPL-2.0
"""What a run's intervals say of how steady a drive is."""

from __future__ import annotations

import statistics

from lib.ttflash.numbers import NS_PER_MS

Series = dict[str, list[float]]


def means(series: Series) -> tuple[list[float], list[float]]:
    """Of intervals that have reads: s, and their mean in ms."""
    seen = [(time_s, mean / NS_PER_MS) for time_s, n, mean in zip(series["time_s"], series["n"], series["mean_ns"]) if n]
    return [time_s for time_s, _ in seen], [mean for _, mean in seen]


def steadiness(series: Series) -> dict[str, float]:
    """The slowest interval, and how many times the one in the middle that is; free blocks, at first and at the least."""
    _, seen = means(series)
    middle = statistics.median(seen) if seen else 0.0
    return {"middle_ms": middle, "slowest_ms": max(seen, default=0.0), "times": max(seen) / middle if middle else 0.0,
            "free_first": series["free"][0] if series["free"] else 0.0, "free_least": min(series["free"], default=0.0)}


def thinned(series: Series, points: int) -> Series:
    """For a picture: the slowest of neighbours, the least free."""
    step = max(1, -(-len(series["time_s"]) // points))
    choose = {"time_s": min, "n": sum, "mean_ns": max, "free": min}
    return {name: [choose[name](column[at:at + step]) for at in range(0, len(column), step)]
            for name, column in series.items()}
