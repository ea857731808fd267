# SPDX-License-Identifier: GPL-2.0
"""How much slower reads of a client with few requests at a time are beside a rate of another one's writes.

Such a client waits for its read while the flash under it is written, or a block emptied and erased.  Time that
the drive has left is none for it.  Example: a drive does 15,000 reads of 4 KiB a second, one at a time.  Beside
660 writes a second, 2 % of what it can, the mean is 14,000, and the worst second has 3,800, as blocks are emptied
all at once: 4 times as long.  Reads of 64 KiB need 16 chips, and one that is busy keeps them: each size has rows of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from ssdqos.profiler.cell import Cell
from ssdqos.profiler.mixture import worse
from ssdqos.qos.profile_file import BesideKey, CostKey
from ssdqos.qos.units import PERMILLE, ceil_div

Row = tuple[int | None, ...]
# By cell, confidence and window: cells of other sizes that count as well.
Others = Callable[[Cell, int, int], Iterable[Cell]]


def permille(beside_ns: int | None, alone_ns: int | None) -> int | None:
    """Never less than alone: what was faster by chance is no promise."""
    return max(ceil_div(PERMILLE * beside_ns, alone_ns), PERMILLE) if beside_ns and alone_ns else None


def nobody(_cell: Cell, _confidence: int, _at: int) -> Iterable[Cell]:
    return ()


def rows(beside: dict[Cell, dict[int, Row]], alone: dict[CostKey, Row], others: Others = nobody) -> dict[BesideKey, Row]:
    """From the costs of reads beside writes by confidence.

    Cells whose reads were not measured alone are left out.
    """
    own: dict[tuple[Cell, int], Row] = {}
    for cell, costs in beside.items():
        for confidence, row in costs.items():
            single = alone.get(CostKey(cell.of("read"), cell.bytes, cell.depth, confidence))
            if single is not None:
                own[cell, confidence] = tuple(map(permille, row, single))
    made: dict[BesideKey, Row] = {}
    for (cell, confidence), row in own.items():
        known = [[own[one, confidence][at] for one in others(cell, confidence, at) if (one, confidence) in own]
                 for at in range(len(row))]
        key = BesideKey(cell.pct, cell.depth, confidence, cell.bytes)
        made[key] = tuple(reduce(worse, more, value) for value, more in zip(row, known))
    return dict(sorted(made.items()))
