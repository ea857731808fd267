# SPDX-License-Identifier: GPL-2.0
"""Which discards are measured, and how long that takes."""

from __future__ import annotations

from dataclasses import dataclass

from ssdqos.trim.measurement import ASCENDING, ORDERS, RANDOM, Cell

LEAST_BYTES, MOST_BYTES = 4 << 10, 1 << 30
# From one size to the next: ten sizes.
STEP = 4
DEPTHS = (1, 8)
# Sizes that reads are measured beside: what file systems discard, what is merged of it, what is sent at the most.
BESIDE_BYTES = (4 << 10, 256 << 10, 16 << 20)
READ_BYTES = 4 << 10
# Less says nothing of large discards; more would only be written for nothing.
LEAST_RANGE, USED_RANGE = 16 << 20, 8 << 30
# Reads have the last part of the range, which no discard that they stand beside touches.
READ_PART = 4
# Discards that take no time, but much writing before: a part ends after so many times its length.
MOST_TIMES = 4
GUESSED_WRITE_BYTES_PER_S = 400_000_000


@dataclass(frozen=True)
class Plan:
    """In this order; None is reads alone."""

    cells: tuple[Cell, ...]
    beside: tuple[Cell | None, ...]
    range_bytes: int
    seconds: float

    def parts(self) -> int:
        return len(self.cells) + len(self.beside)

    def least_s(self) -> float:
        return self.parts() * self.seconds + self.range_bytes / GUESSED_WRITE_BYTES_PER_S

    def most_s(self) -> float:
        """Each part may write all of the range once more than it has time for."""
        return MOST_TIMES * self.parts() * self.seconds + \
            (self.parts() + 1) * self.range_bytes / GUESSED_WRITE_BYTES_PER_S


def sizes(range_bytes: int, least_bytes: int) -> list[int]:
    made, size = [], max(LEAST_BYTES, least_bytes)
    while size <= min(range_bytes, MOST_BYTES):
        made.append(size)
        size *= STEP
    return made


def make(range_bytes: int, block_bytes: int, seconds: float) -> Plan:
    used = min(range_bytes, USED_RANGE)
    all_sizes = sizes(used, block_bytes)
    room = used - used // READ_PART
    near = [size for size in all_sizes if size <= room and (size in BESIDE_BYTES or size == all_sizes[0])]
    return Plan(tuple(Cell(size, order, depth) for size in all_sizes for order in ORDERS for depth in DEPTHS),
                (None, Cell(all_sizes[0], RANDOM, DEPTHS[-1]),
                 *(Cell(size, ASCENDING, depth) for size in near for depth in DEPTHS)), used, seconds)
