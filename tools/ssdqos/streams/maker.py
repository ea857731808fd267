# SPDX-License-Identifier: GPL-2.0
"""Makes a mapped device with its streams, its profile and its promises."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.qos import profile_file
from ssdqos.qos.promise import RATE_KEYS
from ssdqos.streams import hints, segment, status
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import TARGET, Dmsetup
from ssdqos.streams.extents import check_free
from ssdqos.streams.memory import Memory
from ssdqos.streams.segment import DRIVE, META, Segment

NO_PROFILE = "none"
# A target whose reads and writes all fail: it holds no disk.
ERROR = "error"


@dataclass(frozen=True)
class Maker:
    """Whatever fails, no half-made device stays."""

    dmsetup: Dmsetup = field(default_factory=Dmsetup)
    memory: Memory = field(default_factory=Memory)
    names: DiskNames = field(default_factory=DiskNames)

    def make(self, name: str, segments: list[Segment], profile: str, always: bool = True) -> None:
        """A promise needs the profile, and the profile the device: rates come last.

        `always` loads the profile also where the drive has one already.
        """
        words = words_of(profile)
        if self.dmsetup.exists(name):
            raise ToolError(f"there is a device {name} already")
        check_free(segments, self.others(name), self.dmsetup, self.names)
        try:
            self.dmsetup.create(name, [self.first_line(part) for part in segments])
        except ToolError as error:
            raise hints.busy(error, Path(segments[0].device)) from error
        try:
            self.promise(name, segments, words, profile, always)
            self.memory.note_wanted(name)
        except BaseException:  # also somebody's Ctrl-C
            self.dmsetup.remove(name)
            raise

    def others(self, name: str) -> dict[str, list[Segment]]:
        """Live streams by device, without this one."""
        return {other: [segment.parse(line) for line in self.dmsetup.table(other) if line.split()[2] == TARGET]
                for other in sorted(self.dmsetup.names()) if other != name}

    def promise(self, name: str, segments: list[Segment], words: str, profile: str, always: bool) -> None:
        if words:
            self.load(name, words, profile, always)
        for part in segments:
            if rates := rates_of(part.keys):
                self.dmsetup.message(name, part.start, "set", *rates)

    # ---- disks that were unplugged ----

    def live(self, name: str) -> list[Segment]:
        """What the device is made of now; nothing if it was let go of a disk, and did not get another one."""
        lines = self.dmsetup.table(name)
        if len(lines) == 1 and lines[0].split()[2:] == [ERROR] and self.dmsetup.is_ours(name):
            return []
        if not lines or any(line.split()[2] != TARGET for line in lines):
            raise ToolError(f"there is a device {name}, which is no stream")
        return [segment.parse(line) for line in lines]

    def gone(self, name: str, live: list[Segment]) -> list[str]:
        """Numbers of disks that are not there any more: reads and writes fail."""
        return sorted({part.device for part in live if not self.names.is_there(part.device, name)} |
                      {part.keys[META] for part in live if META in part.keys and not self.names.is_known(part.keys[META])})

    def check_same(self, name: str, live: list[Segment], wanted: list[Segment], by_itself: bool) -> None:
        """Raises ToolError where nobody can say that a wanted disk is the one that has gone."""
        for old, new in zip(live, wanted):
            there = self.names.is_there(old.device, name)
            if there and self.names.number(old.device) == self.names.number(new.device):
                continue
            if there:
                raise ToolError(f"it stands on {old.device}, which is there, and shall be on {new.device}: "
                                "remove it, and it can be made again")
            self.check_lasting(name, f"its disk {old.device}", new.device, by_itself)

    def check_lasting(self, name: str, gone: str, device: str, by_itself: bool) -> None:
        if by_itself and not self.names.is_lasting(device):
            raise ToolError(f"{gone} has gone, and {device} may be any disk: ssdqos restore {name} puts it there")

    def is_elsewhere(self, name: str, live: list[Segment], wanted: list[Segment]) -> bool:
        """Whether the table has another disk than is wanted, or a dead one."""
        return self.numbers(live) != self.numbers(wanted) or bool(self.gone(name, live))

    def numbers(self, parts: list[Segment]) -> list[list[str]]:
        return [[self.names.number(device) for device in devices_of(part)] for part in parts]

    def move(self, name: str, live: list[Segment], wanted: list[Segment], profile: str) -> None:
        """The live table on the disks that are wanted; all else stays as it is now."""
        if [place(part) for part in live] != [place(part) for part in wanted]:
            raise ToolError(f"{name} stands on other places of its disk than {name}.conf says: "
                            f"remove it, and it can be made again")
        words = words_of(profile)
        made = [moved(old, new) for old, new in zip(live, wanted)]
        self.let_go(name, live, made)
        self.dmsetup.replace(name, [self.first_line(part) for part in made])
        self.promise(name, made, words, profile, always=False)

    def move_again(self, name: str, wanted: list[Segment], profile: str, by_itself: bool) -> None:
        """What was let go, and then refused; what had been set since it was made is not known any more."""
        length = sum(part.length for part in wanted)
        if self.dmsetup.table(name)[0].split()[:2] != ["0", str(length)]:
            raise ToolError(f"{name} is not as long as {name}.conf says: remove it, and it can be made again")
        for part in wanted:
            self.check_lasting(name, "its disk", part.device, by_itself)
        words = words_of(profile)
        self.dmsetup.replace(name, [self.first_line(part) for part in wanted])
        self.promise(name, wanted, words, profile, always=False)

    def let_go(self, name: str, live: list[Segment], wanted: list[Segment]) -> None:
        """Device mapper takes what it holds already for a new disk of that number: it must not hold it."""
        if {number for part in self.numbers(live) for number in part} & \
                {number for part in self.numbers(wanted) for number in part}:
            self.dmsetup.replace(name, [f"0 {live[-1].start + live[-1].length} {ERROR}"])

    def first_line(self, part: Segment) -> str:
        """Without a promise; streams on mapped devices of one disk share that disk."""
        keys = {DRIVE: self.names.drive_of(Path(part.device))} | without_rates(part.keys)
        return replace(part, keys={key: value for key, value in keys.items() if value}).line()

    def load(self, name: str, words: str, profile: str, always: bool) -> None:
        for one in status.read(self.dmsetup, name):
            if always or one.words.get("profile", NO_PROFILE) == NO_PROFILE:
                self.dmsetup.message(name, one.start, "profile", words)
                self.memory.keep(one.drive, Path(profile))


def words_of(profile: str) -> str:
    return profile_file.read(Path(profile)).words() if profile else ""


def place(part: Segment) -> tuple[int, int, int]:
    return part.start, part.length, part.offset


def devices_of(part: Segment) -> list[str]:
    return [part.device, *([part.keys[META]] if META in part.keys else [])]


def moved(old: Segment, new: Segment) -> Segment:
    """With the names of the new one, that are the disk's."""
    names = {key: value for key, value in new.keys.items() if key in (DRIVE, META)}
    rest = {key: value for key, value in old.keys.items() if key not in (DRIVE, META)}
    return replace(old, device=new.device, keys=names | rest)


def without_rates(keys: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in keys.items() if key not in RATE_KEYS}


def rates_of(keys: dict[str, str]) -> list[str]:
    return [word for key, value in keys.items() if key in RATE_KEYS and value != "0" for word in (key, value)]
