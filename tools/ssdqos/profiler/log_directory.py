# SPDX-License-Identifier: GPL-2.0
"""Cells that somebody else has measured: a directory of what fio left."""

from __future__ import annotations

import json
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.profiler import cell as cells
from ssdqos.profiler import fio_log, limits
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.plan import TAIL_S, WARM, Step
from ssdqos.profiler.series import Series
from ssdqos.qos.units import MS_PER_S


def result(directory: Path, name: str) -> dict:
    """fio's JSON of a step, behind what else it may have said; empty if it is not there."""
    try:
        text = (directory / f"{name}.json").read_text()
        return json.loads(text[text.index("{"):])
    except (OSError, ValueError):
        return {}


def runtime_s(directory: Path, name: str, log: Path) -> int:
    """By fio's option where its result is there; else what the log reaches."""
    try:
        return int(result(directory, name)["jobs"][0]["job options"]["runtime"])
    except (KeyError, IndexError, TypeError, ValueError):
        return fio_log.last_ms(log) // MS_PER_S + TAIL_S


def read(directory: Path) -> tuple[dict[Cell, Series], dict[str, str]]:
    """All cells, and fio's version as meta."""
    made, meta = {}, {}
    for log in sorted(directory.glob(f"*{fio_log.SUFFIX}")):
        name = log.name.removesuffix(fio_log.SUFFIX)
        if name == WARM:
            continue
        step = Step(name, {"runtime": str(runtime_s(directory, name, log))}, cells.parse(name))
        limits.SECONDS.check(f"{log}: seconds that are counted", step.counted_s())
        made[step.cell] = fio_log.read(directory, name, step.lead_s(), step.counted_s())
        if version := result(directory, name).get("fio version"):
            meta["fio"] = version
    if not made:
        raise ToolError(f"{directory} has no log of a cell, such as read-rand-4k-d32{fio_log.SUFFIX}")
    return made, meta
