# SPDX-License-Identifier: GPL-2.0
"""A range of a disk that nobody else has: writes, discards and reads of it."""

from __future__ import annotations

import fcntl
import mmap
import os
import random
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.qos.units import bytes_text
from ssdqos.streams.dmsetup import TARGET
from ssdqos.trim.measurement import Limits
from ssdqos.trim.plan import LEAST_BYTES, LEAST_RANGE, READ_BYTES
from ssdqos.trim_view import BATCH

# _IO(0x12, 119) of linux/fs.h: two words of 64 bits, offset and length in bytes.
BLKDISCARD = 0x1277
RANGE = struct.Struct("=QQ")
# Written at a time; from a pool of random data, as making them takes longer than writing them.
WRITE_BYTES = 1 << 20
POOL_BYTES = 16 << 20


def number(path: Path) -> int:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0


def limits(device: Device) -> Limits:
    queue = device.disk_directory() / "queue"
    return Limits(number(queue / "discard_granularity"), number(queue / "discard_max_bytes"),
                  number(queue / "logical_block_size") or 512)


def keeps_discards(device: Device) -> bool:
    """A stream of a drive with drive_trim=batch, which would answer for the drive."""
    for path in device.disk_directory().glob(f"{TARGET}*/params/drive_trim"):
        if path.read_text().strip() == BATCH:
            return True
    return False


def check(device: Device, offset: int, size: int) -> Limits:
    """Raises ToolError with one sentence if it cannot be measured there."""
    if not device.is_block():
        raise ToolError(f"{device.path} is no block device")
    found = limits(device)
    if not found.most_bytes:
        raise ToolError(f"{device.path} does not support discards")
    unit = max(LEAST_BYTES, found.block_bytes)
    if offset % unit or size % unit:
        raise ToolError(f"the range {offset}:{size} is not in whole units of {bytes_text(unit)}")
    if size < LEAST_RANGE:
        raise ToolError(f"the range has {bytes_text(size)}, at least {bytes_text(LEAST_RANGE)} are needed")
    whole = device.size_bytes()
    if offset + size > whole:
        raise ToolError(f"the range {offset}:{size} ends at {offset + size}, {device.path} has {whole} bytes")
    if keeps_discards(device):
        raise ToolError(f"{device.path} keeps discards itself: set drive_trim=pass for the measurement")
    device.check_unused()
    return found


class Disk:
    """Offsets are those of the range; nothing else of the disk is touched."""

    def __init__(self, file: int, offset: int, size: int) -> None:
        self.file, self.offset, self.size = file, offset, size
        self.pool = mmap.mmap(-1, POOL_BYTES)
        self.pool.write(os.urandom(POOL_BYTES))
        self.buffer = mmap.mmap(-1, READ_BYTES)
        self.draw = random.Random(1)

    @staticmethod
    def now_ns() -> int:
        return time.monotonic_ns()

    def place(self, at: int, length: int) -> int:
        if at < 0 or length <= 0 or at + length > self.size:
            raise ToolError(f"{at}:{length} is not in the range of {self.size} bytes")
        return self.offset + at

    def discard(self, at: int, length: int) -> None:
        fcntl.ioctl(self.file, BLKDISCARD, RANGE.pack(self.place(at, length), length))

    def write(self, at: int, length: int) -> None:
        """With data that are like no others."""
        place = self.place(at, length)
        whole = memoryview(self.pool)
        done = 0
        while done < length:
            some = min(WRITE_BYTES, length - done)
            begin = self.draw.randrange((POOL_BYTES - some) // mmap.PAGESIZE + 1) * mmap.PAGESIZE
            done += os.pwritev(self.file, [whole[begin:begin + some]], place + done)

    def read(self, at: int) -> None:
        os.preadv(self.file, [self.buffer], self.place(at, READ_BYTES))


@contextmanager
def opened(device: Device, offset: int, size: int) -> Iterator[Disk]:
    """The kernel lets nobody else claim it meanwhile."""
    try:
        file = os.open(device.path, os.O_RDWR | os.O_EXCL | os.O_DIRECT)
    except OSError as error:
        raise ToolError(f"{device.path} cannot be had alone: {error.strerror}") from error
    try:
        yield Disk(file, offset, size)
    finally:
        os.close(file)
