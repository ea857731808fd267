# SPDX-License-Identifier: GPL-2.0
"""Part `work`: could all clients together get more, if nobody got less?"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.promise import cases, matrix, neighbours, turns
from lib.promise.draw import WARM_UP_S, Scenario
from lib.promise.runs import Runs, neighbour_load, owner_load, rows_said, stream

TITLE = "Work: could all get more?"
SCENARIOS, QUICK_SCENARIOS = 200, 24
WINDOWS = 40
MOST_S, QUICK_MOST_S = 200, 50
# Of what each client got with its promise.
FACTORS = (1.0, 1.05, 1.1, 1.2, 1.35, 1.6, 2.0, 4.0)
# A limit's own granularity, and the drive's mood.
AS_MUCH_PCT = 97
LEAST_WORK_PCT = 90
WORST = 10
LEAST_IOPS = 1


def loads(scenario: Scenario) -> dict[str, tuple[str, str]]:
    """By stream: its load, and what it has besides a promise."""
    made = {f"a{at}": (owner_load(scenario, at), "") for at in range(len(scenario.owners))}
    for at, (load, more) in enumerate(scenario.beside()):
        made[f"b{at}"] = neighbour_load(load, at), more
    return made


def iops_there(requests: int, load: str, runtime_s: int) -> float:
    there_s = turns.of(load).there_s(WARM_UP_S, runtime_s)
    return requests / there_s if there_s else 0.0


def words(scenario: Scenario, runs: Runs, with_: dict[str, dict], factor: float) -> list[str]:
    """Nobody has a promise, each has a limit."""
    made = runs.drive_words(scenario.drive, scenario.runtime_s)
    for name, (load, more) in loads(scenario).items():
        iops = iops_there(with_[name]["requests"], load, scenario.runtime_s)
        made += stream(name, load, f"{more} max_iops={max(round(factor * iops), LEAST_IOPS)}".strip())
    return made


def nobody_has_less(got: dict[str, dict], with_: dict[str, dict]) -> bool:
    return all(100 * got[name]["requests"] >= AS_MUCH_PCT * one["requests"] for name, one in with_.items())


def row(scenario: Scenario, runs: Runs) -> dict:
    with_, without = runs.run(scenario), runs.run(scenario, ("--no-qos",))
    profile = runs.profile_of(scenario.drive)

    def work(streams: dict[str, dict], who: str = "") -> int:
        return sum(matrix.work_ns(one, profile) for name, one in streams.items() if name[0] in (who or name[0]) and name != neighbours.BURST_NAME)
    tried = [runs.streams(scenario.drive, words(scenario, runs, with_, factor)) for factor in FACTORS]
    best = max([work(got) for got in tried if nobody_has_less(got, with_)] + [work(with_)])
    return {"number": scenario.number, "name": scenario.name, "drive": scenario.drive.name,
            "neighbour": scenario.neighbour, "promises": matrix.promises(scenario, with_),
            "work_pct": round(100 * work(with_) / max(best, 1), 1),
            "without_pct": round(100 * work(with_) / max(work(without), 1), 1),
            "neighbours_pct": round(100 * work(with_, "b") / max(work(without, "b"), 1), 1)}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    count, most_s = cases.asked(options, QUICK_SCENARIOS, SCENARIOS), QUICK_MOST_S if options.quick else MOST_S
    some = matrix.beside_somebody(runs, options, count, WINDOWS, most_s)
    return {"rows": rows_said(runs, some, lambda one: row(one, runs), said)}


def mean(rows: list[dict], column: str) -> float:
    return statistics.fmean(one[column] for one in rows) if rows else 100.0


def said(rows: list[dict]) -> str:
    return f"{mean(rows, 'work_pct'):.0f} % of what could be had"


# ---- tables ----

TEXT = """\
A guarantee moves work from one client to another, so what all do without any is no measure of what is lost: then the
client with the most requests at a time has most of the drive.  Instead, the same scenario is run without promises and
with a static limit for each client: what it got beside the promises, times a factor that is the same for all.  Of
those factors with which *nobody gets less* than before (97 % of it), the one counts with which all together do most
work, as device time by the profile.  *Work* is what was done with promises, in percent of that.  Nobody could know
these limits beforehand.
"""
COLUMNS = ("work_pct", "without_pct", "neighbours_pct")


def group(title: str, rows: list[dict]) -> list[object]:
    return [title, len(rows), *(f"{mean(rows, column):.0f}" for column in COLUMNS),
            f"{min(one['work_pct'] for one in rows):.0f}"]


def groups(rows: list[dict]) -> list[list[object]]:
    keys = (lambda one: matrix.drive_and_state(one)[0], lambda one: one["neighbour"])
    return [group(title, some) for title, some in [("all", rows), *cases.grouped(rows, keys)] if some]


def section(result: dict) -> str:
    rows = result["rows"]
    low = sorted(rows, key=lambda one: one["work_pct"])[:WORST]
    return rst.page(
        TEXT,
        rst.table(["mean, %", "scenarios", "work", "all, of without promises", "neighbours, of without", "least work"],
                  groups(rows)),
        "The least:\n",
        rst.table(["scenario", "work %", "of without %"],
                  [[one["name"], f"{one['work_pct']:.0f}", f"{one['without_pct']:.0f}"] for one in low]))


def goals(result: dict) -> list[Row]:
    return [Bound("work of all, of the most that static limits give without anybody getting less",
                  mean(result["rows"], "work_pct"), least=LEAST_WORK_PCT, unit="%").row()]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
