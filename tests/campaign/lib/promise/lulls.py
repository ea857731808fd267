# SPDX-License-Identifier: GPL-2.0
"""Part `lulls`: neighbours that do nothing until owners have what they want, and then all at once; a page of its own.

What an owner's windows can make up for is learned from those before (``catch_up.c``): half of what others leave it in a lull
is counted on when the lull ends.  So lulls take up to 96 of the longest windows, and what comes then lasts for
a part of one, or some.  Each scenario runs with that rule, and without it.
"""

from __future__ import annotations

import argparse
import random

from lib import rst
from lib.promise import any_neighbours, cases, matrix, neighbours, with_without
from lib.promise import draw as drawn
from lib.promise.any_neighbours import magnitude
from lib.promise.draw import Owner, Scenario
from lib.promise.neighbours import Stream
from lib.promise.runs import Runs, rows_known

TITLE = "Neighbours that behave, and then do not"
SCENARIOS, QUICK_SCENARIOS = 300, 60
# Of the longest window of an owner, in hundredths: so long they are there, and so long not.
ON_PCT, OFF_PCT = (20, 400), (400, 9600)
SIZES, DEPTHS, STREAMS = (4096, 12288, 65536, 262144), (8, 4096), (1, 1, 2, 4)
STRICT_PCT = 99
goals, draw = with_without.goals, matrix.draw
CASES = with_without.cases("drive_catch_up=off")


def times(dice: random.Random, owners: tuple[Owner, ...]) -> list[str]:
    """The same for all of them, so that all begin at once."""
    longest_ms = max((owner.promise.window_ms for owner in owners), default=1000)
    on_ms, off_ms = (longest_ms * magnitude(dice, *range_) // 100 for range_ in (ON_PCT, OFF_PCT))
    return [f"start={off_ms}ms", f"runtime={on_ms}ms", f"every={on_ms + off_ms}ms"]


def writer(dice: random.Random, when: list[str]) -> Stream:
    return " ".join([f"randwrite bs={dice.choice(SIZES)} iodepth={magnitude(dice, *DEPTHS)}", *when]), ""


def of_a_kind(dice: random.Random, when: list[str]) -> tuple[Stream, ...]:
    kind = dice.choice([name for name in neighbours.lasting() if name != neighbours.ALONE])
    return tuple((" ".join([load, *when]), more) for load, more in neighbours.KINDS[kind])


def beside(dice: random.Random, when: list[str]) -> tuple[Stream, ...]:
    """Of a kind, or drawn stream by stream, or random writes with many requests at a time."""
    how = dice.randrange(3)
    if how == 0:
        return of_a_kind(dice, when)
    make = any_neighbours.stream if how == 1 else writer
    return tuple(make(dice, when) for _ in range(dice.choice(STREAMS)))


def scenario(seed: int, number: int, runs: Runs) -> Scenario:
    dice = random.Random(f"promise lulls {seed} {number}")
    one = drawn.scenario(seed, number, runs.profile_of, matrix.WINDOWS, matrix.MOST_S)
    return one.with_streams(beside(dice, times(dice, one.owners)), "after lulls")


def row(one: Scenario, runs: Runs) -> dict:
    return {"number": one.number, "name": one.name, "streams": one.beside_words,
            "cases": with_without.made(one, runs, CASES)}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    nr = cases.asked(options, QUICK_SCENARIOS, SCENARIOS)
    chosen = cases.chosen(range(nr), lambda number: scenario(options.seed, number, runs), options)
    return {"count": nr, "rows": rows_known(runs, chosen, lambda one: row(one, runs), with_without.said, [f"{CASES}"])}


def strict_text(of: list[dict]) -> str:
    strict = [promise for promise in of if promise["confidence_pct"] >= STRICT_PCT]
    return (f"Many of 90 and 95 % may miss each window into which such neighbours come, as they come seldom; of the {len(strict)} promises\n"
            f"of {STRICT_PCT} % {matrix.held(strict)} hold.\n")


def section(result: dict) -> str:
    least, most = (pct / 100 for pct in OFF_PCT)
    return rst.page(
        f"The drives and promises of the first {result['count']:,} scenarios, for {matrix.WINDOWS} of the longest windows, or {matrix.MOST_S:,} s if that is less.\n"
        f"Beside them nobody is there for {least:g} to {most:g} of the longest windows, and then all neighbours at once,\n"
        f"for {ON_PCT[0] / 100:g} to {ON_PCT[1] / 100:g} of them, again and again (``lulls.py``).  Of three scenarios one has neighbours of a kind, one some that are\n"
        f"drawn stream by stream, and one some that write at random, {DEPTHS[0]} to {DEPTHS[1]:,} requests at a time.\n",
        with_without.tables(result["rows"]),
        strict_text(matrix.flat(with_without.rows_of(result["rows"]))))
