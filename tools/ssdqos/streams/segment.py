# SPDX-License-Identifier: GPL-2.0
"""A line of a table: one stream on one drive."""

from __future__ import annotations

from dataclasses import dataclass, field

from ssdqos.errors import ToolError
from ssdqos.streams.dmsetup import TARGET

SECTOR_BYTES = 512
DRIVE = "drive"
# Of keys that hold for all streams of a drive.
DRIVE_PREFIX = "drive_"
# Where a drive keeps the state of its lifetime; a device, like the drive.
META = "drive_meta"


@dataclass(frozen=True)
class Segment:
    """In sectors; `device` is a path or major:minor."""

    start: int
    length: int
    device: str
    offset: int
    keys: dict[str, str] = field(default_factory=dict)

    def line(self) -> str:
        words = [str(self.start), str(self.length), TARGET, self.device, str(self.offset)]
        if self.keys:
            ordered = sorted(self.keys.items(), key=lambda pair: pair[0] != DRIVE)
            words += [str(2 * len(ordered)), *(word for pair in ordered for word in pair)]
        return " ".join(words)


def parse(line: str) -> Segment:
    """From `dmsetup table`."""
    words = line.split()
    if len(words) < 5 or words[2] != TARGET:
        raise ToolError(f"no line of target {TARGET}: {line!r}")
    rest = words[6:]
    return Segment(int(words[0]), int(words[1]), words[3], int(words[4]), dict(zip(rest[::2], rest[1::2])))


def parse_keys(words: list[str]) -> dict[str, str]:
    """KEY=VALUE of a command line."""
    made = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key or not value or len(word.split()) != 1:
            raise ToolError(f"{word!r} is not KEY=VALUE")
        made[key] = value
    return made
