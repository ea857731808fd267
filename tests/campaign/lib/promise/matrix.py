# SPDX-License-Identifier: GPL-2.0
"""Part `matrix`: of promises that were accepted, how many hold; and what everybody gets."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.promise import cases, drives, neighbours
from lib.promise import draw as drawn
from lib.promise.draw import Scenario
from lib.promise.drives import Drive
from lib.promise.runs import Runs, rows_known
from ssdqos.qos import cost
from ssdqos.qos.cost import Terms
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.promise import ALIGNED
from ssdqos.qos.request import OPS, RequestClass

TITLE = "Drawn scenarios"
SCENARIOS, QUICK_SCENARIOS = cases.MOST, 300
# Of the longest promise, as long as it takes no more time than that.
WINDOWS, QUICK_WINDOWS = 200, 40
MOST_S, QUICK_MOST_S = 2000, 50
WORST = 20
MOST_POINTS_BELOW = 2
LEAST_HELD_PCT = 99
Z_95 = 1.96
MB = 1_000_000


def lengths(options: argparse.Namespace) -> tuple[int, int]:
    """Windows of the longest promise, and seconds, whichever is less."""
    return (QUICK_WINDOWS, QUICK_MOST_S) if options.quick else (WINDOWS, MOST_S)


def chosen(runs: Runs, options: argparse.Namespace, count: int,
           instead: Callable[[Drive], Drive] = drawn.as_drawn) -> list[Scenario]:
    return drawn_of(runs, options, count, *lengths(options), instead)


def drawn_of(runs: Runs, options: argparse.Namespace, count: int, windows: int, most_s: int,
             instead: Callable[[Drive], Drive] = drawn.as_drawn) -> list[Scenario]:
    return cases.chosen(range(count), lambda number: drawn.scenario(options.seed, number, runs.profile_of, windows,
                                                                    most_s, instead), options)


def beside_somebody(runs: Runs, options: argparse.Namespace, count: int, windows: int, most_s: int) -> list[Scenario]:
    """Only those that have neighbours."""
    return [one for one in drawn_of(runs, options, count, windows, most_s) if one.neighbour != neighbours.ALONE]


def met_pct(stream: dict) -> float | None:
    """Of the windows in which the client asked for enough; None if there are none."""
    counted = stream["windows_met"] + stream["windows_missed"]
    return 100 * stream["windows_met"] / counted if counted else None


def promises(scenario: Scenario, streams: dict[str, dict]) -> list[dict]:
    made = []
    for at, owner in enumerate(scenario.owners):
        stream, promise = streams[f"a{at}"], owner.promise
        pct = met_pct(stream)
        if pct is not None:
            order = f" {drawn.IN_ORDER}" if promise.request.pattern == drawn.IN_ORDER else ""
            made.append({"class": f"{promise.request.op} {promise.block_bytes // drawn.KIB}k{order}", "depth": owner.depth,
                         "iops": promise.min_iops, "window_ms": promise.window_ms, "windows": promise.windows,
                         "confidence_pct": promise.confidence_permille / 10, "met": stream["windows_met"],
                         "missed": stream["windows_missed"], "met_pct": round(pct, 2),
                         "least_pct": round(100 * stream["achieved_min"] / stream["promised"], 1),
                         "held": pct >= promise.confidence_permille / 10})
    return made


def work_ns(stream: dict, profile: Profile) -> int:
    """Device time of what a stream did, by the profile's costs that are nearest to the mean."""
    terms = Terms(max(profile.windows_ms), min(key.confidence for key in profile.costs), drives.MIX_DEPTH)
    made = 0
    for op in OPS:
        count, moved = stream[f"{op}s"], stream[f"{op}_bytes"]
        if count:
            made += count * cost.lookup(profile, RequestClass(op, "rand"), moved // count, terms)
    return made


def neighbours_mb_s(streams: dict[str, dict]) -> float:
    """Since windows are counted."""
    return sum(one["bytes_per_s"] for name, one in streams.items() if neighbours.is_one(name)) / MB


def row(scenario: Scenario, runs: Runs) -> dict:
    streams = runs.run(scenario)
    return {"number": scenario.number, "name": scenario.name, "drive": scenario.drive.name,
            "neighbour": scenario.neighbour, "share_pct": scenario.share_pct,
            "neighbours_mb_s": round(neighbours_mb_s(streams), 3), "promises": promises(scenario, streams)}


def rows_of(runs: Runs, scenarios: list[Scenario]) -> list[dict]:
    return rows_known(runs, scenarios, lambda one: row(one, runs), said)


def said(rows: list[dict]) -> str:
    return f"of {len(flat(rows))} promises {held(flat(rows))} hold"


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    return {"rows": rows_of(runs, chosen(runs, options, cases.asked(options, QUICK_SCENARIOS, SCENARIOS)))}


# ---- tables ----

def flat(rows: Iterable[dict]) -> list[dict]:
    return [promise for one in rows for promise in one["promises"]]


def held(of: list[dict]) -> int:
    return sum(promise["held"] for promise in of)


def held_pct(of: list[dict]) -> float:
    return 100 * held(of) / len(of) if of else 100.0


def windows_pct(of: list[dict]) -> float:
    met, missed = (sum(promise[key] for promise in of) for key in ("met", "missed"))
    return 100 * met / (met + missed) if met + missed else 100.0


def interval_pct(hold: int, of: int) -> tuple[float, float]:
    """95 % interval of a part (Wilson's score interval)."""
    part, z2 = hold / of, Z_95 ** 2
    middle = (part + z2 / (2 * of)) / (1 + z2 / of)
    half = Z_95 / (1 + z2 / of) * (part * (1 - part) / of + z2 / (4 * of ** 2)) ** 0.5
    return 100 * (middle - half), 100 * (middle + half)


def interval_text(of: list[dict]) -> str:
    low, high = interval_pct(held(of), len(of)) if of else (0.0, 100.0)
    return (f"Of {len(of):,} promises {held(of):,} hold; as they are drawn, the part of all that hold is between "
            f"{low:.1f} and {high:.1f} % (95 % interval).\n")


def uncounted_text(owners: int, of: list[dict]) -> str:
    """Of owners, where they are not there, or don't ask for all, all the time."""
    left = owners - len(of)
    return f"Of {owners:,} owners {left} had no whole window in such a time, and {'are' if left != 1 else 'is'} not counted.\n" if left else ""


def points_below(promise: dict) -> float:
    return promise["confidence_pct"] - promise["met_pct"]


HEAD = ["", "promises", "hold", "%", "windows %", "points below"]
WORST_HEAD = ["scenario", "promise", "IOPS", "window", "confidence", "met", "least"]
# The draw in parts, to see by how much such a part differs from another one.
PART = 100


def group(title: str, of: list[dict]) -> list[object]:
    lowest = max((points_below(promise) for promise in of), default=0)
    return [title, len(of), f"{held(of)}", f"{held_pct(of):.0f}", f"{windows_pct(of):.1f}", f"{max(lowest, 0):.0f}"]


def drive_and_state(one: dict) -> tuple[str, str]:
    """Of its drive's name the model with its scheduler, and how it was at the beginning."""
    model, scheduler, *state = one["drive"].split(", ")
    return f"{model}, {scheduler}", " and ".join(state) or "full"


def part(number: int) -> str:
    begin = number // PART * PART
    return f"numbers {begin:4} to {begin + PART - 1}"


def groups(rows: list[dict]) -> list[list[object]]:
    pairs = [(one, promise) for one in rows for promise in one["promises"]]
    keys: list[tuple[str, Callable[[dict, dict], str]]] = [
        ("drive", lambda one, _: drive_and_state(one)[0]),
        ("state", lambda one, _: drive_and_state(one)[1]),
        ("depth", lambda _, promise: drawn.depth_group(promise["depth"])),
        ("window", lambda _, promise: f"window {promise['window_ms'] / 1000:g} s"),
        # before they were drawn, all were aligned
        ("windows", lambda _, promise: f"windows {promise.get('windows', ALIGNED)}"),
        ("class", lambda _, promise: promise["class"].split()[0] + "s"),
        ("share", lambda one, _: f"share to {-(-one['share_pct'] // 30) * 30} %"),
        ("neighbour", lambda one, _: one["neighbour"]),
        ("part", lambda one, _: part(one["number"]))]
    table = [group("all", flat(rows))]
    for _, key in keys:
        by: dict[str, list[dict]] = {}
        for one, promise in pairs:
            by.setdefault(key(one, promise), []).append(promise)
        table += [group(title, by[title]) for title in sorted(by)]
    return table


def worst(rows: list[dict]) -> list[list[object]]:
    pairs = [(one, promise) for one in rows for promise in one["promises"] if not promise["held"]]
    pairs.sort(key=lambda pair: -points_below(pair[1]))
    return [[one["name"], f"{promise['class']} d{promise['depth']}", f"{promise['iops']:,}",
             f"{promise['window_ms'] / 1000:g} s", f"{promise['confidence_pct']:g}",
             f"{promise['met']}/{promise['met'] + promise['missed']}", f"{promise['least_pct']:.0f}"]
            for one, promise in pairs[:WORST]]


def beside_text(rows: list[dict]) -> str:
    """Rows of an older program don't say it."""
    beside = [one["neighbours_mb_s"] for one in rows if "neighbours_mb_s" in one and one["neighbour"] != neighbours.ALONE]
    missed = sum(promise["missed"] for promise in flat(rows))
    windows = missed + sum(promise["met"] for promise in flat(rows))
    text = f"{missed:,} of {windows:,} windows are missed"
    return (f"{text}; neighbours move {sum(beside):,.0f} MB a second in all {len(beside):,} scenarios that have some.\n" if beside
            else f"{text}.\n")


def section(result: dict) -> str:
    rows = result["rows"]
    return rst.page(
        beside_text(rows),
        "A promise *holds* if the part of its windows that its confidence says was met, of those in which the client\n"
        "asked for enough.  The last column is by how many points the worst one fell below.\n",
        rst.table(HEAD, groups(rows)),
        "Those that fell farthest below; the last column is the worst window, % of the promise:\n",
        rst.table(WORST_HEAD, worst(rows)))


def held_bound(says: str, measured: float) -> Bound:
    return Bound(says, measured, least=LEAST_HELD_PCT, unit="%")


def goals(result: dict) -> list[Row]:
    rows = result["rows"]
    of = flat(rows)
    return [held_bound("promises that hold", held_pct(of)).row(),
            Bound("worst promise below its confidence", max([points_below(one) for one in of] + [0]),
                  most=MOST_POINTS_BELOW, unit="points").row()]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
