# SPDX-License-Identifier: GPL-2.0
"""Which sectors of which disk streams stand on: two on the same would destroy each other's data.

A stream on a logical volume stands on the disk below the volume.  So devices of the device mapper are followed
down to where their tables lead, but for streams: what lies on a stream goes through it and takes nothing from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.qos.units import bytes_text, size_text
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.segment import SECTOR_BYTES, Segment

# Targets whose sectors follow each other on one device: where its name stands in the table line, and then the offset.
ONE_DEVICE_WORD = {"linear": 3, "crypt": 6}
# "START LENGTH striped STRIPES CHUNK DEVICE OFFSET DEVICE OFFSET ..."
STRIPED, STRIPES_WORD, FIRST_STRIPE_WORD = "striped", 3, 5
# More devices on top of each other than this are a table that leads to itself while it is changed.
MAX_DEPTH = 64


@dataclass(frozen=True)
class Extent:
    """Of a whole disk, in sectors."""

    disk: str
    begin: int
    end: int

    def overlaps(self, other: Extent) -> bool:
        return self.disk == other.disk and self.begin < other.end and other.begin < self.end

    def of(self, number: str, at: int) -> Extent:
        """The same sectors, on another device at `at`."""
        return Extent(number, at, at + self.end - self.begin)


@dataclass(frozen=True)
class Disks:
    """Finds the disks below a device."""

    dmsetup: Dmsetup
    names: DiskNames

    def below(self, part: Segment) -> list[Extent]:
        begin = part.offset
        return self.follow(Extent(self.names.number(part.device), begin, begin + part.length), MAX_DEPTH)

    def follow(self, wanted: Extent, depth: int) -> list[Extent]:
        directory = (self.names.system.sys / "dev" / "block" / wanted.disk).resolve()
        if (directory / "partition").exists():
            first = int((directory / "start").read_text())
            disk = (directory.parent / "dev").read_text().strip()
            return self.follow_mapped(Extent(disk, first + wanted.begin, first + wanted.end), directory.parent, depth)
        return self.follow_mapped(wanted, directory, depth)

    def follow_mapped(self, wanted: Extent, directory: Path, depth: int) -> list[Extent]:
        try:
            name = (directory / "dm" / "name").read_text().strip()
        except OSError:
            return [wanted]
        if not depth:
            raise ToolError(f"{name} lies on itself")
        found = []
        for line in self.dmsetup.table(name):
            found += self.follow_line(wanted, line.split(), depth - 1)
        return found

    def follow_line(self, wanted: Extent, words: list[str], depth: int) -> list[Extent]:
        """The part of it that this line of a table has."""
        start, length, target = int(words[0]), int(words[1]), words[2]
        begin, end = max(wanted.begin, start), min(wanted.end, start + length)
        if begin >= end:
            return []
        mine = Extent(wanted.disk, begin, end)
        if target in ONE_DEVICE_WORD:
            device, offset = words[ONE_DEVICE_WORD[target]:][:2]
            return self.follow(mine.of(self.names.number(device), int(offset) + begin - start), depth)
        if target == STRIPED:
            stripe = length // int(words[STRIPES_WORD])
            pairs = zip(words[FIRST_STRIPE_WORD::2], words[FIRST_STRIPE_WORD + 1::2])
            return [one for device, offset in pairs
                    for one in self.follow(Extent(self.names.number(device), int(offset), int(offset) + stripe), depth)]
        return [mine]


def check_free(wanted: list[Segment], live: dict[str, list[Segment]], dmsetup: Dmsetup, names: DiskNames) -> None:
    """Raises ToolError if a live stream has some of it."""
    disks = Disks(dmsetup, names)
    taken = [(name, other, disks.below(other)) for name, parts in live.items() for other in parts]
    for part in wanted:
        for mine in disks.below(part):
            for name, other, theirs in taken:
                if clash := next((one for one in theirs if mine.overlaps(one)), None):
                    raise ToolError(sentence(part, name, other, mine, clash, names))


def sentence(part: Segment, name: str, other: Segment, mine: Extent, theirs: Extent, names: DiskNames) -> str:
    """With the offset that would do, where both stand on one device, or one on the disk itself."""
    if names.number(part.device) == names.number(other.device):
        begin, end = other.offset, other.offset + other.length
    elif mine.disk == names.number(part.device):
        begin, end = theirs.begin, theirs.end
    else:
        return f"{name} has sectors of {Path(part.device)} already: both lie on {names.stable(mine.disk)}"
    return (f"{name} has {bytes_text(begin * SECTOR_BYTES)} to {bytes_text(end * SECTOR_BYTES)} of {Path(part.device)} "
            f"already: --offset {size_text(end * SECTOR_BYTES)} begins behind it")
