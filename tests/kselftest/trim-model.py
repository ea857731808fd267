#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Writes, discards, zeroes and reads a device at random, and knows what it may read.

    trim-model.py DEVICE SECTORS SEED SECONDS

Each sector that is written holds the number of its write.  After a discard it may
hold that or zeroes, whichever is read, until it is written again.  After an error
anything may be there.  Prints how many operations there were; exits with 1 at the
first sector that is not what it may be.
"""

import fcntl
import mmap
import os
import random
import struct
import sys
import time

SECTOR = 512
BLKDISCARD = 0x1277
BLKZEROOUT = 0x127F
MOST = 256
STAMP = struct.Struct("<II")
COPIES = SECTOR // STAMP.size
ZERO = (0, 0)


class Model:
    def __init__(self, path: str, sectors: int, seed: int) -> None:
        self.device = os.open(path, os.O_RDWR | os.O_DIRECT)
        self.sectors = sectors
        self.random = random.Random(seed)
        self.buffer = mmap.mmap(-1, MOST * SECTOR)
        self.number = 0
        # what each sector may hold: a set of stamps, or None for anything
        self.may = [None] * sectors
        self.counts = {"write": 0, "discard": 0, "zero": 0, "read": 0, "failed": 0}

    def place(self) -> tuple[int, int]:
        """Half of them small, some on granules, at any sector."""
        count = 1 << self.random.randrange(9)
        if self.random.random() < 0.5:
            count = self.random.randint(1, count)
        start = self.random.randrange(self.sectors - count + 1)
        if self.random.random() < 0.5:
            start -= start % 8
        return start, count

    def set(self, start: int, count: int, may) -> None:
        for sector in range(start, start + count):
            self.may[sector] = may(sector)

    def write(self, start: int, count: int) -> None:
        self.number += 1
        data = b"".join(STAMP.pack(self.number, sector) * COPIES for sector in range(start, start + count))
        self.buffer[:len(data)] = data
        self.set(start, count, lambda sector: None)
        with memoryview(self.buffer)[:len(data)] as view:
            if os.pwrite(self.device, view, start * SECTOR) != len(data):
                raise OSError("a short write")
        number = self.number
        self.set(start, count, lambda sector: {(number, sector)})

    def ioctl(self, request: int, start: int, count: int) -> None:
        fcntl.ioctl(self.device, request, struct.pack("QQ", start * SECTOR, count * SECTOR))

    def discard(self, start: int, count: int) -> None:
        self.set(start, count, lambda sector: self.may[sector] and self.may[sector] | {ZERO})
        self.ioctl(BLKDISCARD, start, count)

    def zero(self, start: int, count: int) -> None:
        self.set(start, count, lambda sector: None)
        self.ioctl(BLKZEROOUT, start, count)
        self.set(start, count, lambda sector: {ZERO})

    def read(self, start: int, count: int) -> None:
        with memoryview(self.buffer)[:count * SECTOR] as view:
            if os.preadv(self.device, [view], start * SECTOR) != count * SECTOR:
                raise OSError("a short read")
        for index in range(count):
            self.look(start + index, self.buffer[index * SECTOR:(index + 1) * SECTOR])

    def look(self, sector: int, data: bytes) -> None:
        stamp = STAMP.unpack_from(data)
        may = self.may[sector]
        if data != STAMP.pack(*stamp) * COPIES or (may is not None and stamp not in may):
            print(f"sector {sector} holds {stamp}, and not {may}; number {self.number}")
            sys.exit(1)

    def step(self) -> None:
        name = self.random.choices(("write", "discard", "zero", "read"), (8, 6, 1, 5))[0]
        self.counts[name] += 1
        try:
            getattr(self, name)(*self.place())
        except OSError:
            self.counts["failed"] += 1

    def all(self) -> None:
        """A device that fails now and then is asked again."""
        start = 0
        while start < self.sectors:
            count = min(MOST, self.sectors - start)
            try:
                self.read(start, count)
                start += count
            except OSError:
                self.counts["failed"] += 1


def main() -> int:
    path, sectors, seed, seconds = sys.argv[1], *map(int, sys.argv[2:])
    model = Model(path, sectors, seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        model.step()
    model.all()
    print(f"{path}, seed {seed}: {sum(model.counts.values())} operations, {model.counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
