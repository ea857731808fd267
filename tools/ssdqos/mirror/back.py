# SPDX-License-Identifier: GPL-2.0
"""Mirrors of /etc/ssdqos that come back: at boot, and when one of their disks does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.mirror import live, metadata
from ssdqos.mirror.conf import MirrorConf
from ssdqos.mirror.create import make
from ssdqos.mirror.identity import Identity, keep
from ssdqos.mirror.line import ABSENT, Line
from ssdqos.streams.conf import SUFFIX
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.memory import Memory


class NotThere(ToolError):
    """What may come yet."""


@dataclass(frozen=True)
class Back:
    """Makes them, or gives them a disk back."""

    dmsetup: Dmsetup
    memory: Memory
    names: DiskNames

    def is_there(self, device: str) -> bool:
        return self.names.node(device).exists()

    # ---- begin ----

    def here(self, wanted: MirrorConf) -> Line:
        """Each disk in its place, under whatever name it is here; without members that are not there, if the metadata
        know that they had failed.

        Others may have what is newest: without them it would be lost.
        """
        line = wanted.line
        if not self.is_there(line.meta):
            raise NotThere(f"{line.meta} is not there")
        if (journal := line.journal()) and not self.is_there(journal):
            raise NotThere(f"the journal, {journal}, is not there, and may have what is newest; with 'journal = "
                           f"{ABSENT}' in {wanted.name}{SUFFIX} the mirror begins without it")
        identity, known = Identity.of(line, self.names), metadata.told(Path(line.meta))
        for number, member in enumerate(line.members):
            if not member.is_here():
                continue
            device = identity.where(number, member.device, identity.anywhere)
            if not device and (known is None or not known.is_out(number)):
                raise NotThere(f"member {number}, {member.device}, is not there, and may have what is newest; with "
                               f"'device = {ABSENT}' in {wanted.name}{SUFFIX} the mirror begins without it")
            line = line.with_member(number, device or ABSENT)
        return line

    def make(self, wanted: MirrorConf, by_itself: bool = False) -> None:
        if self.dmsetup.exists(wanted.name):
            self.complete(wanted, by_itself)
        else:
            make(self.dmsetup, wanted.name, self.here(wanted).lasting())
        self.memory.note_wanted(wanted.name)

    def make_or_pass(self, wanted: MirrorConf, device: Path | None) -> bool:
        """False if it has to wait for something."""
        if device is not None and (not self.is_on(wanted, device) or self.memory.is_removed(wanted.name)):
            return True
        if not self.dmsetup.exists(wanted.name):
            try:
                self.here(wanted)
            except NotThere:
                return False
        self.make(wanted, by_itself=True)
        return True

    @staticmethod
    def is_on(wanted: MirrorConf, device: Path) -> bool:
        return any(Path(name).resolve() == device.resolve() for name in wanted.line.devices())

    # ---- a disk that was unplugged is back ----

    def complete(self, wanted: MirrorConf, by_itself: bool) -> None:
        """Members whose disk has gone, or was not there, get it; what was written meanwhile is copied to it."""
        now = live.read(self.dmsetup, wanted.name).line
        if [member.offset for member in now.members] != [member.offset for member in wanted.line.members]:
            raise ToolError(f"its members are others than {wanted.name}{SUFFIX} says: remove it, "
                            "and it can be made again")
        lost = [number for number, member in enumerate(now.members)
                if not member.is_here() or not self.names.is_there(member.device, wanted.name)]
        if not lost:
            return
        identity = Identity.of(wanted.line, self.names)
        places = {number: identity.where(number, wanted.line.members[number].device, identity.anywhere)
                  for number in lost if wanted.line.members[number].is_here()}
        found = {number: device for number, device in places.items() if device}
        if not found:
            return
        unsure = [device for number, device in found.items()
                  if not (self.names.is_lasting(device) or identity.is_sure(number, device))]
        if by_itself and unsure:
            raise ToolError(f"{unsure[0]} may be any disk: ssdqos restore {wanted.name} puts it there")
        without = with_found = now.lasting()
        for number in lost:
            without = with_found = without.with_member(number, ABSENT)
        for number, device in found.items():
            with_found = with_found.with_member(number, device)
        # Device mapper would take a disk that has gone for a new one of the same number, if it held it still.
        if without != now.lasting():
            self.dmsetup.replace(wanted.name, [without.text()])
        self.dmsetup.replace(wanted.name, [with_found.text()])
        self.memory.note_all_back(wanted.name)
        keep(with_found, self.names)
        for number, device in found.items():
            print(f"{wanted.name}: member {number} is {device} now")
