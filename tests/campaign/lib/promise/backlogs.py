# SPDX-License-Identifier: GPL-2.0
"""Part `backlogs`: an owner that pauses, beside somebody who writes a lot at once each few seconds; a page of its own.

That is the worst of `pauses`: what waits goes as soon as the owner is away, and the drive has yet to collect for it when the
owner is back.  Each scenario runs with the rule that looks at that (``away.c``), and without it.
"""

from __future__ import annotations

import argparse
import dataclasses
import random

from lib import rst
from lib.promise import cases, drives, matrix, pauses, with_without
from lib.promise import draw as drawn
from lib.promise.drives import Drive
from lib.promise.draw import MS_PER_S, Owner, Scenario
from lib.promise.runs import Runs, rows_known
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.promise import Promise
from ssdqos.qos.request import RequestClass

TITLE = "Owners that pause beside backlogs"
SCENARIOS, QUICK_SCENARIOS = 200, 16
WINDOWS, MOST_S = 200, 1000
SHARES_PCT, WINDOWS_MS, CONFIDENCES, DEPTHS = (20, 50, 80, 90), (500, 1000, 3000), (900, 950, 990), (4, 32)
THERE_S, AWAY_S = (1, 3, 7), (1, 2, 4, 9)
SIZES, REQUESTS, EVERY_S = (4096, 12288, 65536, 262144), (512, 2048, 8000), (6, 13, 30)
goals, draw = with_without.goals, matrix.draw
CASES = with_without.cases("drive_away=off")


def owner(dice: random.Random, profile: Profile, share_pct: int) -> Owner | None:
    """None where the profile promises nothing to this class in this window."""
    depth, there_s = dice.choice(DEPTHS), dice.choice(THERE_S)
    promise = Promise(RequestClass("read", "rand"), drawn.SIZES[0], 1, window_ms=dice.choice(WINDOWS_MS),
                      confidence_permille=dice.choice(CONFIDENCES), iodepth=depth)
    every_s = there_s + dice.choice(AWAY_S)
    made = drawn.with_share(profile, promise, share_pct)
    return dataclasses.replace(made, on_ms=there_s * MS_PER_S, every_ms=every_s * MS_PER_S) if made else None


def scenario(seed: int, number: int, runs: Runs) -> Scenario:
    dice = random.Random(f"promise backlogs {seed} {number}")
    drive = Drive(dice.choice(drives.PRESETS), dice.choice(drives.SCHEDULERS), seed=dice.randrange(*drawn.DRIVE_SEEDS))
    share, profile = dice.choice(SHARES_PCT), runs.profile_of(drive)
    wanted = owner(dice, profile, share)
    owners = drawn.accepted(profile, [wanted]) if wanted else ()
    made = Scenario(number, drive, share, owners, "", pauses.runtime_s(owners, WINDOWS, MOST_S))
    backlog = pauses.all_at_once(dice.choice(SIZES), dice.choice(REQUESTS), dice.choice(EVERY_S))
    return made.with_streams((backlog,), "at once")


def row(one: Scenario, runs: Runs) -> dict:
    return {"number": one.number, "name": one.name, "streams": one.beside_words, "there_away_ms": pauses.there_away_ms(one),
            "cases": with_without.made(one, runs, CASES)}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    nr = cases.asked(options, QUICK_SCENARIOS, SCENARIOS)
    chosen = cases.chosen(range(nr), lambda number: scenario(options.seed, number, runs), options)
    return {"count": nr, "rows": rows_known(runs, chosen, lambda one: row(one, runs), with_without.said, [f"{CASES}"])}


def section(result: dict) -> str:
    rows = result["rows"]
    uncounted = sum(not one["promises"] for one in with_without.rows_of(rows))
    return rst.page(
        f"Of {result['count']:,} draws {len(rows):,} have an owner: random reads of 4 KiB on a full drive, there for {THERE_S[0]} to {THERE_S[-1]} s and then\n"
        f"away for {AWAY_S[0]} to {AWAY_S[-1]} s.  Somebody else makes {REQUESTS[0]:,} to {REQUESTS[-1]:,} random writes at once each {EVERY_S[0]} to {EVERY_S[-1]} s (``backlogs.py``).\n"
        f"A run has {WINDOWS} windows in which the owner is there, or {MOST_S:,} s if that is less; in\n"
        f"{uncounted} of them it is never there for a whole one, so none can be missed.\n",
        with_without.tables(rows))
