# SPDX-License-Identifier: GPL-2.0
"""Whether devices may become a mirror: whose data would go, and how large it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.mirror import metadata
from ssdqos.mirror.line import BLOCK_SECTORS, MAX_MEMBERS, MIN_MEMBERS, SECTOR_BYTES
from ssdqos.profiler import contents
from ssdqos.qos.units import bytes_text


def check_block(device: Device) -> None:
    if not device.is_block():
        raise ToolError(f"{device.path} is no block device")


def check_apart(devices: list[Device]) -> None:
    """Two that are one, or one that is a part of another, would be written over each other."""
    for at, one in enumerate(devices):
        for other in devices[at + 1:]:
            if one.number() in other.parts() or other.number() in one.parts():
                raise ToolError(f"{one.path} and {other.path} are the same device, or one is a part of the other")


def check_nothing(device: Device, instead: str) -> None:
    if kind := contents.signature(device.path):
        raise ToolError(f"on {device.path} is {kind}, which would be written over with {instead}: --yes if that may be")


def check_meta_room(meta: Device, length: int, region_bytes: int) -> None:
    """For a mirror of so many sectors."""
    need, have = metadata.need_bytes(length, region_bytes), meta.size_bytes()
    if have < need:
        raise ToolError(f"{meta.path} has {bytes_text(have)}, {need} bytes are needed for the metadata")


@dataclass(frozen=True)
class Devices:
    """`offset` is that of all members, in sectors."""

    members: tuple[Device, ...]
    meta: Device
    offset: int = 0

    def check(self) -> None:
        """Raises ToolError with one sentence; nobody else may use them."""
        if not MIN_MEMBERS <= len(self.members) <= MAX_MEMBERS:
            raise ToolError(f"a mirror has {MIN_MEMBERS} to {MAX_MEMBERS} members, and {len(self.members)} are given")
        for device in (*self.members, self.meta):
            check_block(device)
        check_apart([*self.members, self.meta])
        for device in (*self.members, self.meta):
            device.check_unused()

    def check_contents(self, same: bool) -> None:
        """All but the first member are written over."""
        if same:
            return
        for device in self.members[1:]:
            check_nothing(device, f"the data of {self.members[0].path}")

    def length(self) -> int:
        """In sectors: what fits on all, in whole blocks."""
        sectors = min(device.size_bytes() for device in self.members) // SECTOR_BYTES - self.offset
        if sectors < BLOCK_SECTORS:
            raise ToolError(f"nothing is left of the smallest member behind {bytes_text(self.offset * SECTOR_BYTES)}")
        return sectors // BLOCK_SECTORS * BLOCK_SECTORS

    def told(self, length: int) -> list[str]:
        """Sizes, where they differ; and members that would go together."""
        sizes = {device.path: device.size_bytes() for device in self.members}
        made = []
        if len(set(sizes.values())) > 1:
            each = ", ".join(f"{path} has {bytes_text(size)}" for path, size in sizes.items())
            made.append(f"{each}: the mirror has {bytes_text(length * SECTOR_BYTES)}")
        disks = [device.disk_directory() for device in self.members]
        if len(set(disks)) < len(disks):
            made.append("members are on one disk: if that dies, they die together")
        return made

    def check_meta(self, length: int, region_bytes: int) -> None:
        check_meta_room(self.meta, length, region_bytes)


def meta_contents(path: Path) -> str:
    """What is on a metadata device, in a few words; empty if it is blank."""
    with metadata.opened(path) as found:
        if found.is_blank():
            return ""
        known = found.super_block()
    if known:
        told = metadata.parse_super(known)
        return f"what is known of a mirror of {told.nr_members} members and {bytes_text(told.sectors * SECTOR_BYTES)}"
    return contents.signature(path) or "something that is no mirror's"
