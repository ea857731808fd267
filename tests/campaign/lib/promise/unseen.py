# SPDX-License-Identifier: GPL-2.0
"""Part `unseen`: the scenarios of `matrix`, on drives that were not looked at while building.

Sums are all that is kept: a scenario that can be looked up is one for which somebody tunes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lib import rst
from lib.claim import Row
from lib.promise import cases, matrix, unseen_drives
from lib.promise.runs import Runs

TITLE = "Drives that were not looked at"
SCENARIOS, QUICK_SCENARIOS = 1000, 60


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    count = cases.asked(options, QUICK_SCENARIOS, SCENARIOS)
    rows = matrix.rows_of(runs, matrix.chosen(runs, options, count, unseen_drives.instead))
    models = sorted({one["drive"].split(",")[0] for one in rows})
    table = [matrix.group("all", matrix.flat(rows))]
    table += [matrix.group(model, matrix.flat(one for one in rows if one["drive"].startswith(model)))
              for model in models]
    windows, most_s = matrix.lengths(options)
    return {"scenarios": len(rows), "windows": windows, "most_s": most_s, "table": table,
            "held_pct": matrix.held_pct(matrix.flat(rows))}


def section(result: dict) -> str:
    return rst.page(
        "The same numbers, clients and neighbours as above on two drives of another geometry, with other times of the\n"
        "controller, one without a write buffer and one with a small one (``unseen_drives.py``).  Their profiles are\n"
        "made as the others'.  What single scenarios do there isn't kept, so that nobody tunes for them.\n"
        f"{result['scenarios']} scenarios, {cases.length_text(result)}.\n",
        rst.table(matrix.HEAD, result["table"]))


def goals(result: dict) -> list[Row]:
    return [matrix.held_bound("promises that hold on drives not looked at", result["held_pct"]).row()]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
