# SPDX-License-Identifier: GPL-2.0
"""What the parts that run in the virtual machine have in common."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from pathlib import Path

from lib import machine
from lib.ready.work import NAME, Work, say

SHARED = ("ready-lib.sh", "ready-loads.sh")
# A target time of an hour passes in a minute, as in "--quick" in half of one.
LIFE_S = 3600
TIME_SCALE, QUICK_TIME_SCALE = 60, 120
DISK_MB, DISK_NS = 512, 100_000
NS_PER_MS = 1_000_000
PERMILLE = 1000
# What the paper's prototype lived through: 3,024 s of 3,600 without throttling.
BUDGET_PERMILLE = 840


def time_scale(work: Work) -> int:
    return QUICK_TIME_SCALE if work.quick else TIME_SCALE


def settings(work: Work, **own: object) -> dict[str, object]:
    """Of a guest script: the machine's disk, how time passes, and its own."""
    return {"SEED": work.seed, "DISK_MB": DISK_MB, "DISK_NS": DISK_NS,
            "TIME_SCALE": time_scale(work),
            "BUDGET_PERMILLE": BUDGET_PERMILLE, **own}


def shorter(work: Work) -> dict[str, object]:
    """For lives that need not be as long: a quick one takes a quarter of a minute."""
    return {"TIME_SCALE": 2 * QUICK_TIME_SCALE} if work.quick else {}


def run(work: Work, name: str, script: str, own: Mapping[str, object],
        files: Mapping[str, str] | None = None) -> Path | None:
    """One boot, unless there are results of it; None if it is not wanted."""
    guest = machine.Machine(NAME, SHARED, work.out, work.module, work.seed)
    job = machine.Job(name, script, settings(work, **own), files or {})
    kept = guest.find(job)
    if not work.wants(name) or (kept and not work.again):
        return kept
    say(f"{name}: runs")
    begun = time.monotonic()
    kept = guest.run(job)
    work.fresh = True
    say(f"{name}: {time.monotonic() - begun:.0f} s")
    return kept


@dataclasses.dataclass(frozen=True)
class Sample:
    """What a drive shows at one moment; bytes are those of this life."""

    age_s: int
    used: int
    host: int
    delay_ns: int
    stopped: int


@dataclasses.dataclass(frozen=True)
class Life:
    """A life from its begin to the target time."""

    budget: int
    samples: list[Sample]

    @property
    def used(self) -> int:
        return self.samples[-1].used

    @property
    def most_used(self) -> int:
        return max(sample.used for sample in self.samples)

    def used_pct(self, budget: int) -> float:
        return round(self.used * 100 / budget, 2)

    def age_at(self, used: int) -> int | None:
        """When so much was used, if it was."""
        return next((sample.age_s for sample in self.samples if sample.used >= used), None)

    def host_series(self, step_s: int) -> list[float]:
        """MB written in each step."""
        ends = [0] * (LIFE_S // step_s)
        for sample in self.samples:
            ends[min(sample.age_s // step_s, len(ends) - 1)] = sample.host
        for at in range(1, len(ends)):
            ends[at] = max(ends[at], ends[at - 1])
        return [round((end - begin) / 1e6, 3) for begin, end in zip([0, *ends], ends)]


def read_budget(path: Path) -> tuple[int, int]:
    """What counts as used before the life began, and the budget after that."""
    before, endurance = map(int, path.read_text().split())
    return before, endurance - before


def read_life(results: Path, run_name: str) -> Life:
    before, budget = read_budget(results / f"{run_name}.budget")
    samples = []
    for line in (results / f"{run_name}.samples").read_text().splitlines():
        age, used, host, delay, stopped = map(int, line.split())
        samples.append(Sample(age, used - before, host, delay, stopped))
    return Life(budget, samples)
