# SPDX-License-Identifier: GPL-2.0
"""Part `price`: what admission grants at most, against what the best static limit of the neighbours gives."""

from __future__ import annotations

import argparse
import dataclasses
import random
import statistics
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.promise import cases, matrix, neighbours, static_limit
from lib.promise import draw as drawn
from lib.promise.draw import Scenario
from lib.promise.runs import Runs, rows_known
from ssdqos.qos import admission

TITLE = "The price: what can be promised at most"
CASES, QUICK_CASES = 400, 18
# A rate that is there in 99 % of windows is known from a thousand, ten of which are below it; and what neighbours may have
# is tried again once in as many windows as a promise may miss one of (core/qos/debt.c), so in 200 it is being learned.
WINDOWS, QUICK_WINDOWS = 1000, 20
MOST_S, QUICK_MOST_S = 1000, 40
# Of what the neighbour gets without a limit; 0 is nearly nothing.
FACTORS = (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 0.0)
QUICK_FACTORS = (1 / 4, 1 / 16, 0.0)
LEAST_PCT = 80
# A quotient by next to nothing says no more than this.
MOST_PCT = 999.0
WORST = 20


def case(seed: int, number: int, runs: Runs, windows: int, most_s: int) -> Scenario | None:
    """One owner, with the highest rate that is granted to it when nobody else has a promise."""
    dice = random.Random(f"promise price {seed} {number}")
    drive = dataclasses.replace(drawn.any_drive(dice), seed=drawn.drive_seed(seed, number))
    profile = runs.profile_of(drive)
    wanted = drawn.asked(dice, profile, share_pct=100)
    neighbour = dice.choice([kind for kind in neighbours.KINDS if kind != neighbours.ALONE])
    if not wanted:
        return None
    fit = admission.admit(profile, [], wanted.promise, drawn.SETTINGS).fit_iops
    owner = wanted.with_promise(min_iops=fit)
    owners = (owner,) if fit else ()
    return Scenario(number, drive, 100, owners, neighbour, drawn.runtime_s(owners, windows, most_s))


def pct(part: float, whole: float) -> float:
    return round(min(100 * part / whole, MOST_PCT), 1) if whole else MOST_PCT


def row(scenario: Scenario, runs: Runs, factors: tuple[float, ...]) -> dict:
    owner, = scenario.owners
    points, part, got = static_limit.search(scenario, runs, factors)
    admitted = owner.promise.min_iops
    equal, largest = static_limit.at(points, part), max(point.rate for point in points)
    return {"number": scenario.number, "drive": scenario.drive.name, "name": scenario.name, "depth": owner.depth,
            "admitted": admitted, "got": round(got, 1), "neighbour_part": round(part, 4),
            "points": [[point.factor, round(point.part, 4), round(point.rate, 1)] for point in points],
            "equal": round(equal, 1), "largest": round(largest, 1),
            "admitted_pct": pct(admitted, equal), "kept_pct": pct(min(admitted, got), equal),
            "largest_pct": pct(admitted, largest), "kept_largest_pct": pct(min(admitted, got), largest)}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    count = cases.asked(options, QUICK_CASES, CASES)
    windows, most_s, factors = (QUICK_WINDOWS, QUICK_MOST_S, QUICK_FACTORS) if options.quick else (WINDOWS, MOST_S, FACTORS)
    made = cases.chosen(range(count), lambda number: case(options.seed, number, runs, windows, most_s), options)
    rows = rows_known(runs, made, lambda one: row(one, runs, factors), said, [f"factors {factors}"])
    return {"windows": windows, "most_s": most_s, "rows": rows}


def said(rows: list[dict]) -> str:
    return f"{enough_pct(rows, 'admitted_pct'):.0f} % admit enough, {enough_pct(rows, 'kept_pct'):.0f} % also keep it"


# ---- tables ----

COLUMNS = ("admitted_pct", "kept_pct", "largest_pct", "kept_largest_pct")


def enough_pct(rows: list[dict], column: str) -> float:
    return 100 * sum(one[column] >= LEAST_PCT for one in rows) / len(rows) if rows else 100.0


def middle(rows: list[dict], column: str) -> float:
    return statistics.median(one[column] for one in rows)


def group(title: str, rows: list[dict]) -> list[object]:
    return [title, len(rows), *(f"{middle(rows, column):.0f}" for column in COLUMNS),
            *(f"{enough_pct(rows, column):.0f}" for column in ("admitted_pct", "kept_pct"))]


def groups(rows: list[dict]) -> list[list[object]]:
    keys = (lambda one: matrix.drive_and_state(one)[0], lambda one: drawn.depth_group(one["depth"]))
    return [group(title, some) for title, some in [("all", rows), *cases.grouped(rows, keys)] if some]


def lowest(rows: list[dict]) -> list[list[object]]:
    under = sorted((one for one in rows if one["kept_pct"] < LEAST_PCT), key=lambda one: one["kept_pct"])
    return [[one["name"], *(f"{one[key]:,.0f}" for key in ("admitted", "got", "equal", "largest")),
             f"{100 * one['neighbour_part']:.0f}", f"{one['kept_pct']:.0f}"] for one in under[:WORST]]


def low_text(low: list[list[object]]) -> str:
    if not low:
        return ""
    return rst.page(
        "The lowest; rates are requests a second, the last but one column what is left to the neighbour, % of what\n"
        "it gets unlimited:\n",
        rst.table(["case", "admitted", "got", "equal", "largest", "neighbour %", "kept %"], low))


TEXT = """\
Who promises little keeps it easily.  So for one client, drawn as above, the highest rate that admission grants it
(*admitted*) stands against what the same client *holds* without a promise, when each neighbour has a static limit:
the rate that it gets in the part of its windows that its confidence says.  The limit is searched from what the
neighbour gets unlimited down to one request a second.

With one request a second for the neighbours, a client gets what it gets alone; a promise instead leaves to them all
that the client doesn't need.  So the fair reference is the limit at which the neighbours get as much as they get
beside the promise, or a wider limit if the client holds more with that (*equal*); that limit is tried, and between
two that were tried a line is drawn.  The best of all limits stands beside it (*largest*), whatever the neighbours
get.

What was admitted but isn't kept is no bargain: *kept* is the admitted rate, or what the client really got in the part
of its windows that its confidence says if that is less.  Without a promise and a limit, streams share by weight as
``ssdqos`` does it, which is better for the client than no scheduler at all.
"""


def section(result: dict) -> str:
    return rst.page(
        TEXT,
        rst.table(["middle case, %", "cases", "admitted/equal", "kept/equal", "admitted/largest", "kept/largest",
                   f"admit {LEAST_PCT} %", f"keep {LEAST_PCT} %"], groups(result["rows"])),
        f"The last columns: part of the cases with at least {LEAST_PCT} % of the equal limit.\n"
        f"{len(result['rows'])} cases, each run {cases.length_text(result)}.\n",
        low_text(lowest(result["rows"])))


def goals(result: dict) -> list[Row]:
    rows = result["rows"]
    at_least = f"at least {LEAST_PCT} % of the best static limit with the same for the neighbours"
    return [Bound(f"cases that admit {at_least}", enough_pct(rows, "admitted_pct"), least=100, unit="%").row(),
            Bound("cases that also keep that much", enough_pct(rows, "kept_pct"), least=100, unit="%").row()]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
