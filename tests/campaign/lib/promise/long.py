# SPDX-License-Identifier: GPL-2.0
"""Part `long`: the scenarios of `matrix` for 200 windows, on a page of its own.

A scenario takes most of a minute of a processor, so all of them take a day.  Runs are kept: with --count the first
so many are on the page, and with a greater one later it goes on from there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lib import rst
from lib.claim import Row
from lib.promise import matrix
from lib.promise.runs import Runs

TITLE = "Drawn scenarios for 200 windows"
Z_95 = 1.96


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    as_long = argparse.Namespace(**vars(options) | {"quick": False})
    nr = options.count or matrix.SCENARIOS
    return {"count": nr, "rows": matrix.rows_of(runs, matrix.chosen(runs, as_long, nr))}


def interval_pct(hold: int, of: int) -> tuple[float, float]:
    """95 % interval of a part (Wilson's score interval)."""
    part, z2 = hold / of, Z_95 ** 2
    middle = (part + z2 / (2 * of)) / (1 + z2 / of)
    half = Z_95 / (1 + z2 / of) * (part * (1 - part) / of + z2 / (4 * of ** 2)) ** 0.5
    return 100 * (middle - half), 100 * (middle + half)


def section(result: dict) -> str:
    rows = result["rows"]
    of = matrix.flat(rows)
    low, high = interval_pct(matrix.held(of), len(of)) if of else (0.0, 100.0)
    return rst.page(
        f"The first {result['count']:,} of {matrix.SCENARIOS:,} scenarios, with {matrix.WINDOWS} windows of the longest promise "
        f"each, so {matrix.MOST_S:,} s where that is 10 s.\nOf {len(of):,} promises {matrix.held(of):,} hold; as they are drawn, "
        f"the part of all that hold is between {low:.1f} and {high:.1f} % (95 % interval).\n",
        matrix.section(result))


def goals(result: dict) -> list[Row]:
    return matrix.goals(result)


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
