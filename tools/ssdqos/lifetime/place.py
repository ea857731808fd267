# SPDX-License-Identifier: GPL-2.0
"""Where streams are in sysfs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.lifetime import state

SYSFS = Path("/sys/block")
MAPPER = Path("/dev/mapper")
STATE = "life_state"
# Others may be at it, but not for long.
TRIES = 3


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
    """Of the stream's drive, as it is now; empty if its wear is not counted, or for root only.

    Sysfs reads in pages: who else reads meanwhile mixes two moments.
    """
    path = directory / STATE
    raw = b""
    for _ in range(TRIES):
        try:
            with path.open("rb") as file:
                raw = file.read()
            if raw:
                state.parse(raw, str(path))
            return raw
        except OSError:
            return b""
        except ToolError:
            continue
    return raw


def write_once(path: Path, raw: bytes) -> None:
    with path.open("r+b", buffering=0) as file:
        done = 0
        while done < len(raw):
            done += file.write(raw[done:])


def write_state(directory: Path, raw: bytes) -> None:
    """The drive goes on from there; the kernel takes it with the last byte, and forgets it when it is read."""
    path = directory / STATE
    for left in reversed(range(TRIES)):
        try:
            write_once(path, raw)
            return
        except OSError as error:
            if not left:
                raise ToolError(f"{path} is not taken: {error.strerror}") from error
