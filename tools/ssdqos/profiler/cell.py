# SPDX-License-Identifier: GPL-2.0
"""One load of a measurement: kind, size and queue depth."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ssdqos.errors import ToolError
from ssdqos.qos.request import CLASSES, OPS, PATTERNS, RequestClass
from ssdqos.qos.units import parse_size, size_text

MIX = "mix"
# Writes with an fsync after each.
FSYNC = "fsync"
# Reads of one client beside writes of another one, at a rate.
BESIDE = "beside"
# Writes in order after writes at random: for how long does the drive stop?
STOP = "stop"
# One at a time: drives do them one after the other, mostly.
DISCARD = "discard"
DISCARD_DEPTH = 1
NAME = re.compile(r"(read|write|mix|fsync|beside|stop|discard)-(seq|rand)-(\d+[kmg]?)-d(\d+)(?:-(r|w)(\d+))?")
# Which cells end with a percentage.
PCT_LETTERS = {MIX: "r", BESIDE: "w"}
PCT_MAX = 100
FIO_RW = {("read", "seq"): "read", ("read", "rand"): "randread", ("write", "seq"): "write",
          ("write", "rand"): "randwrite", (MIX, "seq"): "rw", (MIX, "rand"): "randrw",
          (FSYNC, "seq"): "write", (FSYNC, "rand"): "randwrite",
          (BESIDE, "seq"): "read", (BESIDE, "rand"): "randread",
          (STOP, "seq"): "write", (STOP, "rand"): "randwrite",
          (DISCARD, "seq"): "trim", (DISCARD, "rand"): "randtrim"}


@dataclass(frozen=True)
class Cell:
    """`op` is read, write, mix, fsync, beside, stop or discard.

    `pct` is the part of reads of a mix, or the rate of writes beside reads in percent of what writes alone get;
    100 is as fast as they go.  Else it is 0.
    """

    op: str
    pattern: str
    bytes: int
    depth: int
    pct: int = 0

    @property
    def name(self) -> str:
        letter = PCT_LETTERS.get(self.op)
        return (f"{self.op}-{self.pattern}-{size_text(self.bytes)}-d{self.depth}"
                + (f"-{letter}{self.pct}" if letter else ""))

    def is_mix(self) -> bool:
        return self.op == MIX

    def is_fsync(self) -> bool:
        return self.op == FSYNC

    def is_beside(self) -> bool:
        return self.op == BESIDE

    def others(self, cells: Iterable[Cell]) -> list[Cell]:
        """The same reads beside other rates of writes."""
        return [one for one in cells if one != self and replace(one, pct=self.pct) == self] if self.is_beside() else []

    def has_fewest_writes(self, cells: Iterable[Cell]) -> bool:
        """Of those beside which its reads are measured."""
        return self.is_beside() and all(one.pct > self.pct for one in self.others(cells))

    def is_stop(self) -> bool:
        return self.op == STOP

    def is_discard(self) -> bool:
        return self.op == DISCARD

    def is_single(self) -> bool:
        return self.op in OPS

    def leaves_order(self) -> bool:
        """Does it undo the disorder that random writes have left?"""
        return self.op not in ("read", BESIDE) and self.pattern == "seq"

    def rw(self) -> str:
        """As fio and the simulator call it."""
        return FIO_RW[self.op, self.pattern]

    def of(self, op: str) -> RequestClass:
        return RequestClass(op, self.pattern)


def parse(name: str) -> Cell:
    match = NAME.fullmatch(name)
    if not match or PCT_LETTERS.get(match[1]) != match[5] or int(match[6] or 0) > PCT_MAX:
        raise ToolError(f"{name!r} is no cell such as read-rand-4k-d32, mix-rand-4k-d32-r70 or beside-rand-4k-d1-w10")
    if match[1] == DISCARD and int(match[4]) != DISCARD_DEPTH:
        raise ToolError(f"{name!r} has a depth of {match[4]}: discards are measured one at a time (d{DISCARD_DEPTH})")
    return Cell(match[1], match[2], parse_size(match[3]), int(match[4]), int(match[6] or 0))


@dataclass(frozen=True)
class Grid:
    """Sizes and depths of single loads.

    Mixes have the greatest depth, those of `shallow_pcts` the others, and the smallest size like fsync.  Reads beside
    writes have the depths and sizes of `beside`, as far as these are measured alone.  `stops` are sizes and depths of
    writes in order; discards have their own sizes.
    """

    sizes: tuple[int, ...]
    depths: tuple[int, ...]
    mix_sizes: tuple[int, ...]
    read_pcts: tuple[int, ...]
    shallow_pcts: tuple[int, ...] = ()
    beside: tuple[tuple[int, int], ...] = ()
    beside_pcts: tuple[int, ...] = ()
    stops: tuple[tuple[int, int], ...] = ()
    discards: tuple[int, ...] = ()

    def cells(self) -> list[Cell]:
        """Those that leave a drive in order come last."""
        made = [Cell(request.op, request.pattern, size, depth)
                for request in CLASSES for size in self.sizes for depth in self.depths]
        made += [Cell(MIX, PATTERNS[1], size, max(self.depths), pct)
                 for size in self.mix_sizes for pct in self.read_pcts]
        made += [Cell(MIX, PATTERNS[1], min(self.sizes), depth, pct)
                 for depth in self.depths if depth != max(self.depths) for pct in self.shallow_pcts]
        made += [Cell(BESIDE, PATTERNS[1], size, depth, pct) for size, depth in self.beside
                 if size in self.sizes and depth in self.depths for pct in self.beside_pcts]
        made.append(Cell(FSYNC, PATTERNS[1], min(self.sizes), 1))
        made += [Cell(STOP, PATTERNS[0], size, depth) for size, depth in self.stops]
        made += [Cell(DISCARD, pattern, size, DISCARD_DEPTH) for pattern in PATTERNS for size in self.discards]
        return in_order(made)


def in_order(cells: Iterable[Cell]) -> list[Cell]:
    """Discards leave a drive that is not full: they come after all.  Reads beside more writes tell how long those beside
    fewer have to be, and beside which writes is told by those alone."""
    return sorted(cells, key=lambda cell: (cell.is_discard(), cell.leaves_order(), cell.is_beside(),
                                           -cell.pct if cell.is_beside() else 0))


KIB = 1 << 10
# What file systems discard of small files, and of large ones, and what is sent at the most (drive_trim_max_kib).
DISCARDS = (64 * KIB, 1024 * KIB, 32768 * KIB)
# A read waits for the slowest of the chips that it needs, so the size for which that matters most is between the one
# that needs one chip and the one that moves so much that it takes long by itself.
# Many large ones at a time, beside small writes, are a mixture that neither size has alone; and many small ones
# beside a few writes have far fewer of them than a mixture with 99 % reads.
BESIDE_READS = ((4 * KIB, 1), (16 * KIB, 1), (64 * KIB, 1), (4 * KIB, 8), (4 * KIB, 32), (64 * KIB, 32))
# What reads take rises most from a tenth of the writes to half of them.
BESIDE_PCTS = (1, 2, 10, 20, 40, 100)
# Small enough that a slow drive completes some in each step of a series, and enough at a time to keep it busy.
STOPS = ((64 * KIB, 32),)
FULL = Grid((4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, 1024 * KIB), (1, 8, 32), (4 * KIB, 64 * KIB),
            (10, 30, 50, 70, 90, 99), (50, 90, 99), BESIDE_READS, BESIDE_PCTS, STOPS, DISCARDS)
QUICK = Grid((4 * KIB, 64 * KIB), (32,), (4 * KIB,), (50, 90, 99), stops=STOPS, discards=DISCARDS)
