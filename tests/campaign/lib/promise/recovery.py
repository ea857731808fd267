# SPDX-License-Identifier: GPL-2.0
"""Part `recovery`: how soon promises hold again after a minute in which they could not."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import random
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.promise import aftermath, cases, matrix, neighbours, trouble
from lib.promise import draw as drawn
from lib.promise.draw import WARM_UP_S, Owner, Scenario
from lib.promise.runs import Kept, Runs, rows_said
from ssdqos.qos.promise import WINDOW_PARTS, Promise
from ssdqos.qos.units import MS_PER_S, PERMILLE, ceil_div

TITLE = "After a minute of trouble"
CASES, QUICK_CASES = 200, 10
# Of the longest promise, after the trouble, and how long that may take.
WINDOWS, QUICK_WINDOWS = 100, 20
MOST_S, QUICK_MOST_S = 600, 60
MOST_WINDOWS = 2
OVERCOMMITTED, SLOW = "overcommitted", "drive half as fast"
TROUBLES = (OVERCOMMITTED, SLOW)
NEVER = "never"
US_PER_MS, US_PER_S = 1000, 1_000_000
WORST = 20


def case(seed: int, number: int, runs: Runs, windows: int, most_s: int) -> Scenario:
    """As in the matrix, with a neighbour that is still there after the trouble."""
    one = drawn.scenario(seed, number, runs.profile_of, windows, most_s)
    dice = random.Random(f"promise recovery {seed} {number}")
    neighbour = dice.choice(neighbours.lasting())
    return dataclasses.replace(one, neighbour=neighbour, runtime_s=one.runtime_s + trouble.LASTS_S)


def missed_of(path: Path) -> list[tuple[str, float, int]]:
    """Of each time that windows were missed: whose, when the last of them ended, and how many."""
    with path.open(newline="") as file:
        return [(line["stream"], float(line["time_s"]), int(line["windows"])) for line in csv.DictReader(file)
                if line["event"] == "promise_missed"]


def both_of(_: dict, events: Path, series: Path) -> dict[str, list]:
    """Of owners, and of neighbours."""
    return {"missed": missed_of(events), "moved": aftermath.bytes_of(series)}


BOTH = Kept("missed, and bytes of neighbours by second", both_of, (("--events",), aftermath.SERIES))


def begun(time_us: int, promise: Promise) -> int:
    """Windows that begin before this time."""
    return ceil_div(time_us * WINDOW_PARTS[promise.windows], promise.window_ms * US_PER_MS)


def ended(time_us: int, promise: Promise) -> int:
    """Windows that are over at this time."""
    parts = WINDOW_PARTS[promise.windows]
    return time_us * parts // (promise.window_ms * US_PER_MS) - (parts - 1)


def missed_windows(events: list, name: str, promise: Promise) -> set[int]:
    """By number: window 0 begins with the first that is counted."""
    made: set[int] = set()
    for stream, time_s, windows in events:
        if stream == name and time_s > WARM_UP_S:
            last = ended(round((time_s - WARM_UP_S) * US_PER_S), promise)
            made.update(range(last - windows, last))
    return made


def first_after(promise: Promise) -> int:
    """The first window that begins when the trouble is over."""
    return begun(trouble.LASTS_S * US_PER_S, promise)


def holds(owner: Owner, missed: set[int], begin: int, end: int) -> bool:
    met = sum(window not in missed for window in range(begin, end))
    return met * PERMILLE >= (end - begin) * owner.promise.confidence_permille


def recovered_after(owner: Owner, missed: set[int], begin: int, end: int) -> int | None:
    """After the time of how many windows it holds in all the rest; None if it does not."""
    after = next((at - begin for at in range(begin, end) if holds(owner, missed, at, end)), None)
    return None if after is None else ceil_div(after, WINDOW_PARTS[owner.promise.windows])


def words_of(scenario: Scenario, runs: Runs, seed: int, kind: str) -> list[str]:
    """What makes the trouble; nothing if there can't be any."""
    if kind == SLOW:
        return trouble.slowness(trouble.settings_of(scenario, runs))
    other = trouble.intruder(random.Random(f"promise intruder {seed} {scenario.number}"), runs, scenario)
    return trouble.overcommitment(other) if other else []


def rows_of(scenario: Scenario, kind: str, quiet: list, troubled: list) -> list[dict]:
    """One for each promise."""
    made = []
    for at, owner in enumerate(scenario.owners):
        promise = owner.promise
        begin, end = first_after(promise), ended((scenario.runtime_s - WARM_UP_S) * US_PER_S, promise)
        before, missed = (missed_windows(events, f"a{at}", promise) for events in (quiet, troubled))
        made.append({"number": scenario.number, "name": scenario.name, "drive": scenario.drive.name, "trouble": kind,
                     "window_ms": promise.window_ms, "depth": owner.depth, "windows": end - begin,
                     "holds_anyway": holds(owner, before, begin, end),
                     "broken": not holds(owner, missed, 0, begin),
                     "missed_after": sum(begin <= window < end for window in missed),
                     "after": recovered_after(owner, missed, begin, end)})
    return made


def tables_of(scenario: Scenario, runs: Runs, kind: str, more: list[str]) -> tuple[list[dict], dict | None]:
    """Of owners and neighbours: the same run without trouble and with it."""
    words = runs.words(scenario)
    quiet, troubled = (runs.keep(scenario.drive, [*words, *extra], BOTH) for extra in ([], more))
    return (rows_of(scenario, kind, quiet["missed"], troubled["missed"]),
            aftermath.row(scenario, kind, quiet["moved"], troubled["moved"]))


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    """Quick, each case has one trouble, in turn."""
    count = cases.asked(options, QUICK_CASES, CASES)
    windows, most_s = (QUICK_WINDOWS, QUICK_MOST_S) if options.quick else (WINDOWS, MOST_S)
    made = cases.chosen(range(count), lambda number: case(options.seed, number, runs, windows, most_s), options)

    def both(scenario: Scenario) -> list[tuple[list[dict], dict | None]]:
        kinds = TROUBLES[scenario.number % len(TROUBLES)::len(TROUBLES)] if options.quick else TROUBLES
        troubles = [(kind, more) for kind in kinds if (more := words_of(scenario, runs, options.seed, kind))]
        return [tables_of(scenario, runs, kind, more) for kind, more in troubles]

    def promises(found: list) -> list[dict]:
        return [one for some in found for rows, _ in some for one in rows]
    found = rows_said(runs, made, both, lambda so_far: said(promises(so_far)))
    return {"rows": promises(found), "neighbours": [one for some in found for _, one in some if one]}


# ---- tables ----

def counted(rows: list[dict]) -> list[dict]:
    return [one for one in rows if one["holds_anyway"]]


def soon(rows: list[dict]) -> list[dict]:
    return [one for one in rows if one["after"] is not None and one["after"] <= MOST_WINDOWS]


def soon_pct(rows: list[dict]) -> float:
    return 100 * len(soon(rows)) / len(rows) if rows else 100.0


def said(rows: list[dict]) -> str:
    of = counted(rows)
    return f"of {len(of)} promises {len(soon(of))} hold again within {MOST_WINDOWS} windows"


def group(title: str, rows: list[dict]) -> list[object]:
    of = counted(rows)
    by_windows = [sum(one["after"] == windows for one in of) for windows in range(MOST_WINDOWS + 1)]
    return [title, len(rows), len(of), sum(one["broken"] for one in of), *by_windows,
            len(of) - len(soon(of)), f"{soon_pct(of):.0f}"]


def groups(rows: list[dict]) -> list[list[object]]:
    keys = (lambda one: one["trouble"], lambda one: matrix.drive_and_state(one)[0],
            lambda one: f"window {one['window_ms'] / MS_PER_S:g} s")
    return [group("all", rows), group("broken by it", [one for one in rows if one["broken"]]),
            *(group(title, some) for title, some in cases.grouped(rows, keys))]


def latest(rows: list[dict]) -> list[list[object]]:
    def windows(one: dict) -> int:
        return one["windows"] if one["after"] is None else one["after"]
    late = [one for one in counted(rows) if one not in soon([one])]
    late.sort(key=windows, reverse=True)
    return [[one["name"], one["trouble"], f"{one['window_ms'] / MS_PER_S:g} s",
             f"{one['missed_after']}/{one['windows']}", NEVER if one["after"] is None else one["after"]]
            for one in late[:WORST]]


def late_text(late: list[list[object]]) -> str:
    if not late:
        return ""
    return rst.page("The latest; missed is of the windows after the trouble:\n",
                    rst.table(["scenario", "trouble", "window", "missed", "after"], late))


TEXT = f"""\
For {trouble.LASTS_S} s, either one more client is there with a promise that admission would refuse, so that about
{trouble.OVERCOMMITTED_PCT} % of what can be is promised (``drive_overcommit`` allows it), or each time in the drive is
{trouble.SLOWER} times as long as when its profile was made, and transfers half as fast.  Then that ends.  Windows
that begin after it are counted: a promise *holds again* after so many of them as have to be left out until the rest,
to the end of the run, is met as its confidence says.

*Anyway*: promises that hold in the same windows without any trouble; only those can show something.
*Broken*: of those, the ones that did not hold while the trouble lasted.
"""


def section(result: dict) -> str:
    return rst.page(
        TEXT,
        rst.table(["", "promises", "anyway", "broken", *(f"after {windows}" for windows in range(MOST_WINDOWS + 1)),
                   "later", f"% within {MOST_WINDOWS}"], groups(result["rows"])),
        late_text(latest(result["rows"])),
        aftermath.section(result["neighbours"]))


def again_bound(kind: str, rows: list[dict]) -> Bound:
    return Bound(f"hold again within {MOST_WINDOWS} windows after: {kind}",
                 soon_pct([one for one in rows if one["trouble"] == kind]), least=matrix.LEAST_HELD_PCT, unit="%")


def goals(result: dict) -> list[Row]:
    return [*(again_bound(kind, counted(result["rows"])).row() for kind in TROUBLES), *aftermath.goals(result["neighbours"])]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
