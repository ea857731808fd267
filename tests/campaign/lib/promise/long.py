# SPDX-License-Identifier: GPL-2.0
"""Part `long`: the scenarios of `matrix` for 200 windows, on a page of its own.

A scenario takes most of a minute of a processor, so all of them take a day.  Runs are kept: with --count the first
so many are on the page, and with a greater one later it goes on from there: on another machine, too, since a row of
the page says what it is of, and is taken as it is where the same program would run the same scenario.
"""

from __future__ import annotations

import argparse

from lib import rst
from lib.promise import matrix
from lib.promise.runs import Runs, rows_said

TITLE = "Drawn scenarios for 200 windows"
goals, draw = matrix.goals, matrix.draw


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    as_long = argparse.Namespace(**vars(options) | {"quick": False})
    nr = options.count or matrix.SCENARIOS
    rows = rows_said(runs, matrix.chosen(runs, as_long, nr), lambda one: runs.row(one, lambda of: matrix.row(of, runs)), matrix.said)
    return {"count": nr, "rows": rows}


def section(result: dict) -> str:
    return rst.page(
        f"The first {result['count']:,} of {matrix.SCENARIOS:,} scenarios, with {matrix.WINDOWS} windows of the longest promise "
        f"each, so {matrix.MOST_S:,} s where that is 10 s.\n" + matrix.interval_text(matrix.flat(result["rows"])),
        matrix.section(result))
