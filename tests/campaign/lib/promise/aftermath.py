# SPDX-License-Identifier: GPL-2.0
"""What those without a promise get again when a minute of trouble is over; a table of part `recovery`."""

from __future__ import annotations

import csv
import statistics
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.promise import cases, trouble
from lib.promise.draw import Scenario

# The drive's own backlog, and what neighbours' rates take to grow, is not the question.
SETTLES_S = 10
NEIGHBOUR = "b"
WORST = 10
# As of all that is done beside promises.
LEAST_PCT = 90


def bytes_of(path: Path) -> list[int]:
    """By second, of all neighbours together."""
    with path.open(newline="") as file:
        return [sum(int(value) for key, value in line.items() if key.startswith(NEIGHBOUR) and key.endswith("_bytes"))
                for line in csv.DictReader(file)]


SERIES = ("--series-interval", "1s", "--series")


def later(moved: list[int]) -> int:
    return sum(moved[trouble.END_S + SETTLES_S:])


def row(scenario: Scenario, kind: str, quiet: list[int], troubled: list[int]) -> dict | None:
    """With that trouble, of what they move in the same seconds without it; None if that is nothing."""
    if not later(quiet):
        return None
    return {"number": scenario.number, "name": scenario.name, "trouble": kind,
            "pct": round(100 * later(troubled) / later(quiet), 1)}


def middle(rows: list[dict]) -> float:
    return statistics.median(one["pct"] for one in rows)


def groups(rows: list[dict]) -> list[list[object]]:
    some = [("all", rows), *cases.grouped(rows, (lambda one: one["trouble"],))]
    return [[title, len(of), f"{min(one['pct'] for one in of):.0f}", f"{middle(of):.0f}"] for title, of in some]


def section(rows: list[dict]) -> str:
    worst = sorted(rows, key=lambda one: one["pct"])[:WORST]
    return rst.page(
        f"What neighbours without a promise move from {SETTLES_S} s after the trouble on, of what they move in the same seconds of a\n"
        "run without it, %:\n",
        rst.table(["", "runs", "least", "middle"], groups(rows)),
        "The least:\n",
        rst.table(["scenario", "trouble", "%"], [[one["name"], one["trouble"], f"{one['pct']:.0f}"] for one in worst]))


def goals(rows: list[dict]) -> list[Row]:
    return [Bound("neighbours' work after the trouble, of that without it, middle", middle(rows), least=LEAST_PCT, unit="%").row()]
