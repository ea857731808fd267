# SPDX-License-Identifier: GPL-2.0
"""Numbers of runs with several seeds: what they come to, and how sure that is.

Means and quantiles that each run has reads enough for are averaged over the seeds.  The far tail is taken of all
reads of all seeds together.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Sequence

from lib import interval
from lib.autossd import draw
from lib.autossd.section import NS_PER_US, Found, Results

# Reads, of all seeds together, from which on a quantile is that of the ten slowest or more.
LEAST_READS = {"p999": 10_000, "p9999": 100_000, "p99999": 1_000_000, "p999999": 10_000_000}
POOLED = ("p99999", "p999999")
NOTHING = "-"

Key = tuple
Statistic = Callable[[Sequence[int]], float]


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A number, and half of its 95 % interval; of one seed there is none."""

    value: float
    half: float = 0.0
    seeds: int = 1

    def text(self, digits: int = 0, sign: str = "") -> str:
        text = f"{self.value:{sign},.{digits}f}"
        return f"{text} ± {self.half:,.{digits}f}" if self.seeds > 1 else text

    def as_json(self) -> dict[str, float]:
        return dataclasses.asdict(self)


class Grid:
    """Results by key, which is their label without the seed that is its last part, and by seed."""

    def __init__(self, results: Results) -> None:
        self.runs: dict[Key, dict[int, Found]] = {}
        for (*key, seed), found in results.items():
            self.runs.setdefault(tuple(key), {})[seed] = found
        self.seeds = sorted(next(iter(self.runs.values()), {}))

    def part(self, at: int) -> list:
        """That part of the keys, each once, in their order."""
        return list(dict.fromkeys(key[at] for key in self.runs))

    def founds(self, *key: object) -> list[Found]:
        return list(self.runs[key].values())

    def first(self, *key: object) -> Found:
        return self.runs[key][self.seeds[0]]

    def reads(self, *key: object) -> int:
        return sum(found.latency()["n"] for found in self.founds(*key))

    def has(self, key: Key, metric: str) -> bool:
        """Reads enough, and some that took time."""
        return self.reads(*key) >= LEAST_READS.get(metric, 1)

    # ---- numbers of some of the seeds ----

    def latency_ns(self, key: Key, metric: str, seeds: Sequence[int]) -> float:
        founds = [self.runs[key][seed] for seed in seeds]
        if metric in POOLED:
            return draw.pooled_quantile([found.cdf_path() for found in founds], metric.count("9"))
        return statistics.mean(found.latency()[metric] for found in founds)

    def ratio(self, key: Key, base: Key, metric: str, seeds: Sequence[int]) -> float:
        """Seed by seed, as loads are the same request by request; the far tail of all together."""
        if metric in POOLED:
            return self.latency_ns(key, metric, seeds) / self.latency_ns(base, metric, seeds)
        return statistics.mean(self.runs[key][seed].latency()[metric] / self.runs[base][seed].latency()[metric]
                               for seed in seeds)

    # ---- of all of them, with an interval ----

    def estimate(self, statistic: Statistic) -> Estimate:
        return Estimate(*interval.left_out(statistic, self.seeds), len(self.seeds))

    def of(self, key: Key, number: Callable[[Found], float]) -> Estimate:
        """Of a number that each run has."""
        return self.estimate(lambda seeds: statistics.mean(number(self.runs[key][seed]) for seed in seeds))

    def latency(self, key: Key, metric: str) -> Estimate:
        return self.estimate(lambda seeds: self.latency_ns(key, metric, seeds))

    def relative(self, key: Key, base: Key, metric: str) -> Estimate | None:
        """None where either has too few reads."""
        if not (self.has(key, metric) and self.has(base, metric)):
            return None
        return self.estimate(lambda seeds: self.ratio(key, base, metric, seeds))

    def us(self, key: Key, metric: str) -> str:
        if not self.has(key, metric):
            return NOTHING
        found = self.latency(key, metric)
        return Estimate(found.value / NS_PER_US, found.half / NS_PER_US, found.seeds).text()


def text(estimate: Estimate | None, digits: int, sign: str = "") -> str:
    return estimate.text(digits, sign) if estimate else NOTHING


def change(estimate: Estimate | None) -> str:
    """A ratio as the change that it is, in percent."""
    if not estimate:
        return NOTHING
    return Estimate(100 * (estimate.value - 1), 100 * estimate.half, estimate.seeds).text(1, "+")
