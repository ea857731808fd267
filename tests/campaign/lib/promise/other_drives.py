# SPDX-License-Identifier: GPL-2.0
"""Part `drives`: the scenarios of `long`, on drives that are drawn as well; a page of its own."""

from __future__ import annotations

import argparse
import functools

from lib import rst
from lib.promise import any_drives, cases, matrix
from lib.promise import draw as drawn
from lib.promise.any_drives import DRIVES, Possible
from lib.promise.draw import Scenario
from lib.promise.drives import Drive
from lib.promise.runs import Runs

TITLE = "Drawn scenarios on drawn drives, for 200 windows"
SCENARIOS, QUICK_SCENARIOS = 600, 60
goals, draw = matrix.goals, matrix.draw


def scenario(number: int, runs: Runs, seed: int, possible: Possible) -> Scenario:
    def instead(drive: Drive) -> Drive:
        return any_drives.instead(drive, seed, number % DRIVES, possible)

    return drawn.scenario(seed, number, runs.profile_of, matrix.WINDOWS, matrix.MOST_S, instead)


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    nr = cases.asked(options, QUICK_SCENARIOS, SCENARIOS)
    possible = functools.cache(functools.partial(any_drives.is_possible, runs.simulator))
    chosen = cases.chosen(range(nr), lambda number: scenario(number, runs, options.seed, possible), options)
    settings = {f"drawn-{options.seed}-{at}": any_drives.settings(options.seed, at, possible)
                for at in range(min(nr, DRIVES))}
    return {"count": nr, "settings": settings, "rows": matrix.rows_of(runs, chosen)}


def section(result: dict) -> str:
    nobodys = result["count"] - len(result["rows"])
    return rst.page(
        f"The clients, neighbours and promises of {result['count']:,} scenarios, {matrix.WINDOWS} windows of the longest promise "
        f"each, on {len(result['settings'])} drives that were\ndrawn with the seed (``any_drives.py``; `drives.json "
        f"<drives.json>`_ has their parameters).  In {nobodys} of them\nthe drive can promise nobody what "
        f"he asks for, or admission nothing at all.\n" + matrix.interval_text(matrix.flat(result["rows"])),
        matrix.section(result))
