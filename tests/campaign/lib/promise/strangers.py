# SPDX-License-Identifier: GPL-2.0
"""Part `strangers`: the drives and promises of `long` beside neighbours that are drawn stream by stream; a page of its own.

Half of the owners read or write in order, which no other part's do.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from lib import rst
from lib.promise import any_neighbours, cases, matrix
from lib.promise import draw as drawn
from lib.promise.draw import Scenario
from lib.promise.runs import Runs, rows_known

TITLE = "Drawn neighbours"
SCENARIOS, QUICK_SCENARIOS = 1000, 60
goals, draw = matrix.goals, matrix.draw


def scenario(seed: int, number: int, runs: Runs, windows: int, most_s: int) -> Scenario:
    one = drawn.scenario(seed, number, runs.profile_of, windows, most_s, some_in_order=True)
    return one.with_streams(any_neighbours.drawn(seed, number), "drawn")


def row(one: Scenario, runs: Runs) -> dict:
    return matrix.row(one, runs) | {"streams": one.beside_words}


def measured(runs: Runs, options: argparse.Namespace, nr: int, make: Callable[[int, int, Runs, int, int], Scenario],
             row_of: Callable[[Scenario, Runs], dict]) -> dict:
    """The first so many of a part whose runs have the lengths of `matrix`."""
    windows, most_s = matrix.lengths(options)
    chosen = cases.chosen(range(nr), lambda number: make(options.seed, number, runs, windows, most_s), options)
    return {"count": nr, "windows": windows, "most_s": most_s,
            "rows": rows_known(runs, chosen, lambda one: row_of(one, runs), matrix.said)}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    return measured(runs, options, cases.asked(options, QUICK_SCENARIOS, SCENARIOS), scenario, row)


def broken(result: dict) -> str:
    """What those were beside whom a promise did not hold."""
    of = [one for one in result["rows"] if not all(promise["held"] for promise in one["promises"])]
    if not of:
        return ""
    return rst.page("Beside these a promise did not hold:\n",
                    *(rst.command(f"{one['number']}:", *(f"  {stream}" for stream in one["streams"])) for one in of))


def section(result: dict) -> str:
    return rst.page(
        f"The drives and promises of the first {result['count']:,} scenarios, {cases.length_text(result)}, beside\n"
        "one to eight streams of which each has its own kind, size, depth or rate, place, times, weight and part of urgent\n"
        "requests, all drawn (``any_neighbours.py``).  Half of those with a promise read or write in order.\n" + matrix.interval_text(matrix.flat(result["rows"])),
        matrix.section(result), broken(result))
