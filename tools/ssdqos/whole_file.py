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


def replace(path: Path, content: str | bytes, mode: int | None = None) -> None:
    """Raises ToolError where it cannot be written; then what was there still is.

    Without a `mode`, a file that is there keeps its own.  A symbolic link stays one, and what is no regular file, such
    as /dev/stdout, is written to.
    """
    raw = content.encode() if isinstance(content, str) else content
    try:
        real = Path(os.path.realpath(path))
        if real.exists() and not real.is_file():
            real.write_bytes(raw)
            return
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
    real = Path(os.path.realpath(path))
    try:
        if real.is_dir():
            raise IsADirectoryError(0, "it is a directory")
        if not real.exists() or real.is_file():
            with tempfile.TemporaryFile(dir=real.parent):
                pass
        elif not os.access(real, os.W_OK):
            raise PermissionError(0, "permission denied")
    except OSError as error:
        raise ToolError(f"{path} cannot be written: {error.strerror}") from error
