# SPDX-License-Identifier: GPL-2.0
"""How much slower reads of a client with few requests at a time are beside a rate of another one's writes.

Such a client waits for its read while the flash under it is written, or a block emptied and erased.  Time that
the drive has left is none for it.  Example: a drive does 15,000 reads of 4 KiB a second, one at a time.  Beside
660 writes a second, 2 % of what it can, the mean is 14,000, and the worst second has 3,800, as blocks are emptied
all at once: 4 times as long.
"""

from __future__ import annotations

from ssdqos.profiler.cell import Cell
from ssdqos.profiler.mixture import worse
from ssdqos.qos.profile_file import CostKey, MixedKey
from ssdqos.qos.units import PERMILLE, ceil_div

Row = tuple[int | None, ...]


def permille(beside_ns: int | None, alone_ns: int | None) -> int | None:
    """Never less than alone: what was faster by chance is no promise."""
    return max(ceil_div(PERMILLE * beside_ns, alone_ns), PERMILLE) if beside_ns and alone_ns else None


def rows(beside: dict[Cell, dict[int, Row]], alone: dict[CostKey, Row]) -> dict[MixedKey, Row]:
    """From the costs of reads beside writes by confidence; of several sizes the worst counts.

    Cells whose reads were not measured alone are left out.
    """
    made: dict[MixedKey, Row] = {}
    for cell, costs in beside.items():
        for confidence, row in costs.items():
            single = alone.get(CostKey(cell.of("read"), cell.bytes, cell.depth, confidence))
            if single is None:
                continue
            key = MixedKey(cell.pct, cell.depth, confidence)
            found = tuple(map(permille, row, single))
            made[key] = tuple(map(worse, made[key], found)) if key in made else found
    return dict(sorted(made.items()))
