# SPDX-License-Identifier: GPL-2.0
"""Carries a plan out: prepares the drive, runs what is missing, keeps what is done."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ssdqos.profiler import plan
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.checkpoint import Checkpoint
from ssdqos.profiler.plan import FILL, OVERWRITE, WARM, Step
from ssdqos.profiler.series import STEP_MS, Series
from ssdqos.qos.units import MS_PER_S

# A drive is warm when two stretches one after the other differ by less than this.
WARM_STRETCH_S = 15
SETTLED_PCT = 5


class Executor(Protocol):
    """What runs a step on a drive."""

    def identity(self) -> dict[str, str]:
        """Meta lines of the profile."""

    def run(self, step: Step) -> Series | None:
        """What was counted, if the step leaves a log."""


@dataclass(frozen=True)
class Report:
    """A step has ended; `rate` is in IOPS, 0 where it was not counted."""

    step: Step
    rate: float
    left: int  # cells
    took_s: float = 0


def rate(counts: Series) -> float:
    return sum(counts.reads + counts.writes) * MS_PER_S / (len(counts) * STEP_MS) if len(counts) else 0.0


def is_settled(before: float, now: float) -> bool:
    return before > 0 and abs(now - before) * 100 <= SETTLED_PCT * before


@dataclass
class Measurement:
    """`span` is the part of the drive to warm up; `tell` is called after each step."""

    executor: Executor
    checkpoint: Checkpoint
    span: str
    tell: Callable[[Report], None]
    warmed_s: int = 0
    clock: Callable[[], float] = time.monotonic

    def run(self, steps: list[Step]) -> dict[Cell, Series]:
        """Steps that only prepare are done when a cell behind them is missing."""
        done = self.checkpoint.load()
        left = sum(step.cell is not None and step.cell not in done for step in steps)
        waiting: list[Step] = []
        for step in steps:
            if step.cell is None:
                waiting.append(step)
            elif step.cell not in done:
                self.prepare(waiting, left)
                waiting = []
                counts = self.executor.run(step)
                self.checkpoint.save(step.cell, counts)
                done[step.cell] = counts
                left -= 1
                self.tell(Report(step, rate(counts), left))
        return {step.cell: done[step.cell] for step in steps if step.cell}

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
