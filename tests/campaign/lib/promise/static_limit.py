# SPDX-License-Identifier: GPL-2.0
"""What a client without a promise holds, by the static limit of its neighbours."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from lib.promise import neighbours, turns
from lib.promise.draw import WARM_UP_S, Owner, Scenario
from lib.promise.runs import Kept, Runs, neighbour_load, promise_words, stream
from ssdqos.qos.units import MS_PER_S, PERMILLE

OWNER = "a0"
LEAST_IOPS = 1
Streams = Sequence[neighbours.Stream]


@dataclasses.dataclass(frozen=True)
class Point:
    """`factor` is the limit and `part` what the neighbour really got, of what it gets unlimited; `rate`
    is what the client held."""

    factor: float
    part: float
    rate: float


def windows_of(result: dict, path: Path, window_ms: int) -> dict:
    """Requests of each stream, and of the owner by window; those that began in the warm-up don't count."""
    counts = []
    with path.open(newline="") as file:
        for line in csv.DictReader(file):
            end_ms = round(float(line["time_s"]) * MS_PER_S)
            if end_ms % window_ms == 0 and end_ms - window_ms >= WARM_UP_S * MS_PER_S:
                counts.append(int(line[f"{OWNER}_n"]))
    return {"windows": counts, "requests": {name: one["requests"] for name, one in result["streams"].items()}}


def kept(window_ms: int) -> Kept:
    return Kept("windows", lambda result, path: windows_of(result, path, window_ms),
                (("--series-interval", f"{window_ms}ms", "--series"),))


def held(owner: Owner, counts: list[int]) -> float:
    """The highest rate that was there in the part of the windows that the confidence says."""
    if not counts:
        return 0.0
    may_be_missed = len(counts) * (PERMILLE - owner.promise.confidence_permille) // PERMILLE
    return sorted(counts)[may_be_missed] * MS_PER_S / owner.promise.window_ms


def requests_by_load(streams: Streams, requests: dict[str, int]) -> dict[str, int]:
    made: dict[str, int] = {}
    for at, (load, _) in enumerate(streams):
        made[load] = made.get(load, 0) + requests[f"b{at}"]
    return made


def rates(streams: Streams, requests: dict[str, int], runtime_s: int) -> dict[str, float]:
    """Of one stream of each load while it is there."""
    there: dict[str, int] = {}
    for load, _ in streams:
        there[load] = there.get(load, 0) + turns.of(load).there_s(WARM_UP_S, runtime_s)
    return {load: count / there[load] if there[load] else 0.0
            for load, count in requests_by_load(streams, requests).items()}


def part_of(streams: Streams, requests: dict[str, int], unlimited: dict[str, int]) -> float:
    """Each load counts alike, however many requests it has."""
    now, then = requests_by_load(streams, requests), requests_by_load(streams, unlimited)
    parts = [now[load] / then[load] for load in then if then[load]]
    return sum(parts) / len(parts) if parts else 1.0


def words(scenario: Scenario, runs: Runs, streams: Streams, more_of_owner: str, limits: dict[str, int]) -> list[str]:
    made = runs.drive_words(scenario.drive, scenario.runtime_s)
    made += stream(OWNER, scenario.owners[0].load(100), more_of_owner)
    for at, (load, more) in enumerate(streams):
        limit = f" max_iops={limits[load]}" if limits else ""
        made += stream(f"b{at}", neighbour_load(load, at), (more + limit).strip())
    return made


def search(scenario: Scenario, runs: Runs, factors: tuple[float, ...]) -> tuple[list[Point], float, float]:
    """A point for each factor, and one for the neighbour's part beside the promise; then that part, and
    the client's rate beside its promise."""
    owner = scenario.owners[0]
    streams = scenario.beside()

    def run(more_of_owner: str = "", limits: dict[str, int] | None = None) -> tuple[dict[str, int], float]:
        found = runs.keep(scenario.drive, words(scenario, runs, streams, more_of_owner, limits or {}),
                          kept(owner.promise.window_ms))
        return found["requests"], held(owner, found["windows"])
    unlimited, rate = run()
    full = rates(streams, unlimited, scenario.runtime_s)
    promised, got = run(promise_words(owner))
    part = part_of(streams, promised, unlimited)
    points = [Point(1.0, 1.0, rate)]
    for factor in (*factors, part):
        requests, rate = run(limits={load: max(round(factor * most), LEAST_IOPS) for load, most in full.items()})
        points.append(Point(factor, part_of(streams, requests, unlimited), rate))
    return points, part, got


def at(points: list[Point], part: float) -> float:
    """The best static limit with which the neighbour gets at least this part."""
    order = sorted(points, key=lambda point: (point.part, -point.rate))
    wider = [point.rate for point in order if point.part >= part]
    narrower = [point for point in order if point.part < part]
    if not wider:
        return order[-1].rate
    above = next(point for point in order if point.part >= part)
    if not narrower:
        return max(wider)
    below = narrower[-1]
    between = below.rate + (above.rate - below.rate) * (part - below.part) / (above.part - below.part)
    return max(between, *wider)
