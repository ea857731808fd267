# SPDX-License-Identifier: GPL-2.0
"""Which disk is which member.

The kernel's mirror knows members by their place in the table line only: they have no header, as their data begin where
those of the mirror do.  A disk in another one's place would serve what is old, or what never was the mirror's.  So what
disks say of themselves is kept beside the metadata, and compared before a mirror begins.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path

from ssdqos.device import Device, first
from ssdqos.errors import ToolError
from ssdqos.mirror import metadata
from ssdqos.mirror.line import Line
from ssdqos.streams.disk_names import DiskNames

# Of a whole disk, the one that says most first; mapped devices have an uuid, or somebody has given them a name.
KNOWN_BY = ("wwid", "device/wwid", "dm/uuid", "dm/name", "serial", "device/serial")


def known_as(place: Path) -> str:
    """What a disk or a partition says of itself whatever its name, by its place in sysfs; empty if nothing."""
    if not (place / "partition").exists():
        return first(place, KNOWN_BY)
    disk = first(place.parent, KNOWN_BY)
    return f"{disk}, from sector {first(place, ('start',))}" if disk else ""


@dataclass(frozen=True)
class Identity:
    """Of the members of a mirror; `kept` is what its metadata have, by number, empty if they have nothing."""

    kept: list[str]
    names: DiskNames

    @classmethod
    def of(cls, line: Line, names: DiskNames) -> Identity:
        with metadata.opened(names.node(line.meta)) as found:
            kept = found.identities()
        # A table may have members that the metadata do not know yet.
        return cls((kept + [""] * len(line.members))[:len(line.members)], names)

    def now(self, device: str) -> str:
        return known_as(Device(self.names.node(device), self.names.system).directory())

    def anywhere(self, wanted: str) -> str:
        """The one device of this machine that says this of itself; empty if there is none, or several."""
        found = [place.name.replace("!", "/") for place in (self.names.system.sys / "class/block").glob("*")
                 if (place / "dev").exists() and known_as(place.resolve()) == wanted]
        return str(self.names.dev / found[0]) if len(found) == 1 else ""

    def is_sure(self, number: int, device: str) -> bool:
        return bool(self.kept[number]) and self.now(device) == self.kept[number]

    def check(self, number: int, device: str) -> None:
        """Raises ToolError for a disk that is not this member."""
        kept, now = self.kept[number], self.now(device)
        if kept in ("", now):
            return
        other = f", member {self.kept.index(now)}" if now and now in self.kept else ""
        raise ToolError(f"member {number} is the disk {kept}, and {device} is {now or 'one that does not say'}{other}")

    def where(self, number: int, device: str, elsewhere: Callable[[str], str]) -> str:
        """Where this member is now, `device` or another name; empty if it is not there."""
        there = self.names.node(device).exists()
        if not self.kept[number] or (there and self.is_sure(number, device)):
            return device if there else ""
        if not (found := elsewhere(self.kept[number])) and there:
            self.check(number, device)
        return found

    def in_order(self, line: Line) -> Line:
        """With the same devices, each in its place."""
        given = {self.now(member.device): member.device for member in line.members}
        made = line
        for number, member in enumerate(line.members):
            made = made.with_member(number, self.where(number, member.device, lambda wanted: given.get(wanted, "")))
        if {member.device for member in made.members} != {member.device for member in line.members}:
            raise ToolError("one of these devices would be two members: the others don't say which disks they are")
        return made


def secure(line: Line, names: DiskNames) -> None:
    """Before a mirror gets this line: if that makes it longer, what is kept is lost only when it is."""
    known = metadata.told(names.node(line.meta))
    if known and known.sectors < line.length:
        with metadata.opened(names.node(line.meta), for_writing=True) as found:
            found.secure_identities(line.length)


def keep(line: Line, names: DiskNames, anew: Container[int] = (), before: Identity | None = None) -> None:
    """What the members that are here say of themselves; for others what is kept stays, but for those `anew`.

    `before` is what was kept before the mirror has, maybe, become longer: that may have taken its place.
    """
    known = Identity.of(line, names)
    now = [known.now(member.device) if member.is_here() else "" for member in line.members]
    had = ["" if number in anew else kept for number, kept in enumerate((before or known).kept)]
    # What two say tells nobody apart.
    made = [one if one and now.count(one) == 1 else kept for one, kept in zip(now, had)]
    if made != known.kept:
        with metadata.opened(names.node(line.meta), for_writing=True) as found:
            found.keep_identities(made)
