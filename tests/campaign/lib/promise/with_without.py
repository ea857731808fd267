# SPDX-License-Identifier: GPL-2.0
"""The same scenarios with a rule of the control, and without it."""

from __future__ import annotations

from lib import rst
from lib.claim import Row
from lib.promise import matrix
from lib.promise.draw import Scenario
from lib.promise.runs import Runs

BYTES_PER_GB = 1_000_000_000
WITH, WITHOUT = "with the rule", "without"
Cases = dict[str, tuple[str, ...]]


def cases(off: str) -> Cases:
    """`off`: what switches the rule off."""
    return {WITH: (), WITHOUT: ("--qos", off)}


def _case(one: Scenario, streams: dict[str, dict]) -> dict:
    return {"promises": matrix.promises(one, streams),
            "written_bytes": sum(stream["write_bytes"] for name, stream in streams.items() if name.startswith("b"))}


def made(one: Scenario, runs: Runs, of: Cases) -> dict[str, dict]:
    return {name: _case(one, runs.run(one, more)) for name, more in of.items()}


def rows_of(rows: list[dict], name: str = WITH) -> list[dict]:
    """As of other parts, in one case."""
    return [one | one["cases"][name] for one in rows]


def said(rows: list[dict]) -> str:
    return matrix.said(rows_of(rows))


def line(rows: list[dict], name: str) -> list[object]:
    of = rows_of(rows, name)
    return [*matrix.group(name, matrix.flat(of)), sum(promise["missed"] for promise in matrix.flat(of)),
            f"{sum(one['written_bytes'] for one in of) / BYTES_PER_GB:.0f}"]


def _not_kept(rows: list[dict], name: str) -> str:
    worst = matrix.worst(rows_of(rows, name))
    return rst.page(f"Not kept, {name}:\n", rst.table(matrix.WORST_HEAD, worst)) if worst else ""


def tables(rows: list[dict]) -> str:
    return rst.page(rst.table([*matrix.HEAD, "windows missed", "GB written by others"], [line(rows, name) for name in (WITH, WITHOUT)]),
                    matrix.interval_text(matrix.flat(rows_of(rows))),
                    *filter(None, (_not_kept(rows, name) for name in (WITH, WITHOUT))))


def goals(result: dict) -> list[Row]:
    return matrix.goals({"rows": rows_of(result["rows"])})
