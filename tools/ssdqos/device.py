# SPDX-License-Identifier: GPL-2.0
"""A disk: who uses it, and what it is."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ssdqos.errors import ToolError

SECTOR_BYTES = 512
MODEL_FILES = ("device/model", "dm/name", "loop/backing_file")
FIRMWARE_FILES = ("device/firmware_rev", "device/rev")
SERIAL_FILES = ("device/serial", "device/vpd_pg80", "serial")
TEMPERATURE_GLOBS = ("device/hwmon*/temp1_input", "device/hwmon/hwmon*/temp1_input",
                     "device/device/hwmon/hwmon*/temp1_input")
MILLI = 1000


@dataclass(frozen=True)
class System:
    """Where the kernel says what it knows."""

    proc: Path = Path("/proc")
    sys: Path = Path("/sys")

    def lines(self, name: str) -> list[list[str]]:
        try:
            return [line.split() for line in (self.proc / name).read_text().splitlines()]
        except OSError:
            return []


@dataclass(frozen=True)
class Device:
    """A block device, or a regular file that stands for one."""

    path: Path
    system: System = field(default_factory=System)

    def is_block(self) -> bool:
        try:
            return stat.S_ISBLK(self.path.stat().st_mode)
        except OSError:
            return False

    def is_file(self) -> bool:
        return self.path.is_file()

    def number(self) -> str:
        """major:minor"""
        number = self.path.stat().st_rdev
        return f"{os.major(number)}:{os.minor(number)}"

    def directory(self) -> Path:
        """The disk's or the partition's place in sysfs."""
        return (self.system.sys / "dev" / "block" / self.number()).resolve()

    def disk_directory(self) -> Path:
        """Of the whole disk."""
        found = self.directory()
        return found.parent if (found / "partition").exists() else found

    def size_bytes(self) -> int:
        if not self.is_block():
            return self.path.stat().st_size if self.is_file() else 0
        return int((self.directory() / "size").read_text()) * SECTOR_BYTES

    # ---- who uses it ----

    def parts(self) -> dict[str, str]:
        """Names by major:minor: of the device and of its partitions."""
        found = self.directory()
        made = {self.number(): self.path.name}
        for part in sorted(found.glob("*/partition")):
            made[(part.parent / "dev").read_text().strip()] = part.parent.name
        return made

    def check_unused(self) -> None:
        """Raises ToolError with one sentence if something would lose its data."""
        if self.is_file():
            self.check_file()
        elif self.is_block():
            self.check_block()
        elif self.path.exists():
            raise ToolError(f"{self.path} is neither a block device nor a file")

    def check_file(self) -> None:
        used = [words[0] for words in self.system.lines("swaps")[1:] if words]
        loops = {path.read_text().strip(): path.parents[1].name
                 for path in self.system.sys.glob("block/loop*/loop/backing_file")}
        real = str(self.path.resolve())
        if real in used:
            raise ToolError(f"{self.path} is in use as swap space")
        if real in loops:
            raise ToolError(f"{self.path} is in use by {loops[real]}")

    def check_block(self) -> None:
        parts = self.parts()
        for number, name in parts.items():
            if mount := self.mounted(number):
                raise ToolError(f"{name} is mounted on {mount}")
            if holders := self.holders(number):
                raise ToolError(f"{name} is in use by {', '.join(holders)}")
        for words in self.system.lines("swaps")[1:]:
            if self.number_of(words[0]) in parts:
                raise ToolError(f"{words[0]} is in use as swap space")
        self.open_exclusively()

    def users(self) -> list[str]:
        """Who has it or a part of it, each in a few words; openers only if nobody else has."""
        if not self.is_block():
            return []
        parts = self.parts()
        made = []
        for number, name in parts.items():
            if mount := self.mounted(number):
                made.append(f"{name} is mounted on {mount}")
            made += [f"{name} is held by {self.holder_text(holder)}" for holder in self.holders(number)]
        made += [f"{words[0]} is swap space" for words in self.system.lines("swaps")[1:]
                 if self.number_of(words[0]) in parts]
        return made or [f"{parts[number]} is open in {text}" for number, text in self.openers(set(parts))]

    def holder_text(self, node: str) -> str:
        name = first(self.system.sys / "block" / node, ("dm/name",))
        return f"{node} ({name})" if name else node

    def openers(self, numbers: set[str]) -> list[tuple[str, str]]:
        """Programs that have one of these devices open."""
        made = {}
        for link in self.system.proc.glob("[0-9]*/fd/*"):
            if (number := self.number_of(str(link))) in numbers:
                process = link.parents[1]
                made[process.name] = number, f"{first(process, ('comm',))} (pid {process.name})"
        return list(made.values())

    def mounted(self, number: str) -> str:
        """Where; by the source's number for file systems that have one of their own."""
        for words in self.system.lines("self/mountinfo"):
            if words[2] == number:
                return words[4]
        for source, where, *_ in self.system.lines("mounts"):
            if self.number_of(source) == number:
                return where
        return ""

    def holders(self, number: str) -> list[str]:
        return sorted(path.name for path in (self.system.sys / "dev" / "block" / number / "holders").glob("*"))

    @staticmethod
    def number_of(source: str) -> str:
        try:
            found = Path(source).stat()
        except OSError:
            return ""
        return f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}" if stat.S_ISBLK(found.st_mode) else ""

    def open_exclusively(self) -> None:
        """The kernel refuses if anybody has claimed it."""
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_EXCL))
        except OSError as error:
            raise ToolError(f"{self.path} cannot be had alone: {error.strerror}") from error

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else has it meanwhile: no mount, no mapped device, no second measurement.

        A file is made if it is not there.
        """
        try:
            file = os.open(self.path, os.O_RDWR | (os.O_EXCL if self.is_block() else os.O_CREAT), 0o644)
        except OSError as error:
            raise ToolError(f"{self.path} cannot be had alone: {error.strerror}") from error
        try:
            if not self.is_block():
                self.lock(file)
            yield
        finally:
            os.close(file)

    def lock(self, file: int) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ToolError(f"{self.path} is being measured by another ssdqos profile") from error

    # ---- what it is ----

    def unique(self) -> str:
        """Which drive it is, and how large; a file is what its path says."""
        known = self.identity() if self.is_block() else {}
        return " ".join(known[key] for key in ("model", "serial", "capacity_bytes") if key in known)

    def identity(self) -> dict[str, str]:
        """What the kernel knows of the drive; of the one below, for a device made of a single one."""
        if not self.is_block():
            return {"model": f"file {self.path}"}
        found = self.lowest(self.disk_directory())
        made = {"model": first(found, MODEL_FILES), "firmware": first(found, FIRMWARE_FILES),
                "serial": first(found, SERIAL_FILES), "capacity_bytes": str(self.size_bytes()),
                "temperature_c": temperature(found)}
        return {key: value for key, value in made.items() if value}

    @staticmethod
    def lowest(directory: Path) -> Path:
        while len(below := list(directory.glob("slaves/*"))) == 1:
            directory = below[0].resolve()
            if (directory / "partition").exists():
                directory = directory.parent
        return directory


def first(directory: Path, names: tuple[str, ...]) -> str:
    """The first of the files that says something, without what cannot be printed."""
    for name in names:
        try:
            text = (directory / name).read_bytes().decode("ascii", "ignore")
        except OSError:
            continue
        if text := " ".join("".join(letter if letter.isprintable() else " " for letter in text).split()):
            return text
    return ""


def temperature(directory: Path) -> str:
    for pattern in TEMPERATURE_GLOBS:
        for path in sorted(directory.glob(pattern)):
            return str(int(path.read_text()) // MILLI)
    return ""
