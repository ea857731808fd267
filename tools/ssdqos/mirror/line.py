# SPDX-License-Identifier: GPL-2.0
"""The table line of a mirror."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ssdqos.errors import ToolError

TARGET = "ssdqos-ianus"
# Unlike that of streams, udev does not take it for one that nothing may stand on.
UUID_PREFIX = "SSDQOSMIRROR-"
# In place of a member that is not here.
ABSENT = "-"
SECTOR_BYTES = 512
# SSDQOS_MIRROR_BLOCK_SECTORS: begin and length are multiples of it.
BLOCK_SECTORS = 8
MIN_MEMBERS, MAX_MEMBERS = 2, 8
# Only of interest when there are no metadata yet; said again, a metadata device that was
# wiped would make a mirror of members that are not the same.
AT_FIRST_ONLY = "assume_same"
REGION = "region_kib"
# A key whose value is a device, or ABSENT.
JOURNAL = "journal"
# Default of REGION in config.h (a test compares).
REGION_KIB = 1024


@dataclass(frozen=True)
class Member:
    """`device` is a path, major:minor or ABSENT; in sectors."""

    device: str
    offset: int = 0

    def is_here(self) -> bool:
        return self.device != ABSENT


@dataclass(frozen=True)
class Line:
    """In sectors."""

    length: int
    members: tuple[Member, ...]
    meta: str
    keys: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        words = ["0", str(self.length), TARGET, str(len(self.members))]
        words += [word for member in self.members for word in (member.device, str(member.offset))]
        words.append(self.meta)
        if self.keys:
            words += [str(2 * len(self.keys)), *(word for pair in self.keys.items() for word in pair)]
        return " ".join(words)

    def with_member(self, number: int, device: str) -> Line:
        members = list(self.members)
        members[number] = replace(members[number], device=device)
        return replace(self, members=tuple(members))

    def lasting(self) -> Line:
        """What may be said again of a mirror that is there already."""
        return replace(self, keys={key: value for key, value in self.keys.items() if key != AT_FIRST_ONLY})

    def region_bytes(self) -> int:
        return int(self.keys.get(REGION, REGION_KIB)) << 10

    def journal(self) -> str | None:
        """Its device, if it has one that is here."""
        device = self.keys.get(JOURNAL, ABSENT)
        return None if device == ABSENT else device

    def with_journal(self, device: str) -> Line:
        return replace(self, keys=self.keys | {JOURNAL: device})

    def devices(self) -> list[str]:
        """Members that are here, the metadata device and the journal's."""
        journal = self.journal()
        return [*(member.device for member in self.members if member.is_here()), self.meta,
                *([journal] if journal else [])]


def parse(line: str) -> Line:
    """From `dmsetup table`."""
    words = line.split()
    try:
        if words[2] != TARGET:
            raise ValueError
        first, nr = 4, int(words[3])
        behind = first + 2 * nr
        members = tuple(Member(device, int(offset))
                        for device, offset in zip(words[first:behind:2], words[first + 1:behind:2]))
        rest = words[behind + 2:]
        return Line(int(words[1]), members, words[behind], dict(zip(rest[::2], rest[1::2])))
    except (IndexError, ValueError) as error:
        raise ToolError(f"no line of target {TARGET}: {line!r}") from error
