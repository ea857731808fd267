# SPDX-License-Identifier: GPL-2.0
"""Writes initramfs archives (cpio "newc") that are equal byte by byte for equal input.

Everything that differs between two machines or two runs is left out: owner,
time, inode and the order in which files were added.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC = b"070701"
TRAILER = "TRAILER!!!"
FIELD_ALIGN = 4
# The kernel reads concatenated archives if each starts aligned.
ARCHIVE_ALIGN = 512
MODE_DIR = stat.S_IFDIR | 0o755
MODE_LINK = stat.S_IFLNK | 0o777
MODE_CONSOLE = stat.S_IFCHR | 0o600


@dataclass
class Entry:
    """One file: its content is in memory, or in the file `source`."""

    mode: int
    data: bytes = b""
    source: Path | None = None
    device: tuple[int, int] = (0, 0)

    def content(self) -> bytes:
        return self.source.read_bytes() if self.source else self.data


class Archive:
    """Collects entries by path in the guest; parent directories are added."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def _add(self, path: str, entry: Entry) -> None:
        name = path.strip("/")
        parent = os.path.dirname(name)
        if parent and parent not in self.entries:
            self.add_dir(parent)
        self.entries[name] = entry

    def add_dir(self, path: str) -> None:
        self._add(path, Entry(MODE_DIR))

    def add_link(self, path: str, target: str) -> None:
        self._add(path, Entry(MODE_LINK, target.encode()))

    def add_char_device(self, path: str, major: int, minor: int) -> None:
        self._add(path, Entry(MODE_CONSOLE, device=(major, minor)))

    def add_data(self, path: str, data: bytes, mode: int = 0o644) -> None:
        self._add(path, Entry(stat.S_IFREG | mode, data))

    def add_file(self, path: str, source: Path) -> None:
        executable = os.access(source, os.X_OK)
        mode = stat.S_IFREG | (0o755 if executable else 0o644)
        self._add(path, Entry(mode, source=source.resolve()))

    def __contains__(self, path: str) -> bool:
        return path.strip("/") in self.entries

    def write(self, out: BinaryIO) -> None:
        for inode, name in enumerate(sorted(self.entries), start=1):
            write_entry(out, inode, name, self.entries[name])
        write_entry(out, 0, TRAILER, Entry(0))
        out.write(bytes(-out.tell() % ARCHIVE_ALIGN))


def write_entry(out: BinaryIO, inode: int, name: str, entry: Entry) -> None:
    data = entry.content()
    encoded = name.encode() + b"\0"
    links, owner, group, mtime, checksum = 1, 0, 0, 0, 0
    fields = (inode, entry.mode, owner, group, links, mtime, len(data),
              0, 0, *entry.device, len(encoded), checksum)
    header = MAGIC + b"".join(b"%08x" % field for field in fields)
    out.write(header + encoded)
    out.write(bytes(-(len(header) + len(encoded)) % FIELD_ALIGN))
    out.write(data)
    out.write(bytes(-len(data) % FIELD_ALIGN))
