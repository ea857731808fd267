# SPDX-License-Identifier: GPL-2.0
"""Measures the parts of a plan on a disk, one after the other."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ssdqos.trim.measurement import BYTES_PER_MIB, RANDOM, Cell, Discards, Reads, Times, times
from ssdqos.trim.plan import MOST_TIMES, READ_BYTES, READ_PART, Plan

NS_PER_S = 1_000_000_000
# Discards between two writings; a large range has more places than anybody needs.
MOST_SLOTS = 65536
FILL_BYTES = 1 << 20


class DiskLike(Protocol):
    """See disk.py."""

    size: int

    def now_ns(self) -> int: ...
    def discard(self, at: int, length: int) -> None: ...
    def write(self, at: int, length: int) -> None: ...
    def read(self, at: int) -> None: ...


@dataclass(frozen=True)
class Report:
    """A part that is done; `cell` is None for reads alone."""

    number: int
    parts: int
    cell: Cell | None
    is_reads: bool
    times: Times


class Slots:
    """Places for discards, each taken once, by several threads; none is left after `end_ns`."""

    def __init__(self, places: list[int], end_ns: int, now_ns: Callable[[], int]) -> None:
        self.places, self.end_ns, self.now_ns = places, end_ns, now_ns
        self.next = 0
        self.lock = threading.Lock()

    def take(self) -> int | None:
        with self.lock:
            if self.next == len(self.places) or (self.next and self.now_ns() >= self.end_ns):
                return None
            self.next += 1
            return self.places[self.next - 1]


class Runner:
    """`tell` hears of each part."""

    def __init__(self, disk: DiskLike, plan: Plan, tell: Callable[[Report], None] = lambda _: None) -> None:
        self.disk, self.plan, self.tell = disk, plan, tell
        self.part_ns = int(plan.seconds * NS_PER_S)
        self.draw = random.Random(1)
        # Nothing has been written yet: all of it has to be.
        self.gone: list[tuple[int, int]] = [(0, disk.size)]
        self.write_ns_per_mib = 0.0
        self.errors: list[BaseException] = []

    # ---- something to discard ----

    def fill(self) -> None:
        """What was discarded is written again; the first time, all of it, which says what writing costs."""
        begin_ns = self.disk.now_ns()
        written = 0
        for at, end in merged(self.gone):
            while at < end:
                some = min(FILL_BYTES, end - at)
                self.disk.write(at, some)
                at, written = at + some, written + some
        self.gone = []
        if not self.write_ns_per_mib:
            self.write_ns_per_mib = (self.disk.now_ns() - begin_ns) * BYTES_PER_MIB / written

    def places(self, cell: Cell, span: int) -> list[int]:
        nr = span // cell.bytes
        chosen = self.draw.sample(range(nr), min(nr, MOST_SLOTS)) if cell.order == RANDOM \
            else range(min(nr, MOST_SLOTS))
        return [slot * cell.bytes for slot in chosen]

    # ---- discards ----

    def discard(self, cell: Cell, slots: Slots, taken_ns: list[int]) -> None:
        """A thread of its own: until nothing is left."""
        try:
            while (at := slots.take()) is not None:
                begin_ns = self.disk.now_ns()
                self.disk.discard(at, cell.bytes)
                taken_ns.append(self.disk.now_ns() - begin_ns)
        except BaseException as error:  # for whoever waits for the thread
            self.errors.append(error)

    def threads(self, cell: Cell, slots: Slots, taken_ns: list[int]) -> list[threading.Thread]:
        made = [threading.Thread(target=self.discard, args=(cell, slots, taken_ns)) for _ in range(cell.depth)]
        for thread in made:
            thread.start()
        return made

    def end(self, threads: list[threading.Thread], cell: Cell, slots: Slots) -> None:
        for thread in threads:
            thread.join()
        self.gone += [(at, at + cell.bytes) for at in slots.places[:slots.next]]
        if self.errors:
            raise self.errors[0]

    def discards(self, cell: Cell) -> Discards:
        taken_ns: list[int] = []
        spent_ns, began_ns = 0, self.disk.now_ns()
        while spent_ns < self.part_ns and (not taken_ns or self.disk.now_ns() - began_ns < MOST_TIMES * self.part_ns):
            self.fill()
            begin_ns = self.disk.now_ns()
            slots = Slots(self.places(cell, self.disk.size), begin_ns + self.part_ns - spent_ns, self.disk.now_ns)
            if cell.depth == 1:
                self.discard(cell, slots, taken_ns)
                self.end([], cell, slots)
            else:
                self.end(self.threads(cell, slots, taken_ns), cell, slots)
            spent_ns += self.disk.now_ns() - begin_ns
        return Discards(cell, times(taken_ns), spent_ns)

    # ---- reads ----

    def read_while(self, goes_on: Callable[[], bool], taken_ns: list[int]) -> None:
        base = self.disk.size - self.disk.size // READ_PART
        nr = (self.disk.size - base) // READ_BYTES
        # what the first one of them pays for is not the drive's
        self.disk.read(base // READ_BYTES * READ_BYTES)
        while goes_on():
            at = (base // READ_BYTES + self.draw.randrange(nr)) * READ_BYTES
            begin_ns = self.disk.now_ns()
            self.disk.read(at)
            taken_ns.append(self.disk.now_ns() - begin_ns)

    def reads_beside(self, cell: Cell, end_ns: int, taken_ns: list[int]) -> None:
        """Until the discards are over."""
        room = self.disk.size - self.disk.size // READ_PART
        slots = Slots(self.places(cell, room), end_ns, self.disk.now_ns)
        threads = self.threads(cell, slots, taken_ns=[])
        try:
            self.read_while(lambda: any(thread.is_alive() for thread in threads), taken_ns)
        finally:
            self.end(threads, cell, slots)

    def reads(self, beside: Cell | None) -> Reads:
        taken_ns: list[int] = []
        spent_ns, began_ns = 0, self.disk.now_ns()
        while spent_ns < self.part_ns and (not spent_ns or self.disk.now_ns() - began_ns < MOST_TIMES * self.part_ns):
            self.fill()
            begin_ns = self.disk.now_ns()
            end_ns = begin_ns + self.part_ns - spent_ns
            if beside:
                self.reads_beside(beside, end_ns, taken_ns)
            else:
                self.read_while(lambda: self.disk.now_ns() < end_ns, taken_ns)
            spent_ns += self.disk.now_ns() - begin_ns
        return Reads(beside, times(taken_ns))

    # ---- all of it ----

    def run(self) -> tuple[tuple[Discards, ...], tuple[Reads, ...]]:
        """The range is discarded in the end: it was free before."""
        parts = self.plan.parts()
        try:
            reads, discards = [], []
            for beside in self.plan.beside:
                reads.append(self.reads(beside))
                self.tell(Report(len(reads), parts, beside, True, reads[-1].times))
            for cell in self.plan.cells:
                discards.append(self.discards(cell))
                self.tell(Report(len(reads) + len(discards), parts, cell, False, discards[-1].times))
        finally:
            self.disk.discard(0, self.disk.size)
        return tuple(discards), tuple(reads)


def merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """In ascending order; what touches is one."""
    made: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if made and start <= made[-1][1]:
            made[-1] = made[-1][0], max(made[-1][1], end)
        else:
            made.append((start, end))
    return made
