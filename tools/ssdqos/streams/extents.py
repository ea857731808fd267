# SPDX-License-Identifier: GPL-2.0
"""Which sectors of which disk streams stand on: two on the same would destroy each other's data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.qos.units import bytes_text, size_text
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.segment import SECTOR_BYTES, Segment


@dataclass(frozen=True)
class Extent:
    """Of a whole disk, in sectors; `first` is where the device that was named begins on it."""

    disk: str
    begin: int
    end: int
    first: int

    def overlaps(self, other: Extent) -> bool:
        return self.disk == other.disk and self.begin < other.end and other.begin < self.end


def extent(part: Segment, names: DiskNames) -> Extent:
    """Of a partition's part, too."""
    number = names.number(part.device)
    directory = (names.system.sys / "dev" / "block" / number).resolve()
    first = 0
    if (directory / "partition").exists():
        first = int((directory / "start").read_text())
        number = (directory.parent / "dev").read_text().strip()
    begin = first + part.offset
    return Extent(number, begin, begin + part.length, first)


def check_free(wanted: list[Segment], live: dict[str, list[Segment]], names: DiskNames) -> None:
    """Raises ToolError if a live stream has some of it."""
    for part in wanted:
        mine = extent(part, names)
        for name, parts in live.items():
            for other in (extent(one, names) for one in parts):
                if mine.overlaps(other):
                    raise ToolError(taken(part, name, mine, other))


def taken(part: Segment, name: str, mine: Extent, other: Extent) -> str:
    begin, end = ((sector - mine.first) * SECTOR_BYTES for sector in (other.begin, other.end))
    return (f"{name} has {bytes_text(max(begin, 0))} to {bytes_text(end)} of {Path(part.device)} already: "
            f"--offset {size_text(end)} begins behind it")
