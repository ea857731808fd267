# SPDX-License-Identifier: GPL-2.0
"""Part `asking`: owners that send requests at a rate of their own, less than they were promised; a page of its own.

In all other parts an owner asks for as much as it gets.  Most clients don't: who was promised 10,000 reads a second for
its worst hour sends 5,000 in most others.  It should get these, and neighbours the rest.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.promise import cases, matrix
from lib.promise.draw import WARM_UP_S, Owner, Scenario
from lib.promise.runs import Runs, rows_known

TITLE = "Owners that ask for less"
SCENARIOS, QUICK_SCENARIOS = 300, 60
# Of the promise; who asks for more than all of it is what the others are compared with.
LESS_PCT = (20, 50, 80, 95)
MORE_PCT = 120
UNSAID_PCT = 50
AS_MUCH_PCT = 95
GOT_PCT = 98
LEAST_PCT = 99
WORST = 20
# Owners that ask for more than all of it for ten seconds of each 40 find what was done in the other 30.
THEN_PCT, THEN_ON_MS, THEN_EVERY_MS, THEN_S = 20, 10_000, 40_000, 240
# Neighbours that only trim, or do next to nothing, have nothing that could be left to them.
LEAST_MB_S = 0.1
NO_QOS = ("--no-qos",)


def at_rate(owner: Owner, pct: int, says_depth: bool) -> Owner:
    rate = max(owner.promise.min_iops * pct // 100, 1)
    promise = owner.promise if says_depth else dataclasses.replace(owner.promise, iodepth=0)
    return dataclasses.replace(owner, rate_iops=rate, promise=promise)


def asking(one: Scenario, pct: int, says_depth: bool = True) -> Scenario:
    return dataclasses.replace(one, owners=tuple(at_rate(owner, pct, says_depth) for owner in one.owners))


def now_and_then(one: Scenario) -> Scenario:
    """Its owners ask for more than all of their promise for some seconds, and then for little."""
    return dataclasses.replace(one, runtime_s=WARM_UP_S + THEN_S, owners=tuple(
        dataclasses.replace(at_rate(owner, MORE_PCT, True), on_ms=THEN_ON_MS, every_ms=THEN_EVERY_MS,
                            rest_iops=max(owner.promise.min_iops * THEN_PCT // 100, 1)) for owner in one.owners))


def got_pct(one: Scenario, streams: dict[str, dict]) -> list[float]:
    """Of what each owner asked for, what it got."""
    seconds = one.runtime_s - WARM_UP_S
    return [round(100 * streams[f"a{at}"]["iops"] / owner.rate_iops, 1) if owner.rate_iops * seconds > 1 else 100.0
            for at, owner in enumerate(one.owners)]


def case(one: Scenario, runs: Runs, pct: int, says_depth: bool = True) -> dict:
    """With `without_mb_s`: neighbours' rate where nobody has a promise."""
    some = asking(one, pct, says_depth)
    streams = runs.run(some)
    return {"asks_pct": pct, "says_depth": says_depth, "neighbours_mb_s": round(matrix.neighbours_mb_s(streams), 3),
            "without_mb_s": round(matrix.neighbours_mb_s(runs.run(some, NO_QOS)), 3), "got_pct": got_pct(some, streams),
            "missed": sum(streams[f"a{at}"]["windows_missed"] for at in range(len(some.owners)))}


def case_then(one: Scenario, runs: Runs) -> dict:
    some = now_and_then(one)
    streams = runs.run(some)
    return {"neighbours_mb_s": round(matrix.neighbours_mb_s(streams), 3),
            "without_mb_s": round(matrix.neighbours_mb_s(runs.run(some, NO_QOS)), 3), "promises": matrix.promises(some, streams)}


def row(one: Scenario, runs: Runs) -> dict:
    return {"number": one.number, "name": one.name, "drive": one.drive.name, "neighbour": one.neighbour,
            "cases": [case(one, runs, pct) for pct in (*LESS_PCT, MORE_PCT)] + [case(one, runs, UNSAID_PCT, False)],
            "then": case_then(one, runs)}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    count = cases.asked(options, QUICK_SCENARIOS, SCENARIOS)
    windows, most_s = matrix.QUICK_WINDOWS, matrix.QUICK_MOST_S
    some = matrix.beside_somebody(runs, options, count, windows, most_s)
    return {"count": count, "windows": windows, "most_s": most_s,
            "rows": rows_known(runs, some, lambda one: row(one, runs), said, (str((LESS_PCT, MORE_PCT, UNSAID_PCT, THEN_PCT, THEN_ON_MS, THEN_EVERY_MS, THEN_S)),))}


# ---- what came of it ----

def told(rows: list[dict]) -> list[dict]:
    return [row_ for row_ in rows if row_["cases"][0]["without_mb_s"] >= LEAST_MB_S]


def of_case(rows: list[dict], pct: int, says_depth: bool = True) -> list[dict]:
    return [one for row in rows for one in row["cases"] if (one["asks_pct"], one["says_depth"]) == (pct, says_depth)]


def as_much(rows: list[dict], pct: int, says_depth: bool = True) -> int:
    """In how many scenarios neighbours have what they have beside owners that ask for more than was promised."""
    return sum(100 * less["neighbours_mb_s"] >= AS_MUCH_PCT * more["neighbours_mb_s"]
               for less, more in zip(of_case(rows, pct, says_depth), of_case(rows, MORE_PCT)))


def of_without_pct(some: list[dict]) -> list[float]:
    return [100 * one["neighbours_mb_s"] / one["without_mb_s"] for one in some]


def owners(rows: list[dict], pct: int, says_depth: bool = True) -> list[float]:
    return [got for one in of_case(rows, pct, says_depth) for got in one["got_pct"]]


def said(rows: list[dict]) -> str:
    return f"beside owners that ask for {UNSAID_PCT} % neighbours have as much in {as_much(rows, UNSAID_PCT)}"


# ---- tables ----

TEXT = """\
Each owner sends requests at a rate of its own, so many percent of its promise, up to its depth at a time.  Neighbours' work is
in bytes: in how many scenarios it is at least {as_much} % of what they do beside the same owners when these ask for
{more} %, and, in the middle, how much that is of what they do where nobody has a promise and owners send the same.  An owner *gets
what it asks for* if {got} % of that is done.  The last line is of owners that did not say how many requests they have at
a time (``iodepth``).  Scenarios are those of `matrix <matrix.rst>`_; of their first {count} {some} have neighbours that do at least {least} MB a second.
"""
THEN_TEXT = """\
Who asks for little may ask for all again.  Owners ask for {more} % of their promise for {on_s} s of each {every_s}, and for {then} % in the rest,
for {run_s} s: all windows in which they asked for all count.
"""
THEN_HEAD = ["scenarios", "promises", "hold", "windows", "missed", "neighbours MB/s", "of without %"]
HEAD = ["owners ask for", "scenarios", "as much", "of without %", "owners", "get it", "windows missed"]
LOW_HEAD = ["scenario", "asks", "MB/s", f"at {MORE_PCT} %", "without promises"]


def line(rows: list[dict], pct: int, says_depth: bool = True) -> list[object]:
    some, got = of_case(rows, pct, says_depth), owners(rows, pct, says_depth)
    part = of_without_pct(some)
    return [f"{pct} %" + ("" if says_depth else ", unsaid"), len(some), as_much(rows, pct, says_depth),
            f"{statistics.median(part):.0f}" if part else "-", len(got), sum(one >= GOT_PCT for one in got),
            sum(one["missed"] for one in some)]


def low(rows: list[dict]) -> list[list[object]]:
    """Where neighbours have least of what they have when more is asked for."""
    made = []
    for row_ in rows:
        by = {one["asks_pct"]: one for one in row_["cases"] if one["says_depth"]}
        for pct in LESS_PCT:
            part = by[pct]["neighbours_mb_s"] / (by[MORE_PCT]["neighbours_mb_s"] or 1)
            if 100 * part < AS_MUCH_PCT:
                made.append((part, [row_["name"], f"{pct} %", *(f"{mb_s:.1f}" for mb_s in (
                    by[pct]["neighbours_mb_s"], by[MORE_PCT]["neighbours_mb_s"], by[pct]["without_mb_s"]))]))
    return [cells for _, cells in sorted(made, key=lambda one: one[0])[:WORST]]


def promises_then(rows: list[dict]) -> list[dict]:
    return [one for row_ in rows for one in row_["then"]["promises"]]


def lines_then(rows: list[dict]) -> list[list[object]]:
    made, then = promises_then(rows), [row_["then"] for row_ in rows]
    held, counted = matrix.held(made), sum(one["met"] + one["missed"] for one in made)
    part = of_without_pct([one for one in then if one["without_mb_s"]])
    return [[len(then), len(made), held, counted, sum(one["missed"] for one in made),
             f"{sum(one['neighbours_mb_s'] for one in then):.0f}", f"{statistics.median(part):.0f}" if part else "-"]]


def section(result: dict) -> str:
    rows = told(result["rows"])
    lines = [line(rows, pct) for pct in (*LESS_PCT, MORE_PCT)] + [line(rows, UNSAID_PCT, False)]
    return rst.page(TEXT.format(as_much=AS_MUCH_PCT, more=MORE_PCT, got=GOT_PCT, count=result["count"], some=len(rows),
                                        least=LEAST_MB_S), rst.table(HEAD, lines),
                    "Where neighbours have least of what they have beside owners that ask for more:\n", rst.table(LOW_HEAD, low(rows)),
                    THEN_TEXT.format(more=MORE_PCT, on_s=THEN_ON_MS // 1000, every_s=THEN_EVERY_MS // 1000, then=THEN_PCT,
                                     run_s=THEN_S) + matrix.uncounted_text(len(owners(rows, MORE_PCT)), promises_then(rows)),
                    rst.table(THEN_HEAD, lines_then(rows)))


def goals(result: dict) -> list[Row]:
    rows = told(result["rows"])
    most, got = len(rows) * len(LESS_PCT), [one for pct in LESS_PCT for one in owners(rows, pct)]
    return [Bound(f"cases in which neighbours have {AS_MUCH_PCT} % of what they have beside owners that ask for more",
                  100 * sum(as_much(rows, pct) for pct in LESS_PCT) / max(most, 1), least=LEAST_PCT, unit="%").row(),
            Bound("owners that get what they ask for", 100 * sum(one >= GOT_PCT for one in got) / max(len(got), 1),
                  least=LEAST_PCT, unit="%").row(),
            Bound("promises that hold where owners ask for all now and then",
                  100 * matrix.held(promises_then(rows)) / max(len(promises_then(rows)), 1), least=LEAST_PCT, unit="%").row()]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
