# SPDX-License-Identifier: GPL-2.0
"""A cut of a trace, played over and over, each time at another place of the drive.

Played at the same place, a cut of some MiB stays in the write buffer and collects nothing.  Where it goes is drawn
from the seed; within one loop distances, sizes and times are the trace's.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

UNIT_BYTES = 4096
HEAD = "time_us,op,offset_bytes,size_bytes"
# Packed well enough, and fast.
LEVEL = 1
Row = tuple[int, str, int, int]


def read(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="ascii") as file:
        next(file)
        rows = (line.split(",") for line in file)
        return [(int(float(time_us)), op, int(offset), int(size)) for time_us, op, offset, size in rows]


def period_us(rows: list[Row]) -> int:
    """From the first request of a loop to that of the next: the trace, and once more its mean distance."""
    return rows[-1][0] + max(1, rows[-1][0] // len(rows))


def moved(rows: list[Row], loops: int, seed: int, size_bytes: int) -> Iterator[Row]:
    """No request reaches beyond the drive: one that did ends where the drive ends."""
    places = random.Random(seed)
    period = period_us(rows)
    for loop in range(loops):
        shift = places.randrange(size_bytes // UNIT_BYTES) * UNIT_BYTES
        for time_us, op, offset, size in rows:
            yield time_us + loop * period, op, min((offset + shift) % size_bytes, size_bytes - size), size


def write(source: Path, place: Path, loops: int, seed: int, size_bytes: int) -> Path:
    """Where it is; made once."""
    path = place / f"{source.name.partition('.')[0]}-{loops}-{size_bytes}-{seed}.csv.gz"
    if not path.exists():
        place.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".new")
        with gzip.open(partial, "wt", LEVEL, encoding="ascii") as file:
            print(HEAD, file=file)
            for row in moved(read(source), loops, seed, size_bytes):
                print(*row, sep=",", file=file)
        partial.rename(path)
    return path
