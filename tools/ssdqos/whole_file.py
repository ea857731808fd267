# SPDX-License-Identifier: GPL-2.0
"""Files that are there as a whole: the old content or the new one, also on a full disk, or when the power goes."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from ssdqos.errors import ToolError


def sync(directory: Path) -> None:
    """The file's new name is on disk, too."""
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def is_written_to(path: Path) -> bool:
    """It is there and no regular file; raises OSError for a folder or a disk."""
    if path.is_dir():
        raise OSError(0, "it is a directory")
    if path.is_block_device():
        raise OSError(0, "it is a block device")
    return path.exists() and not path.is_file()


def replace(path: Path, content: str | bytes, mode: int | None = None) -> None:
    """Raises ToolError where it cannot be written; then what was there still is.

    Without a `mode`, a file that is there keeps its own.  A symbolic link stays one; a pipe or a terminal, such as
    /dev/stdout, is written to, and a disk never.
    """
    raw = content.encode() if isinstance(content, str) else content
    try:
        if is_written_to(path):
            path.write_bytes(raw)
            return
        real = Path(os.path.realpath(path))
        if mode is None and real.exists():
            mode = stat.S_IMODE(real.stat().st_mode)
        # In a folder of its own it gets the mode that any new file would.
        with tempfile.TemporaryDirectory(dir=real.parent, prefix=f".{real.name}.") as scratch:
            made = Path(scratch) / real.name
            with made.open("wb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            if mode is not None:
                made.chmod(mode)
            made.replace(real)
        sync(real.parent)
    except OSError as error:
        raise ToolError(f"{path} cannot be written: {error.strerror}") from error


def check(path: Path) -> None:
    """Raises ToolError if replace() could not write it; leaves nothing behind."""
    try:
        if not is_written_to(path):
            with tempfile.TemporaryFile(dir=Path(os.path.realpath(path)).parent):
                pass
        elif not os.access(path, os.W_OK):
            raise OSError(0, "permission denied")
    except OSError as error:
        raise ToolError(f"{path} cannot be written: {error.strerror}") from error
