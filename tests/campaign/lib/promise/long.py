# SPDX-License-Identifier: GPL-2.0
"""Part `long`: the first scenarios of `matrix` for 200 windows, also where the others are shorter."""

from __future__ import annotations

import argparse
from pathlib import Path

from lib import rst
from lib.claim import Row
from lib.promise import matrix
from lib.promise.runs import Runs

TITLE = "Drawn scenarios for 200 windows"
SCENARIOS = 60


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    as_long = argparse.Namespace(**vars(options) | {"quick": False})
    return {"rows": matrix.rows_of(runs, matrix.chosen(runs, as_long, SCENARIOS))}


def section(result: dict) -> str:
    return rst.page(
        f"The first {SCENARIOS} scenarios with {matrix.WINDOWS} windows of the longest promise each, so {matrix.MOST_S} s "
        "where that is 10 s.\n",
        rst.table(matrix.HEAD, [matrix.group("all", matrix.flat(result["rows"]))]),
        rst.table(matrix.WORST_HEAD, matrix.worst(result["rows"])))


def goals(result: dict) -> list[Row]:
    held = matrix.held_pct(matrix.flat(result["rows"]))
    return [matrix.held_bound(f"promises that hold, {matrix.WINDOWS} windows each", held).row()]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
