# SPDX-License-Identifier: GPL-2.0
"""What is known until the next boot: drives' profiles, streams that were removed, lives that are to be saved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

RUN = Path("/run/ssdqos")
LIVES = "lives"


@dataclass(frozen=True)
class Memory:
    """Small files: a path for each drive, a mark for each stream, a list of drives."""

    directory: Path = RUN

    def file(self, drive: str) -> Path:
        return self.directory / f"{drive.replace('/', '!')}.profile"

    # ---- profiles: `save` writes them down ----

    def keep(self, drive: str, profile: Path) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.file(drive).write_text(f"{profile.resolve()}\n")

    def recall(self, drive: str) -> str:
        try:
            return self.file(drive).read_text().strip()
        except OSError:
            return ""

    # ---- streams that were removed by hand: no event of their disk makes them again ----

    def mark(self, name: str) -> Path:
        return self.directory / f"{name}.removed"

    def note_removed(self, name: str) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.mark(name).touch()

    def note_wanted(self, name: str) -> None:
        self.mark(name).unlink(missing_ok=True)

    def is_removed(self, name: str) -> bool:
        return self.mark(name).exists()

    # ---- members of mirrors that were given up by hand: they don't come back by themselves ----

    def given_up(self, name: str, member: int) -> Path:
        return self.directory / f"{name}.{member}.given_up"

    def note_given_up(self, name: str, member: int) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.given_up(name, member).touch()

    def note_taken_back(self, name: str, member: int) -> None:
        self.given_up(name, member).unlink(missing_ok=True)

    def note_all_back(self, name: str) -> None:
        """It has gone, or has another table: that begins with all members."""
        for mark in self.directory.glob(f"{name}.*.given_up"):
            mark.unlink(missing_ok=True)

    def is_given_up(self, name: str, member: int) -> bool:
        return self.given_up(name, member).exists()

    # ---- drives whose lives were seen: a save that misses one says so ----

    def lives(self) -> set[str]:
        try:
            return set((self.directory / LIVES).read_text().splitlines())
        except OSError:
            return set()

    def note_lives(self, drives: set[str]) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / LIVES).write_text("".join(f"{drive}\n" for drive in sorted(drives)))
