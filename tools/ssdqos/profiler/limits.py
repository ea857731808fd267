# SPDX-License-Identifier: GPL-2.0
"""From where to where numbers may be that somebody asks for: a row for each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ssdqos.bounds import Range
from ssdqos.device import SECTOR_BYTES
from ssdqos.errors import ToolError
from ssdqos.profiler.cell import KIB, Cell
from ssdqos.qos.profile_file import DISCARD_BYTES_MAX
from ssdqos.qos.units import bytes_text, size_text

DAY_S = 24 * 3600


@dataclass(frozen=True)
class PowersOfTwo(Range[int]):
    kind: str = "a power of two "

    def fits(self, value: int) -> bool:
        return super().fits(value) and value & (value - 1) == 0


@dataclass(frozen=True)
class WholeSectors(Range[int]):
    kind: str = f"whole sectors of {SECTOR_BYTES} bytes "

    def fits(self, value: int) -> bool:
        return super().fits(value) and value % SECTOR_BYTES == 0


# What is longer than a day is a slip of the finger.
SECONDS = Range(1, DAY_S, "s")
WARM_UP_S = Range(0, DAY_S, "s")
# As the simulator takes them: 64 MiB to 1 TiB.
SIZE_MB = Range(64, KIB * KIB, "MiB")
# As the kernel takes a profile's rows (core/qos/profile.c): sizes, depths, and sizes of discards.
SIZE = PowersOfTwo(SECTOR_BYTES, 16 * KIB * KIB, text=size_text)
DEPTH = Range(1, 65535, "requests")
DISCARD = WholeSectors(SECTOR_BYTES, DISCARD_BYTES_MAX, text=size_text)
# fio has a buffer for each request that is under way.
UNDER_WAY_BYTES_MAX = 1 << 30
# The drive is filled with such requests (plan.py).
SPAN_BYTES_MIN = KIB * KIB


def check_cell(argument: str, cell: Cell) -> None:
    """Raises ToolError if the kernel would not take its row, or fio could not run it."""
    argument = f"{argument} {cell.name}"
    (DISCARD if cell.is_discard() else SIZE).check(f"{argument}: size", cell.bytes)
    DEPTH.check(f"{argument}: depth", cell.depth)
    if cell.bytes * cell.depth > UNDER_WAY_BYTES_MAX:
        raise ToolError(f"{cell.name} has {bytes_text(cell.bytes * cell.depth)} under way at a time, which may be "
                        f"{bytes_text(UNDER_WAY_BYTES_MAX)} at most")


def check_fit(cells: Iterable[Cell], least_bytes: int, most_bytes: int, what: str) -> None:
    """Raises ToolError with the first cell whose requests are smaller or larger than a drive takes them; 0 is unknown."""
    for cell in cells:
        if cell.bytes < least_bytes:
            raise ToolError(f"{cell.name} is smaller than a block of {what}, which has {bytes_text(least_bytes)}")
        if most_bytes and cell.bytes > most_bytes:
            raise ToolError(f"{cell.name} is larger than what is used of {what}, {bytes_text(most_bytes)}")
