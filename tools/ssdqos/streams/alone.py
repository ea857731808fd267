# SPDX-License-Identifier: GPL-2.0
"""One at a time: disks that appear at once start several of us, and a timer one more.

Between the moment in which a drive comes and the one in which its lifetime goes on, what the kernel says of
that is not what is to be kept.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from ssdqos.errors import ToolError
from ssdqos.streams.memory import RUN

LOCK = RUN / "lock"


@contextmanager
def alone() -> Iterator[None]:
    try:
        LOCK.parent.mkdir(parents=True, exist_ok=True)
        held = LOCK.open("w")
    except PermissionError as error:
        raise ToolError("this is for root only") from error
    with held as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
