# SPDX-License-Identifier: GPL-2.0
"""Which profile a drive was given, until the next boot: `save` writes it down."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

RUN = Path("/run/ssdqos")


@dataclass(frozen=True)
class Memory:
    """A file with a path for each drive."""

    directory: Path = RUN

    def file(self, drive: str) -> Path:
        return self.directory / f"{drive.replace('/', '!')}.profile"

    def keep(self, drive: str, profile: Path) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.file(drive).write_text(f"{profile.resolve()}\n")

    def recall(self, drive: str) -> str:
        try:
            return self.file(drive).read_text().strip()
        except OSError:
            return ""
