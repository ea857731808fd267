# SPDX-License-Identifier: GPL-2.0
"""Standard output, by its name in what goes wrong with it; needs nothing beside Python."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

NAME = "standard output"
# Exit statuses: who reads has gone, and all else.
EXIT_CLOSED, EXIT_FAILED = 1, 2
# As open() never gives: all that is written there fails.
NO_DESCRIPTOR = -1
# Of a program that was started without any.
ENCODING = "utf-8"


class Raw(io.RawIOBase):
    """A descriptor; `error` is what failed first, after which all that is written goes nowhere."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.error: OSError | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.descriptor

    def isatty(self) -> bool:
        return self.descriptor != NO_DESCRIPTOR and os.isatty(self.descriptor)

    def write(self, data: bytes | memoryview) -> int:
        if self.error:
            return len(data)
        try:
            return os.write(self.descriptor, data)
        except OSError as error:
            self.error = OSError(error.errno, error.strerror, NAME)
            raise self.error from error


@contextmanager
def named() -> Iterator[None]:
    """Raises what could not be written here, at the latest at the end, and not when Python has nobody to tell.

    Whoever has put something in its place keeps it.
    """
    before = sys.stdout
    if before is not sys.__stdout__:
        yield
        return
    raw = Raw(before.fileno() if before else NO_DESCRIPTOR)
    is_unbuffered = bool(before and before.write_through)
    sys.stdout = io.TextIOWrapper(raw if is_unbuffered else io.BufferedWriter(raw),
                                  encoding=before.encoding if before else ENCODING,
                                  errors=before.errors if before else None,
                                  line_buffering=bool(before and before.line_buffering), write_through=is_unbuffered)
    try:
        yield
    finally:
        try:
            sys.stdout.flush()
        finally:
            sys.stdout = before
            if raw.error:
                raise raw.error


def is_of(error: OSError) -> bool:
    return error.filename == NAME


def failed(error: OSError, program: str) -> int:
    """The exit status; says what was wrong, but not that a reader such as head has read enough."""
    if error.errno == errno.EPIPE:
        return EXIT_CLOSED
    print(f"{program}: {NAME} cannot be written: {error.strerror}", file=sys.stderr)
    return EXIT_FAILED
