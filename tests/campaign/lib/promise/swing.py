# SPDX-License-Identifier: GPL-2.0
"""Part `swing`: whether the rate of neighbours that write is steady, and whether it is that of the drive alone."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import random
import re
import statistics
from collections.abc import Callable
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.promise import cases, matrix, neighbours
from lib.promise import draw as drawn
from lib.promise.draw import WARM_UP_S, Scenario
from lib.promise.runs import Kept, Runs, rows_said
from ssdqos.qos.units import MS_PER_S

TITLE = "Do the neighbours' rates swing?"
CASES, QUICK_CASES = 200, 12
# What the control learns takes some twenty seconds to double.
SETTLE_S = 60
LOOK_S, QUICK_LOOK_S = 60, 20
INTERVAL_MS = 100
# So many together where one has too few requests to say: a second.
LONG = 10
# Steady is between the median by this and the median times this.
FACTOR = 2
# With fewer requests in the middle interval, one of them more or less is a swing.
LEAST_REQUESTS = 8
# A rate swings if it is not steady in more of its intervals than this.
MOST_OUTSIDE_PCT = 5
LOW_PCT, HIGH_PCT = 5, 95
WRITES = ("write", "randwrite", "randrw")
WORST = 20
NO_QOS = ("--no-qos",)


def writes_on(load: str) -> bool:
    """It writes, with more than one request at a time whatever time they take."""
    kind, *words = load.split()
    keys = dict(word.split("=", 1) for word in words)
    return kind in WRITES and int(keys.get("iodepth", 1)) > 1


def writers() -> list[str]:
    """Neighbours that last, and of which one stream does so."""
    return [name for name in neighbours.lasting() if any(writes_on(load) for load, _ in neighbours.KINDS[name])]


def case(seed: int, number: int, runs: Runs, look_s: int) -> Scenario:
    """Drives and owners of the matrix, a neighbour that writes."""
    one = drawn.scenario(seed, number, runs.profile_of, matrix.QUICK_WINDOWS, look_s)
    dice = random.Random(f"promise swing {seed} {number}")
    return dataclasses.replace(one, neighbour=dice.choice(writers()), runtime_s=WARM_UP_S + SETTLE_S + look_s)


def of_neighbours(_: dict, path: Path) -> list[list[int]]:
    """Of each interval after settling: requests and bytes of all neighbours."""
    with path.open(newline="") as file:
        settled = [line for line in csv.DictReader(file) if float(line["time_s"]) > WARM_UP_S + SETTLE_S]
    return [[sum(int(value) for name, value in line.items() if re.fullmatch(rf"b\d+_{what}", name))
             for what in ("n", "bytes")] for line in settled]


SERIES = Kept("neighbours", of_neighbours, (("--series-interval", f"{INTERVAL_MS}ms", "--series"),))


def percentile(values: list[float], pct: int) -> float:
    """The smallest that is not exceeded in so many of them."""
    return sorted(values)[max(-(-len(values) * pct // 100), 1) - 1]


def joined(intervals: list[list[int]], count: int) -> list[list[int]]:
    """So many in one; the last of them are left out where they are too few."""
    begins = range(0, len(intervals) - count + 1, count)
    return [[sum(column) for column in zip(*intervals[begin:begin + count])] for begin in begins]


def spread(short: list[list[int]], count: int = 1) -> dict:
    """MB/s, and the part of intervals, each so many of those, that is not near the middle."""
    intervals = joined(short, count)
    rates = [moved / 1e6 * MS_PER_S / (count * INTERVAL_MS) for _, moved in intervals]
    middle = statistics.median(rates)
    outside = sum(not middle / FACTOR <= rate <= middle * FACTOR for rate in rates)
    return {"p5": round(percentile(rates, LOW_PCT), 2), "p50": round(middle, 2),
            "p95": round(percentile(rates, HIGH_PCT), 2), "outside_pct": round(100 * outside / len(rates), 1),
            "coarse": statistics.median(requests for requests, _ in intervals) < LEAST_REQUESTS, "intervals": count}


def spreads(with_: list[list[int]], without: list[list[int]]) -> tuple[dict, dict]:
    """Both by intervals that are as long as the first one needs: it is what is judged."""
    count = LONG if spread(with_)["coarse"] else 1
    return spread(with_, count), spread(without, count)


def row(scenario: Scenario, runs: Runs) -> dict:
    words = runs.words(scenario)
    with_, without = spreads(*(runs.keep(scenario.drive, [*words, *more], SERIES) for more in ((), NO_QOS)))
    return {"number": scenario.number, "name": scenario.name, "drive": scenario.drive.name,
            "neighbour": scenario.neighbour, "with": with_, "without": without}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    count, look_s = cases.asked(options, QUICK_CASES, CASES), QUICK_LOOK_S if options.quick else LOOK_S
    made = cases.chosen(range(count), lambda number: case(options.seed, number, runs, look_s), options)
    return {"rows": rows_said(runs, made, lambda one: row(one, runs), said)}


# ---- tables ----

def swings(one: dict, side: str = "with") -> bool:
    return one[side]["outside_pct"] > MOST_OUTSIDE_PCT


def fine(rows: list[dict]) -> list[dict]:
    """Enough requests in an interval, short or long, to say."""
    return [one for one in rows if not one["with"]["coarse"]]


def swings_more(one: dict) -> bool:
    """Where the drive alone does not."""
    return swings(one) and not swings(one, "without")


def said(rows: list[dict]) -> str:
    of = fine(rows)
    return f"of {len(of)} rates {sum(map(swings, of))} swing, {sum(map(swings_more, of))} where the drive does not"


def group(title: str, rows: list[dict]) -> list[object]:
    of = fine(rows)
    outside = [f"{statistics.median(one[side]['outside_pct'] for one in of):.1f}" if of else ""
               for side in ("with", "without")]
    return [title, len(rows), sum(one["with"]["intervals"] > 1 for one in of), len(rows) - len(of), *outside, sum(map(swings, of)),
            sum(swings(one, "without") for one in of), sum(map(swings_more, of))]


def groups(rows: list[dict]) -> list[list[object]]:
    keys: tuple[Callable[[dict], str], ...] = (lambda one: matrix.drive_and_state(one)[0],
                                               lambda one: one["neighbour"])
    return [group("all", rows), *(group(title, some) for title, some in cases.grouped(rows, keys))]


def most(rows: list[dict]) -> list[list[object]]:
    order = sorted(rows, key=lambda one: one["with"]["outside_pct"], reverse=True)
    return [[one["name"] + (" (few requests)" if one["with"]["coarse"] else " (by the second)" if one["with"]["intervals"] > 1 else ""),
             *(f"{one[side][what]:,.1f}" for side in ("with", "without")
               for what in ("p5", "p50", "p95", "outside_pct"))] for one in order[:WORST]]


TEXT = f"""\
Nobody plans with a rate that is all of the drive in one moment and nothing in the next.  So neighbours that write
with more than one request at a time stand beside the drives and owners of the matrix, and what they moved is counted
in intervals of {INTERVAL_MS} ms, after {SETTLE_S} s in which the control has settled.  An interval is *outside* if it
is less than half of the median or more than twice as much.  A rate *swings* if more than {MOST_OUTSIDE_PCT} % of its
intervals are.

The same run without any scheduler stands beside it: drives stop to collect garbage, and that is nobody's control.
Where the middle interval has fewer than {LEAST_REQUESTS} requests, one of them more or less is a swing.  Such a rate is
judged *by the second*, and so is the one without the scheduler beside it.  Where a second has as few, too, they are
*few*, and count for no goal.
"""


def section(result: dict) -> str:
    return rst.page(
        TEXT,
        rst.table(["", "scenarios", "by the second", "few", "outside, %", "without, %", "swing", "without", "only with"],
                  groups(result["rows"])),
        "*Outside* is of the middle scenario.  Those that swing most, in MB/s, and the part outside, with and without\n"
        "the scheduler:\n",
        rst.table(["scenario", "p5", "p50", "p95", "outside %", "p5 without", "p50", "p95", "outside %"],
                  most(result["rows"])))


def goals(result: dict) -> list[Row]:
    of = fine(result["rows"])
    return [Bound("scenarios in which the neighbours' rate swings", sum(map(swings, of)), most=0, digits=0).row(),
            Bound("those in which it does not without the scheduler", sum(map(swings_more, of)), most=0,
                  digits=0).row()]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
