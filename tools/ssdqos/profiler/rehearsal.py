# SPDX-License-Identifier: GPL-2.0
"""Whether cells make a profile, asked before a drive is filled for them: it is made once, of counts that are made up."""

from __future__ import annotations

from collections.abc import Iterable

from ssdqos.errors import ToolError
from ssdqos.profiler import build, measurement
from ssdqos.profiler.cell import PCT_MAX, Cell
from ssdqos.profiler.series import Series
from ssdqos.qos.request import OPS

# A second: as short as a cell may be, and the number of rows does not depend on it.
STEPS = 10
EXAMPLE = "read-rand-4k-d32,write-rand-4k-d32"
DOING = {"read": "reads", "write": "writes"}


def counts(cell: Cell) -> Series:
    """Of a drive on which each request takes as long as any other."""
    reads, writes = {"read": (PCT_MAX, 0), "mix": (cell.pct, PCT_MAX - cell.pct),
                     "beside": (PCT_MAX, cell.pct)}.get(cell.op, (0, PCT_MAX))
    return Series([reads] * STEPS, [writes] * STEPS)


def check(cells: list[Cell], kept: Iterable[Cell] = ()) -> None:
    """Raises ToolError with one sentence; `kept` were measured before, and tell the rate of writes beside reads."""
    known = {*cells, *kept}
    for cell in cells:
        if cell.is_beside():
            measurement.writes_alone(cell, known)
    for op in OPS:
        if not any(cell.op == op for cell in cells):
            raise ToolError(f"what is chosen has no cell that only {DOING[op]}: a profile is made of the cells that are "
                            f"chosen, and needs both kinds, such as {EXAMPLE} (what is kept is not measured again)")
    build.build({cell: counts(cell) for cell in cells if not cell.is_discard()}, {}, name="what is chosen")
