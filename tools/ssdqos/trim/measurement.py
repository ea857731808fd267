# SPDX-License-Identifier: GPL-2.0
"""What discards of a drive were measured to cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from ssdqos.qos.units import PPM, ceil_div, size_text

ASCENDING, RANDOM = "ascending", "random"
ORDERS = (ASCENDING, RANDOM)
BYTES_PER_MIB = 1 << 20
MEDIAN_PPM, P99_PPM = 500_000, 990_000


@dataclass(frozen=True)
class Cell:
    """Discards of one size, in one order, so many at a time."""

    bytes: int
    order: str = ASCENDING
    depth: int = 1

    def told(self) -> str:
        return f"{size_text(self.bytes)} {self.order}, {self.depth} at a time"


@dataclass(frozen=True)
class Times:
    """Of requests, in nanoseconds."""

    n: int
    p50_ns: int
    p99_ns: int
    max_ns: int


def times(taken_ns: Iterable[int]) -> Times:
    ordered = sorted(taken_ns)
    if not ordered:
        return Times(0, 0, 0, 0)
    median, p99 = (ordered[ceil_div(len(ordered) * ppm, PPM) - 1] for ppm in (MEDIAN_PPM, P99_PPM))
    return Times(len(ordered), median, p99, ordered[-1])


@dataclass(frozen=True)
class Discards:
    """`spent_ns` is what all of them took together; with several at a time less than the sum of each."""

    cell: Cell
    times: Times
    spent_ns: int

    def ns_per_mib(self) -> float:
        return self.spent_ns * BYTES_PER_MIB / (self.times.n * self.cell.bytes) if self.times.n else 0.0

    def per_s(self) -> float:
        return self.times.n * 1e9 / self.spent_ns if self.spent_ns else 0.0


@dataclass(frozen=True)
class Reads:
    """Of 4 KiB, one at a time; alone, or beside discards."""

    beside: Cell | None
    times: Times


@dataclass(frozen=True)
class Limits:
    """What the disk says of discards."""

    granularity_bytes: int
    most_bytes: int
    block_bytes: int = 512


@dataclass(frozen=True)
class Measurement:
    """Of a range of a drive; `identity` is what the drive is."""

    limits: Limits
    write_ns_per_mib: float
    discards: tuple[Discards, ...] = ()
    reads: tuple[Reads, ...] = ()
    identity: dict[str, str] = field(default_factory=dict)
    offset_bytes: int = 0
    range_bytes: int = 0

    def find(self, cell: Cell) -> Discards | None:
        return next((one for one in self.discards if one.cell == cell and one.times.n), None)

    def row(self, order: str, depth: int) -> list[Discards]:
        """By size."""
        return sorted((one for one in self.discards if (one.cell.order, one.cell.depth) == (order, depth)
                       and one.times.n), key=lambda one: one.cell.bytes)

    def reads_beside(self, cell: Cell | None) -> Reads | None:
        return next((one for one in self.reads if one.beside == cell and one.times.n), None)

    def as_json(self) -> dict:
        return asdict(self)
