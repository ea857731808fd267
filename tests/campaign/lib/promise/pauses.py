# SPDX-License-Identifier: GPL-2.0
"""Part `pauses`: clients who come and go, and what others do to the drive while they are away; a page of its own.

In no other part does anybody with a promise pause.  While they are away others may have the drive, and what they leave
behind is there when they come back.  So the owners of each scenario are there for a time that is drawn, and then away for
a time that is drawn; the neighbours are of a kind, or drawn stream by stream, or write a lot at once and wait for it.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import random

from lib import rst
from lib.promise import any_neighbours, cases, matrix, strangers
from lib.promise import draw as drawn
from lib.promise.any_neighbours import magnitude
from lib.promise.draw import Owner, Scenario
from lib.promise.neighbours import Stream
from lib.promise.runs import Runs
from ssdqos.qos.units import MS_PER_S

TITLE = "Owners that come and go"
SCENARIOS, QUICK_SCENARIOS = 600, 60
# There for so long, and then away for so many times as long.
ON_MS, OFF_PERMILLE = (300, 30_000), (100, 10_000)
# Who writes a lot at once: requests of such a size, so much of them and so many at the most, and again after so long.
SIZES, BYTES, MOST_REQUESTS, EVERY_S = (4096, 12288, 65536, 262144), (1 << 22, 1 << 30), 8000, (3, 60)
STREAMS = (1, 1, 2, 4)
KINDS = 3
goals, draw = matrix.goals, matrix.draw


def paused(owner: Owner, seed: int, number: int, at: int) -> Owner:
    dice = random.Random(f"promise pauses {seed} {number} {at}")
    on_ms = magnitude(dice, *ON_MS)
    off_ms = max(on_ms * magnitude(dice, *OFF_PERMILLE) // 1000, 1)
    return dataclasses.replace(owner, on_ms=on_ms, every_ms=on_ms + off_ms)


def all_at_once(size: int, requests: int, every_s: int) -> Stream:
    """Hardly any more come in the second after the first ones: they are far from done."""
    return f"randwrite bs={size} iodepth={requests} runtime=1s every={every_s}s", ""


def at_once(dice: random.Random) -> Stream:
    size = dice.choice(SIZES)
    requests = min(magnitude(dice, *BYTES) // size, MOST_REQUESTS)
    return all_at_once(size, requests, magnitude(dice, *EVERY_S))


def beside(one: Scenario, seed: int) -> Scenario:
    dice = random.Random(f"promise pauses beside {seed} {one.number}")
    if one.number % KINDS == 1:
        return one.with_streams(any_neighbours.streams(dice), "drawn")
    if one.number % KINDS == 2:
        return one.with_streams(tuple(at_once(dice) for _ in range(dice.choice(STREAMS))), "at once")
    return one


def runtime_s(owners: tuple[Owner, ...], windows: int, most_s: int) -> int:
    """So that each is there for so many windows."""
    return drawn.WARM_UP_S + min(max((math.ceil(windows * one.promise.window_ms * one.every_ms / one.on_ms / MS_PER_S)
                                      for one in owners), default=1), most_s)


def scenario(seed: int, number: int, runs: Runs, windows: int, most_s: int) -> Scenario:
    one = beside(drawn.scenario(seed, number, runs.profile_of, windows, most_s), seed)
    owners = tuple(paused(owner, seed, number, at) for at, owner in enumerate(one.owners))
    return dataclasses.replace(one, owners=owners, runtime_s=runtime_s(owners, windows, most_s))


def there_away_ms(one: Scenario) -> list[list[int]]:
    return [[owner.on_ms, owner.every_ms - owner.on_ms] for owner in one.owners]


def row(one: Scenario, runs: Runs) -> dict:
    """With who was beside them, and how long each was there and away."""
    return strangers.row(one, runs) | {"there_away_ms": there_away_ms(one)}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    return strangers.measured(runs, options, cases.asked(options, QUICK_SCENARIOS, SCENARIOS), scenario, row)


def section(result: dict) -> str:
    return rst.page(
        f"The drives and promises of the first {result['count']:,} scenarios, as long as each owner needs to be there for\n"
        f"{result['windows']:,} of its windows, or {result['most_s']:,} s if that is less.  Each is there for {ON_MS[0] / 1000:g} to {ON_MS[1] / 1000:g} s, and away for a tenth of\n"
        "that to ten times as long (``pauses.py``).  Of three scenarios one has the neighbours that were drawn for it, one some that\n"
        "are drawn stream by stream, and one some that write 4 MiB to 1 GiB at once.  Only windows in which an owner is there all\n"
        "the time can be missed.\n"
        + matrix.uncounted_text(sum(len(one["there_away_ms"]) for one in result["rows"]), matrix.flat(result["rows"]))
        + matrix.interval_text(matrix.flat(result["rows"])),
        matrix.section(result), strangers.broken(result))
