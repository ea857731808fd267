# SPDX-License-Identifier: GPL-2.0
"""Part `neighbourhood`: what is found if the loads are not shaped as was assumed.

The paper has the volume of its loads, not their pattern.  Each number of the assumed pattern is halved and doubled,
one at a time, in lives as short as those of part `seeds`.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

from lib import charts, rst
from lib.claim import Row, both_ends
from lib.ready import lives, seeds
from lib.ready.lives import Life
from lib.ready.paper import LOADS, POLICIES, READY
from lib.ready.work import Work

TITLE = "The neighbourhood of the loads' shape"
SEEDS = (1, 2, 3)
HALF, OWN, DOUBLE = "half", "own", "double"
PERMILLE = 1000
# As tools/sim/life/load.c has it; a number without effect in a load is left out.
SHAPES = {
    "proxy": {"quiet_permille": 800, "weekend_permille": 900, "burst_ppm": 200_000},
    "proj": {"quiet_permille": 300, "weekend_permille": 300, "stretch_s": 7200, "spread_permille": 4000,
             "burst_ppm": 20_000},
    "exchange": {"quiet_permille": 300, "stretch_s": 600, "spread_permille": 1020, "burst_ppm": 100_000},
    "map": {"quiet_permille": 500, "stretch_s": 600, "spread_permille": 1500, "burst_ppm": 50_000},
    "msnfs": {"burst_ppm": 300_000},
}
# What is halved: of bursts how many there are, which makes each twice as large.
MEANING = {"quiet_permille": "load outside of busy hours", "weekend_permille": "load of a weekend",
           "stretch_s": "how long a random weight holds", "spread_permille": "spread of random weights",
           "burst_ppm": "seconds that are bursts"}


@dataclasses.dataclass(frozen=True)
class Neighbour:
    """A load, and which of its numbers is another one."""

    load: str
    key: str = ""
    side: str = OWN

    @property
    def value(self) -> int:
        own = SHAPES[self.load][self.key]
        if self.key == "spread_permille":  # 1000 is none
            return PERMILLE + (own - PERMILLE) // 2 if self.side == HALF else PERMILLE + 2 * (own - PERMILLE)
        changed = own // 2 if self.side == HALF else 2 * own
        return min(changed, PERMILLE) if self.key in ("quiet_permille", "weekend_permille") else changed

    @property
    def shape(self) -> str:
        return f"{self.key}={self.value}" if self.key else ""

    @property
    def title(self) -> str:
        return f"{self.load}, {self.shape}" if self.key else self.load

    def life(self, policy: str, seed: int) -> Life:
        name = f"near-{self.load}-{self.key}-{self.side}-{policy}-{seed}" if self.key else \
            seeds.name_of(self.load, policy, "fitted", seed)
        return Life(name, self.load, policy, short=True, seed=seed, shape=self.shape)


def neighbours(load: str) -> list[Neighbour]:
    """The load as it is, and all that differ in one number."""
    return [Neighbour(load), *(Neighbour(load, key, side) for key in SHAPES[load] for side in (HALF, DOUBLE))]


def everyone() -> Iterator[Neighbour]:
    for load in LOADS:
        yield from neighbours(load)


def plan() -> list[Life]:
    """Seed by seed, so that what is interrupted has some of each."""
    return [one.life(policy, seed) for seed in SEEDS for one in everyone() for policy in POLICIES]


def measure(work: Work) -> dict:
    found = lives.run_all(plan(), work)
    return {"runs": {name: {key: run[key] for key in seeds.KEPT} | {"mean_us": run["response_ns"]["mean"] / 1000}
                     for name, run in found.items()}}


# ---- numbers ----

Runs = dict[str, dict]


def runs_of(result: dict, one: Neighbour, seed: int) -> Runs | None:
    """If there are all policies."""
    runs = {policy: result["runs"].get(one.life(policy, seed).name) for policy in POLICIES}
    return runs if all(runs.values()) else None


def compared_seeds(result: dict) -> list[int]:
    """Those with most neighbours: means of other seeds can't be compared with theirs."""
    count = {seed: sum(runs_of(result, one, seed) is not None for one in everyone()) for seed in SEEDS}
    return [seed for seed in SEEDS if count[seed] == max(count.values())]


def by_seed(result: dict, one: Neighbour) -> list[Runs]:
    return [runs for seed in compared_seeds(result) if (runs := runs_of(result, one, seed))]


def mean_of(result: dict, one: Neighbour, value: Callable[[Runs], float]) -> float | None:
    values = [value(runs) for runs in by_seed(result, one)]
    return statistics.mean(values) if values else None


def times(policy: str, than: str) -> Callable[[Runs], float]:
    """By how much its mean response is better."""
    return lambda runs: runs[than]["mean_us"] / runs[policy]["mean_us"]


def tail(runs: Runs) -> float:
    return seeds.worst_us(runs["ready_opt"]) / seeds.worst_us(runs["horizon"])


NONE = "READY opt: none = 1"
FIGURES: dict[str, Callable[[Runs], float]] = {
    NONE: times("none", "ready_opt"),
    "better than DT": times("ready_opt", "dynamic"),
    "better than ST": times("ready_opt", "static"),
    "OPT = 1": times("optimum", "ready_opt"),
    "horizon: READY opt = 1": times("ready_opt", "horizon"),
    "tail": tail,
}


def lifetimes(result: dict, policies: tuple[str, ...]) -> list[float]:
    """Target = 1, of drives that die early without throttling."""
    return [run["lifetime_s"] / run["target_s"] for one in everyone() for runs in by_seed(result, one)
            if runs["none"]["lifetime_s"] and runs["none"]["lifetime_s"] < runs["none"]["target_s"]
            for policy in policies if (run := runs[policy])["lifetime_s"]]


def far(result: dict, name: str) -> float | None:
    """How far a figure moves at most, in % of what it is with the load's own shape."""
    found = []
    for load in LOADS:
        own = mean_of(result, Neighbour(load), FIGURES[name])
        other = [mean_of(result, one, FIGURES[name]) for one in neighbours(load)[1:]]
        found += [100 * abs(value / own - 1) for value in other if own and value and
                  max(own, value) < seeds.MOST_TIMES]
    return max(found, default=None)


# ---- goals ----

def goals(result: dict) -> list[Row]:
    return [row for title, policies, least in (("READY", READY, 1), ("horizon", ("horizon",), 2 - seeds.MOST_LIFETIME))
            for row in both_ends(f"neighbourhood: lifetime of {title}, target = 1", lifetimes(result, policies),
                                 least=least, most=seeds.MOST_LIFETIME, digits=4)]


# ---- the page ----

def cell(value: float) -> str:
    """Beside a delay of next to nothing a quotient says nothing but that."""
    return f"{value:.2f}" if value < seeds.MOST_TIMES else f"> {seeds.MOST_TIMES}"


def section(result: dict) -> str:
    rows = [[one.title, *map(cell, values)] for one in everyone()
            if (values := [mean_of(result, one, figure) for figure in FIGURES.values()])[0] is not None]
    if not rows:
        return ""
    seeds_text = f"seed {compared_seeds(result)[0]}" if len(compared_seeds(result)) == 1 else "the means of seeds " + \
        ", ".join(map(str, compared_seeds(result)))
    missing = sum(not by_seed(result, one) for one in everyone())
    lead = f"Recovery *fitted*, {seeds_text}" + (f"; {missing} of the changes were not measured.\n" if missing else ".\n")
    moved = [[name, f"{value:.0f} %"] for name in FIGURES if (value := far(result, name)) is not None]
    return rst.page(TEXT, lead,
                    rst.table(["load, and what is changed", *FIGURES], rows), MOVED,
                    rst.table(["figure", "moves by"], moved),
                    rst.figure("neighbourhood.svg", "Mean response of READY opt under each load, as it is and with "
                               "each number halved or doubled."))


def draw(result: dict, directory: Path) -> None:
    def paint(axis: object) -> None:
        for at, load in enumerate(LOADS):
            found = [mean_of(result, one, FIGURES[NONE]) for one in neighbours(load)]
            points = [value for value in found if value]
            axis.plot([at] * len(points), points, "_", markersize=16, color="C0", label="changed" if not at else None)
            axis.plot([at], points[:1], "o", color="C1", label="as it is" if not at else None)
        axis.set_xticks(range(len(LOADS)), LOADS)
    if all(by_seed(result, Neighbour(load)) for load in LOADS):
        charts.draw(directory / "neighbourhood.svg", paint, "", "mean response, none = 1")


TEXT = """\
Lives of a quarter of a year, as above.  The paper has the volume that its loads write, not their pattern, which is ours:
so each number of that pattern is halved and doubled, one at a time, at the same volume (``ssdqos-sim life --shape``):

""" + "".join(f"- ``{key}``: {text}\n" for key, text in MEANING.items()) + """
Half as many bursts are twice as large each.  *OPT = 1* is READY opt's mean response, too, beside the optimum's; *tail* is how
many times shorter 99.9 % of the worst week's delays are with horizon than with READY opt.
"""

MOVED = """\
How far each figure is at most from what it is with the load's own shape, but for those above 100:
"""
