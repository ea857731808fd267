# SPDX-License-Identifier: GPL-2.0
"""Rows of runs, and numbers of several of them: means with their intervals, and ratios seed by seed."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from lib import interval
from lib.ttflash.rungs import RUNGS

NS_PER_US, NS_PER_MS = 1e3, 1e6
QUANTILES = {"mean": "mean", "p50": "p50", "p90": "p90", "p99": "p99", "p999": "p99.9", "p9999": "p99.99"}
# Of fewer reads, over all seeds, that is one of the ten slowest.
LEAST_READS = {"p999": 10_000, "p9999": 100_000}
NOTHING = "-"
# Begins of the names of counters that say what collection, stripes and the buffer did.
COUNTERS = ("gc_", "queue_", "rain_", "parity_", "reconstruct", "stripe", "rotate", "turns_", "waited_", "blocked_", "buffer_",
            "space_", "flush_", "lift_")

# What a run was of, its rung and its seed, and what was kept of it.
Row = tuple[str, str, int, dict]


def kept_row(of: str, rung: str, seed: int, found: dict) -> Row:
    """As results have it: without what is only for a picture of its own, and without counters of something else."""
    counters = {key: value for key, value in found["counters"].items() if key.startswith(COUNTERS)}
    return of, rung, seed, {key: value for key, value in found.items() if key != "series"} | {"counters": counters}


def runs_of(rows: Sequence[Row], of: str, rung: str) -> dict[int, dict]:
    """By seed."""
    return {seed: found for one, name, seed, found in rows if one == of and name == rung}


def things(rows: Sequence[Row]) -> list[str]:
    """What runs were of, in their order."""
    return list(dict.fromkeys(row[0] for row in rows))


def rungs(rows: Sequence[Row]) -> list[str]:
    """Those that there are, in the order of the table of rungs."""
    there = {row[1] for row in rows}
    return [name for name in RUNGS if name in there]


def values(found: dict[int, dict], number: Callable[[dict], float]) -> list[float]:
    return [number(one) for one in found.values()]


def latency(quantile: str, op: str = "read") -> Callable[[dict], float]:
    return lambda found: found[op][quantile]


def ratios(found: dict[int, dict], base: dict[int, dict], number: Callable[[dict], float]) -> list[float]:
    """Each by that of the same seed: loads are the same request by request."""
    return [number(one) / number(base[seed]) for seed, one in found.items() if seed in base and number(base[seed])]


def enough(found: dict[int, dict], quantile: str) -> bool:
    return sum(one["read"]["n"] for one in found.values()) >= LEAST_READS.get(quantile, 0)


def cell(seen: Sequence[float], digits: int) -> str:
    """Mean and interval; of one seed, the number."""
    if not seen:
        return NOTHING
    return interval.text(seen, digits) if len(seen) > 1 else f"{seen[0]:.{digits}f}"


def counters(rows: Sequence[Row], of: str, names: Sequence[str]) -> list[list[str]]:
    """A line for each counter that any of these rungs has, with the mean of each rung."""
    found = {rung: runs_of(rows, of, rung) for rung in names}
    there = sorted({key for runs in found.values() for one in runs.values() for key in one["counters"]})
    return [[key, *(f"{mean(values(runs, lambda one, key=key: one['counters'].get(key, 0))):,.0f}"
                    for runs in found.values())] for key in there]


def mean(seen: Sequence[float]) -> float | None:
    return statistics.mean(seen) if seen else None


def title(rung: str) -> str:
    return RUNGS[rung].title


def missing_text(missing: dict[str, str]) -> str:
    """Of rungs that the simulator did not have."""
    return "".join(f"Not measured: *{title(name)}* ({why}).\n" for name, why in missing.items())
