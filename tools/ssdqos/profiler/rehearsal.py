# SPDX-License-Identifier: GPL-2.0
"""Whether cells make a profile, asked before a drive is filled for them: it is made once, of counts that are made up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ssdqos.errors import ToolError
from ssdqos.profiler import build, measurement, series
from ssdqos.profiler.cell import PCT_MAX, Cell
from ssdqos.profiler.series import Series
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.request import OPS
from ssdqos.qos.units import MS_PER_S, PERMILLE

# A second: as short as a cell may be, and the number of rows does not depend on it.
STEPS = 10
# Of most requests of an SSD: six digits.
TYPICAL_NS = 150_000
EXAMPLE = "read-rand-4k-d32,write-rand-4k-d32"
DOING = {"read": "reads", "write": "writes"}


def counts(cell: Cell) -> Series:
    """Of a drive on which each request takes as long as any other."""
    reads, writes = {"read": (PCT_MAX, 0), "mix": (cell.pct, PCT_MAX - cell.pct),
                     "beside": (PCT_MAX, cell.pct)}.get(cell.op, (0, PCT_MAX))
    return Series([reads] * STEPS, [writes] * STEPS)


def check_length(profile: Profile, seconds: int) -> None:
    """Raises ToolError if the kernel would not take as many rows, with the windows that cells of `seconds` have."""
    windows_ms = series.fitting_windows(seconds * MS_PER_S)
    costs = {key: (TYPICAL_NS,) * len(windows_ms) for key in profile.costs}
    mixed, beside = ({key: (PERMILLE,) * len(windows_ms) for key in rows} for rows in (profile.mixed, profile.beside))
    replace(profile, windows_ms=windows_ms, costs=costs, mixed=mixed, beside=beside).words("what is chosen")


def check(cells: list[Cell], seconds: int, kept: Iterable[Cell] = ()) -> None:
    """Raises ToolError with one sentence; `kept` were measured before, and tell the rate of writes beside reads."""
    known = {*cells, *kept}
    for cell in cells:
        if cell.is_beside():
            measurement.writes_alone(cell, known)
    for op in OPS:
        if not any(cell.op == op for cell in cells):
            raise ToolError(f"what is chosen has no cell that only {DOING[op]}: a profile is made of the cells that are "
                            f"chosen, and needs both kinds, such as {EXAMPLE} (what is kept is not measured again)")
    check_length(build.build({cell: counts(cell) for cell in cells if not cell.is_discard()}, {}, name="what is chosen"), seconds)
