# SPDX-License-Identifier: GPL-2.0
"""States of lifetimes in /var/lib/ssdqos, for drives that have no drive_meta."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ssdqos import whole_file
from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.lifetime import place, state
from ssdqos.lifetime.place import Place
from ssdqos.lifetime.state import State
from ssdqos.streams import segment
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import TARGET, Dmsetup
from ssdqos.streams.memory import Memory
from ssdqos.streams.segment import DRIVE, META, Segment

DIRECTORY = Path("/var/lib/ssdqos")
SUFFIX = ".life"


@dataclass(frozen=True)
class Kept:
    """A drive whose wear is counted: one of its streams in sysfs, and where its state belongs."""

    drive: str
    stream: Path
    file: Path


@dataclass(frozen=True)
class Keeper:
    """A file for each drive, with a name that stays."""

    dmsetup: Dmsetup = field(default_factory=Dmsetup)
    names: DiskNames = field(default_factory=DiskNames)
    where: Place = field(default_factory=Place)
    directory: Path = DIRECTORY
    memory: Memory = field(default_factory=Memory)

    def name_of(self, part: Segment) -> str:
        """The disk's, that says which one it is; or the one that the user has given."""
        node = self.names.node(part.device)
        disk = Device(node, self.names.system)
        if disk.is_block():
            node = self.names.dev / Device.lowest(disk.disk_directory()).name
        given = part.keys.get(DRIVE, "")
        made = given if given not in ("", node.name) else Path(self.names.stable(str(node))).name
        return made.replace("/", "!")

    def lines(self) -> dict[str, list[Segment]]:
        """By device: its streams whose disk is there."""
        found = {name: [segment.parse(line) for line in lines if line.split()[2] == TARGET]
                 for name, lines in self.dmsetup.all_tables().items()}
        return {name: [part for part in parts if self.names.is_there(part.device, name)] for name, parts in found.items()}

    def drives(self, only: str | None = None) -> Iterator[Kept]:
        """Of all streams, or of one device's; those that keep their state themselves are left out."""
        lines = self.lines()
        mine = {self.name_of(part) for parts in lines.values() for part in parts if META in part.keys}
        seen = set()
        for name, parts in lines.items():
            for part in parts:
                drive = self.name_of(part)
                stream = self.where.stream(name, part.start)
                if drive in mine | seen or stream is None or only not in (None, name):
                    continue
                if place.read_state(stream):
                    seen.add(drive)
                    yield self.place_of(drive, stream)

    def place_of(self, drive: str, stream: Path) -> Kept:
        return Kept(drive, stream, self.directory / f"{drive}{SUFFIX}")

    def note(self, without: set[str] = frozenset()) -> None:
        """Lives that are there now have to be saved; `without` those that were, and went."""
        self.memory.note_lives(self.memory.lives() - without | {drive.drive for drive in self.drives()})

    def missed(self) -> bool:
        """Whether a life that was noted has gone unsaved; says so, once."""
        live = {self.name_of(part) for parts in self.lines().values() for part in parts}
        lost = self.memory.lives() - live
        for drive in sorted(lost):
            print(f"ssdqos: drive {drive}: its lifetime was not saved, its streams have gone: "
                  f"{self.directory / drive}{SUFFIX} is older", file=sys.stderr)
        self.note(without=self.memory.lives())
        return bool(lost)

    @staticmethod
    def kept(file: Path) -> State | None:
        """None if there is none; raises ToolError if it is broken."""
        try:
            return state.parse(file.read_bytes(), str(file))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ToolError(f"{file} cannot be read: {error.strerror}") from error

    def save(self, drive: Kept) -> Path:
        """A state of a longer life is not replaced: the drive has not been told of it yet.  Nor is one that we cannot read."""
        raw = place.read_state(drive.stream)
        now = state.parse(raw, str(drive.stream / place.STATE))
        try:
            old = self.kept(drive.file)
        except state.Broken:
            old = None  # it is worth nothing
        if old and old.is_further_than(now):
            raise ToolError(f"{drive.file} is of a longer life than the drive's now: "
                            "ssdqos restore --life goes on with it, removing it begins anew")
        replace(drive.file, raw)
        return drive.file

    def load(self, drive: Kept) -> bool:
        """Whether the drive goes on from its file: it does not if it is further itself."""
        old = self.kept(drive.file)
        if not old:
            return False
        now = state.parse(place.read_state(drive.stream), str(drive.stream / place.STATE))
        if not old.is_further_than(now):
            return False
        place.write_state(drive.stream, drive.file.read_bytes())
        return True


def goes_on(keeper: Keeper, name: str | None = None) -> bool:
    """Drives of a device, or all, go on where their files are; says so, and what did not work."""
    failed = False
    for drive in keeper.drives(name):
        try:
            if keeper.load(drive):
                print(f"drive {drive.drive}: its lifetime goes on from {drive.file}")
        except ToolError as error:
            print(f"ssdqos: drive {drive.drive}: {error}", file=sys.stderr)
            failed = True
    keeper.note()
    return not failed


def rescue(keeper: Keeper, name: str, parts: list[Segment]) -> None:
    """What is known of drives that were unplugged; `parts` says where they are now."""
    for part in parts:
        stream = keeper.where.stream(name, part.start)
        if stream is None or META in part.keys or not place.read_state(stream):
            continue
        try:
            keeper.save(keeper.place_of(keeper.name_of(part), stream))
        except ToolError as error:
            print(f"ssdqos: {error}", file=sys.stderr)


def keep(keeper: Keeper, name: str | None = None) -> bool:
    """Of the same drives, files are written; says which, and what did not work."""
    failed = False
    for drive in keeper.drives(name):
        try:
            print(keeper.save(drive))
        except ToolError as error:
            print(f"ssdqos: drive {drive.drive}: {error}", file=sys.stderr)
            failed = True
    return not failed


def replace(file: Path, raw: bytes) -> None:
    """After a power cut there is the old state or the new one."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        whole_file.replace(file, raw)
    except OSError as error:
        raise ToolError(f"{file} cannot be written: {error.strerror}") from error
