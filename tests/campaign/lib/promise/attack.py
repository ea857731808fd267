# SPDX-License-Identifier: GPL-2.0
"""Part `attack`: who wants to break promises looks for neighbours that do; a page of its own.

For each scenario, the worst of some drawn neighbours is changed again and again, a stream drawn anew, one more or one
less, and what harms more is kept.  Few promises are broken by that, so harm is first by how much the worst falls below its
confidence, then how many windows are missed, and then how little the worst windows of all have.  Runs are short for that, and the worst of many short runs is
partly chance.  So what was found is judged by another run: 200 windows, on a drive of another age.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import random

from lib import rst
from lib.promise import any_neighbours, cases, matrix, strangers
from lib.promise import draw as drawn
from lib.promise.draw import Scenario
from lib.promise.neighbours import Stream
from lib.promise.runs import Runs, rows_known

TITLE = "Neighbours that were searched for"
SCENARIOS, QUICK_SCENARIOS = 60, 6
# Drawn at first, and changes of the worst of them.
DRAWS, CHANGES = 8, 16
FOUND = "found"
MOST_STREAMS = max(any_neighbours.STREAMS)
goals, draw = matrix.goals, matrix.draw

Streams = tuple[Stream, ...]
Harm = tuple[float, float, float]


def changed(dice: random.Random, streams: Streams) -> Streams:
    """One stream is another one, or there is one more, or one less."""
    made, at = list(streams), dice.randrange(len(streams))
    what = dice.choice(("another", "more", "less"))
    if what == "less" and len(made) > 1:
        del made[at]
    elif what == "more" and len(made) < MOST_STREAMS:
        made.append(any_neighbours.stream(dice))
    else:
        made[at] = any_neighbours.stream(dice)
    return tuple(made)


def harm(promises: list[dict]) -> Harm:
    points = max((matrix.points_below(one) for one in promises), default=0.0)
    return points, sum(100 - one["met_pct"] for one in promises), -sum(min(one["least_pct"], 100) for one in promises)


def search(one: Scenario, runs: Runs, dice: random.Random) -> tuple[Streams, Harm]:
    def tried(streams: Streams) -> tuple[Harm, Streams]:
        found = one.with_streams(streams, FOUND)
        return harm(matrix.promises(found, runs.run(found))), streams

    most, worst = max(tried(any_neighbours.streams(dice)) for _ in range(DRAWS))
    for _ in range(CHANGES):
        most, worst = max((most, worst), tried(changed(dice, worst)))
    return worst, most


def judged(one: Scenario, streams: Streams, seed: int) -> Scenario:
    """For long, and on a drive that was not searched with."""
    drive = dataclasses.replace(one.drive, seed=drawn.drive_seed(seed + 1, one.number))
    runtime_s = drawn.runtime_s(one.owners, matrix.WINDOWS, matrix.MOST_S)
    return dataclasses.replace(one, drive=drive, runtime_s=runtime_s).with_streams(streams, FOUND)


def row(one: Scenario, runs: Runs, seed: int) -> dict:
    streams, (points, missed, _) = search(one, runs, random.Random(f"promise attack {seed} {one.number}"))
    return strangers.row(judged(one, streams, seed), runs) | {"found_points": round(max(points, 0), 2),
                                                              "found_missed_pct": round(missed, 2)}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    nr = cases.asked(options, QUICK_SCENARIOS, SCENARIOS)
    chosen = cases.chosen(range(nr), lambda number: strangers.scenario(options.seed, number, runs, matrix.QUICK_WINDOWS,
                                                                       matrix.QUICK_MOST_S), options)
    search_of = [f"seed {options.seed}, {DRAWS} draws, {CHANGES} changes", *map(inspect.getsource, (changed, harm, search, judged))]
    return {"count": nr, "rows": rows_known(runs, chosen, lambda one: row(one, runs, options.seed), matrix.said, search_of)}


def found_table(rows: list[dict]) -> str:
    """What the search thought of it, and what came of it."""
    return rst.table(["scenario", "points below, found", "missed %, found", "points below, judged", "missed %, judged"],
                     [[one["name"], f"{one['found_points']:.1f}", f"{one['found_missed_pct']:.1f}",
                       f"{max(0.0, *map(matrix.points_below, one['promises'])):.1f}",
                       f"{sum(100 - promise['met_pct'] for promise in one['promises']):.1f}"] for one in rows if one["promises"]])


def section(result: dict) -> str:
    return rst.page(
        f"For the drives and promises of the first {result['count']:,} scenarios, the worst of {DRAWS} drawn sets of neighbours was\n"
        f"changed {CHANGES} times, and what harmed more was kept (``attack.py``), in runs of {matrix.QUICK_MOST_S} s.  What was found so was\n"
        f"judged by {matrix.WINDOWS} windows on a drive of another age.  What is missed is the sum over the owners.\n",
        found_table(result["rows"]), matrix.interval_text(matrix.flat(result["rows"])),
        matrix.section(result), strangers.broken(result))
