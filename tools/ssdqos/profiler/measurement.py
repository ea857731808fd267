# SPDX-License-Identifier: GPL-2.0
"""Carries a plan out: prepares the drive, runs what is missing, keeps what is done.

A cell that has not settled is made twice as long, up to `cell_most_s`.  What was
measured of it is on disk, so whether more is needed is asked of that, also after an interruption.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from ssdqos.errors import ToolError
from ssdqos.profiler import build, plan, series
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.checkpoint import Checkpoint
from ssdqos.profiler.plan import FILL, OVERWRITE, WARM, Step
from ssdqos.profiler.series import STEP_MS, Series
from ssdqos.qos.units import MS_PER_S

# A drive is warm when two stretches one after the other differ by less than this.
WARM_STRETCH_S = 15
SETTLED_PCT = 5


class Executor(Protocol):
    """What runs a step on a drive.

    `goes_on`: a second run goes on where the drive was left, so that a cell gets longer by another stretch; else
    runs all begin alike, and a longer cell is measured from its begin.
    """

    goes_on: bool

    def identity(self) -> dict[str, str]:
        """Meta lines of the profile."""

    def forget(self) -> None:
        """No cell was measured yet: what was begun before is not gone on with."""

    def run(self, step: Step) -> Series | None:
        """What was counted, if the step leaves a log."""


@dataclass(frozen=True)
class Report:
    """A step has ended; `rate` is in IOPS, 0 where it was not counted.  Of a cell `more` is what it still lacks."""

    step: Step
    rate: float
    left: int  # cells
    took_s: float = 0
    more: Step | None = None


def rate(counts: Series) -> float:
    return sum(counts.reads + counts.writes) * MS_PER_S / (len(counts) * STEP_MS) if len(counts) else 0.0


def is_settled(before: float, now: float) -> bool:
    return before > 0 and abs(now - before) * 100 <= SETTLED_PCT * before


def lacks_s(step: Step, done: dict[Cell, Series], cell_most_s: int) -> int:
    """How long a cell has to get; 0 if it has settled or is as long as it may be."""
    counts = done.get(step.cell)
    if counts is not None and step.cell.is_stop():
        return 0  # later on, the drive is in order
    if counts is None or counts.seconds() < step.counted_s():
        return step.counted_s()
    most_s = max(cell_most_s, step.counted_s())
    windows_ms = series.fitting_windows(step.counted_s() * MS_PER_S)
    if counts.seconds() >= most_s or build.verdict(step.cell, done, windows_ms).is_long_enough():
        return 0
    return min(counts.seconds() * plan.LONGER, most_s)


def writes_alone(beside: Cell, cells: Iterable[Cell]) -> Cell:
    """The smallest writes, with the most at a time; raises ToolError if there are none."""
    alone = [cell for cell in cells if (cell.op, cell.pattern) == ("write", beside.pattern)]
    if not alone:
        raise ToolError(f"{beside.name} goes by what writes get alone: measure also write-{beside.pattern}-4k-d32")
    return min(alone, key=lambda cell: (cell.bytes, -cell.depth))


def beside_writes(step: Step, done: dict[Cell, Series]) -> Step:
    """At a part of the rate that writes got alone."""
    writes = writes_alone(step.cell, done)
    return plan.beside(step, writes, rate(done[writes]))


@dataclass
class Measurement:
    """`span` is the part of the drive to warm up; `tell` is called after each step.

    With a `cell_most_s` of 0 no cell is made longer.
    """

    executor: Executor
    checkpoint: Checkpoint
    span: str
    tell: Callable[[Report], None] = lambda _: None
    warmed_s: int = 0
    clock: Callable[[], float] = time.monotonic
    cell_most_s: int = 0

    def run(self, steps: list[Step]) -> dict[Cell, Series]:
        """Steps that only prepare are done when a cell behind them is missing."""
        done = self.checkpoint.load()
        left = sum(step.cell is not None and self.lacks_s(step, done) > 0 for step in steps)
        waiting: list[Step] = []
        for step in steps:
            if step.cell is None:
                waiting.append(step)
            elif self.lacks_s(step, done):
                self.prepare(waiting, left)
                left -= 1
                step = beside_writes(step, done) if step.cell.is_beside() else step
                self.settle(step, done, waiting, left)
                waiting = []
        return {step.cell: done[step.cell] for step in steps if step.cell}

    def settle(self, step: Step, done: dict[Cell, Series], waiting: list[Step], left: int) -> None:
        seconds = self.lacks_s(step, done)
        while seconds:
            counts = done.get(step.cell)
            if counts and step.cell.leaves_order() and self.executor.goes_on:
                self.prepare(waiting[-1:], left + 1)
            begun = self.clock()
            done[step.cell] = counts = self.stretch(step, counts, seconds)
            took_s = self.clock() - begun
            self.checkpoint.save(step.cell, counts)
            seconds = self.lacks_s(step, done)
            more = self.missing(step, counts, seconds) if seconds else None
            self.tell(Report(step, rate(counts), left + bool(more), took_s, more))

    def lacks_s(self, step: Step, done: dict[Cell, Series]) -> int:
        return lacks_s(step, done, self.cell_most_s)

    def missing(self, step: Step, counts: Series | None, seconds: int) -> Step:
        """What has to be run for so many seconds."""
        have_s = counts.seconds() if counts and self.executor.goes_on else 0
        return plan.counted(step, seconds - have_s)

    def stretch(self, step: Step, counts: Series | None, seconds: int) -> Series:
        made = self.executor.run(self.missing(step, counts, seconds))
        return counts + made if counts and self.executor.goes_on else made

    def remaining(self, steps: list[Step], done: dict[Cell, Series]) -> list[Step]:
        """What is yet to be run; how much longer cells have to be is seen when they are."""
        made = []
        for step in steps:
            if step.cell is None:
                made.append(step)
            elif seconds := self.lacks_s(step, done):
                made.append(self.missing(step, done.get(step.cell), seconds))
        return made

    def prepare(self, waiting: list[Step], left: int) -> None:
        """A drive is filled once; of several times to warm it up, the longest is enough."""
        for step in waiting:
            if step.name in (FILL, OVERWRITE) and not self.checkpoint.is_marked(step.name):
                if step.name == FILL and (probe := plan.probe_step(self.span)):
                    self.write(probe, left)
                self.write(step, left)
                self.checkpoint.mark(step.name)
        warm_s = max((step.counted_s() for step in waiting if step.name == WARM), default=0)
        self.warm_up(warm_s, left)

    def write(self, step: Step, left: int) -> None:
        begun = self.clock()
        self.executor.run(step)
        self.tell(Report(step, 0, left, self.clock() - begun))

    def warm_up(self, cap_s: int, left: int) -> None:
        """Random writes until the throughput settles, or for `cap_s`."""
        before, gone = 0.0, 0
        while gone < cap_s:
            stretch = min(WARM_STRETCH_S, cap_s - gone)
            step = plan.warm_step(stretch, self.span)
            now = rate(self.executor.run(step))
            gone += stretch
            self.tell(Report(step, now, left))
            if is_settled(before, now):
                break
            before = now
        self.warmed_s = max(self.warmed_s, gone)
