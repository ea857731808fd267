# SPDX-License-Identifier: GPL-2.0
"""What a drive takes for a discard, by size and order: one at a time, on average.

They are measured last, on the begin of the drive, which is written again in between and at the end: of what is
not written, a discard takes no time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.checkpoint import Checkpoint
from ssdqos.qos.units import size_text
from ssdqos.trim import disk, measurement, plan
from ssdqos.trim.runner import DiskLike, Runner

# Of each cell; more where all that was written is discarded before.
SECONDS = 3
# Written once for each cell or oftener: 32 of the largest discards, and some seconds.
RANGE_BYTES = 1 << 30
ORDERS = {"seq": measurement.ASCENDING, "rand": measurement.RANDOM}


class Discarder(Protocol):
    """What takes discards."""

    def mean_ns(self, cell: Cell) -> int:
        """Of one of them."""


class OnDisk:
    """Discards of a disk that nobody else has."""

    def __init__(self, found: DiskLike, seconds: float = SECONDS) -> None:
        self.runner = Runner(found, plan.Plan((), (), found.size, seconds))

    def mean_ns(self, cell: Cell) -> int:
        if cell.bytes > self.runner.disk.size:
            raise ToolError(f"{cell.name} is larger than the {self.runner.disk.size} bytes that are discarded")
        done = self.runner.discards(measurement.Cell(cell.bytes, ORDERS[cell.pattern]))
        return max(done.spent_ns // done.times.n, 1)


def told(cell: Cell) -> str:
    """For people."""
    order = {"seq": "in order", "rand": "at random"}[cell.pattern]
    return f"discards of {size_text(cell.bytes)} {order}, one at a time"


def range_bytes(span_bytes: int) -> int:
    return min(span_bytes, RANGE_BYTES) // plan.LEAST_BYTES * plan.LEAST_BYTES


def part_s(span_bytes: int) -> float:
    """Of a cell, with what is written before it: guessed."""
    return SECONDS + range_bytes(span_bytes) / plan.GUESSED_WRITE_BYTES_PER_S


@contextmanager
def on_device(device: Device, span_bytes: int) -> Iterator[Discarder]:
    """Raises ToolError if the device takes none; what was discarded is written again in the end."""
    size = range_bytes(span_bytes)
    disk.check(device, 0, size)
    try:
        with disk.opened(device, 0, size) as found:
            made = OnDisk(found)
            try:
                yield made
            finally:
                made.runner.fill()
    except OSError as error:
        raise ToolError(f"{device.path}: {error.strerror}") from error


def measure(discarder: Discarder, cells: list[Cell], checkpoint: Checkpoint,
            tell: Callable[[Cell, int], None] = lambda *_: None) -> None:
    """Those that are missing; each is kept when it is done."""
    for cell in cells:
        ns = discarder.mean_ns(cell)
        checkpoint.save_discard(cell, ns)
        tell(cell, ns)
