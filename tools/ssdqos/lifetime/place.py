# SPDX-License-Identifier: GPL-2.0
"""Where streams are in sysfs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ssdqos.errors import ToolError

SYSFS = Path("/sys/block")
MAPPER = Path("/dev/mapper")
STATE = "life_state"


@dataclass(frozen=True)
class Place:
    """Directories of streams below `sysfs`."""

    sysfs: Path = SYSFS

    def node(self, name: str) -> Path | None:
        """dm-N of a mapped device."""
        for path in self.sysfs.glob("dm-*/dm/name"):
            try:
                if path.read_text().strip() == name:
                    return path.parents[1]
            except OSError:  # it has gone meanwhile
                continue
        return None

    def stream(self, name: str, start: int) -> Path | None:
        """None while it is not live."""
        node = self.node(name)
        if node is None:
            return None
        for directory in (f"ssdqos-{start}", *(() if start else ("ssdqos",))):
            if (node / directory / "status").is_file():
                return node / directory
        return None


def read_state(directory: Path) -> bytes:
    """Of the stream's drive, as it is now; empty if its wear is not counted."""
    path = directory / STATE
    try:
        with path.open("rb") as file:
            return file.read()
    except OSError:
        return b""


def write_state(directory: Path, raw: bytes) -> None:
    """The drive goes on from there; the kernel takes it with the last byte."""
    path = directory / STATE
    try:
        with path.open("r+b", buffering=0) as file:
            done = 0
            while done < len(raw):
                done += file.write(raw[done:])
    except OSError as error:
        raise ToolError(f"{path} is not taken: {error.strerror}") from error
