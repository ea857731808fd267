# SPDX-License-Identifier: GPL-2.0
"""Part `seeds`: lives of a quarter of a year, all policies, five seeds, with each set of constants.

Short lives with as much wear as long ones: so 350 of them are affordable.
"""

from __future__ import annotations

from pathlib import Path

from lib import interval, rst
from lib.claim import Row, both_ends
from lib.ready import lives
from lib.ready.lives import Life
from lib.ready.paper import LOADS, POLICIES
from lib.ready.work import Work

TITLE = "Five seeds, and both sets of constants"
SEEDS = (1, 2, 3, 4, 5)
RECOVERIES = ("fitted", "stated")
SERVICE_NS = 600_000
HORIZON, OPT = "horizon", "ready_opt"
# Beside a delay of next to nothing a quotient says nothing but that.
MOST_TIMES = 100
MOST_LIFETIME = 1.02
KEPT = ("target_s", "lifetime_s", "worst_week_p999_ns", "constant_delay_us", "command")


def name_of(load: str, policy: str, recovery: str, seed: int) -> str:
    return f"short-{load}-{policy}-{recovery}-{seed}"


def plan() -> list[Life]:
    return [Life(name_of(load, policy, recovery, seed), load, policy, recovery, short=True, seed=seed)
            for recovery in RECOVERIES for load in LOADS for seed in SEEDS for policy in POLICIES]


def measure(work: Work) -> dict:
    found = lives.run_all(plan(), work)
    return {"runs": {name: {key: run[key] for key in KEPT} |
                     {"mean_us": run["response_ns"]["mean"] / 1000}
                     for name, run in found.items()}}


# ---- numbers of five runs ----

def runs(result: dict, load: str, policy: str, recovery: str) -> list[dict]:
    found = [result["runs"].get(name_of(load, policy, recovery, seed)) for seed in SEEDS]
    return [run for run in found if run]


def worst_us(run: dict) -> float:
    """99.9 % of the delays of the worst week; the optimum's is known exactly."""
    if run["constant_delay_us"]:
        return run["constant_delay_us"]
    return max((run["worst_week_p999_ns"] - SERVICE_NS) / 1000, 1)


def pairs(result: dict, load: str, recovery: str, policy: str) -> list[tuple[dict, dict]]:
    """ready_opt's run, and that of a policy, of each seed."""
    return list(zip(runs(result, load, OPT, recovery), runs(result, load, policy, recovery)))


def times_mean(result: dict, load: str, recovery: str) -> list[float]:
    return [mine["mean_us"] / theirs["mean_us"]
            for theirs, mine in pairs(result, load, recovery, HORIZON)]


def times_tail(result: dict, load: str, recovery: str, policy: str) -> list[float]:
    return [worst_us(theirs) / worst_us(mine)
            for theirs, mine in pairs(result, load, recovery, policy)]


def complete(result: dict, policies: tuple[str, ...], recovery: str) -> bool:
    return all(len(runs(result, load, policy, recovery)) == len(SEEDS)
               for load in LOADS for policy in policies)


def compared(result: dict) -> list[str]:
    """Constants with which horizon has all that it stands beside."""
    return [recovery for recovery in RECOVERIES
            if complete(result, (HORIZON, OPT, "optimum"), recovery)]


def lifetimes(result: dict) -> list[float]:
    """Of horizon, where the optimum has a delay: without, the drive would not last."""
    return [run["lifetime_s"] / run["target_s"]
            for recovery in compared(result) for load in LOADS
            for run, best in zip(runs(result, load, HORIZON, recovery),
                                 runs(result, load, "optimum", recovery))
            if best["constant_delay_us"]]


# ---- goals ----

def goals(result: dict) -> list[Row]:
    return both_ends(f"seeds: lifetime of horizon, target = 1, {' and '.join(compared(result))}", lifetimes(result),
                     least=2 - MOST_LIFETIME, most=MOST_LIFETIME, digits=4)


# ---- tables ----

def section(result: dict) -> str:
    parts = [INTRODUCTION]
    for recovery in RECOVERIES:
        policies = [policy for policy in POLICIES if complete(result, (policy,), recovery)]
        if policies:
            parts += [rst.heading(f"Mean response, recovery {recovery}", "~"),
                      rst.table(["us", *(POLICIES[policy] for policy in policies)],
                                mean_rows(result, recovery, policies))]
    if compared(result):
        parts += [rst.heading("Horizon beside READY opt", "~"), BESIDE,
                  rst.table(["recovery, load", "mean", "tail", "possible"], beside_rows(result))]
    return rst.page(*parts)


def mean_rows(result: dict, recovery: str, policies: list[str]) -> list[list[str]]:
    return [[load, *(interval.text([run["mean_us"] for run in runs(result, load, policy, recovery)], 0)
                     for policy in policies)] for load in LOADS]


def tail_cell(values: list[float]) -> str:
    return interval.text(values, 1) if max(values) < MOST_TIMES else f"at least {min(values):.0f}"


def beside_rows(result: dict) -> list[list[str]]:
    return [[f"{recovery}, {load}", interval.text(times_mean(result, load, recovery), 4),
             tail_cell(times_tail(result, load, recovery, HORIZON)),
             tail_cell(times_tail(result, load, recovery, "optimum"))]
            for recovery in compared(result) for load in LOADS]


def draw(result: dict, directory: Path) -> None:
    """Has no picture."""


INTRODUCTION = """\
Lives of a quarter of a year with flash of 150 cycles, so as much wear for each hour as in the five
years of ``tables.rst``.  Means of five seeds of the loads' pattern with the 95 % interval of the mean.  *fitted* and
*stated* are the constants of ``core/ready/recovery.h``; *fitted* were fitted to the paper's Table 9, so what
follows from them agrees with that table by construction.
"""

BESIDE = """\
*Mean*: mean response of horizon, ready_opt = 1.  *Tail*: how many times shorter 99.9 % of the worst week's
delays are than ready_opt's.  *Possible*: the same for the offline optimum, the one constant delay with
which the drive lasts.
"""
