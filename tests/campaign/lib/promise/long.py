# SPDX-License-Identifier: GPL-2.0
"""Part `long`: the scenarios of `matrix` for 200 windows, on a page of its own.

A scenario takes most of a minute of a processor, so all of them take a day.  With --count the first so many are on the
page, and with a greater one later it goes on from there: on another machine, too, since a row of the page says what
it is of (lib/promise/runs.py).
"""

from __future__ import annotations

import argparse

from lib import rst
from lib.promise import matrix
from lib.promise.runs import Runs

TITLE = "Drawn scenarios for 200 windows"
goals, draw = matrix.goals, matrix.draw


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    as_long = argparse.Namespace(**vars(options) | {"quick": False})
    nr = options.count or matrix.SCENARIOS
    return {"count": nr, "rows": matrix.rows_of(runs, matrix.chosen(runs, as_long, nr))}


def section(result: dict) -> str:
    return rst.page(
        f"The first {result['count']:,} of {matrix.SCENARIOS:,} scenarios, with {matrix.WINDOWS} windows of the longest promise "
        f"each, so {matrix.MOST_S:,} s where that is 10 s.\n" + matrix.interval_text(matrix.flat(result["rows"])),
        matrix.section(result))
