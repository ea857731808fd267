# SPDX-License-Identifier: GPL-2.0
"""How long a measurement will take: guessed at first, then by what the drive has shown."""

from __future__ import annotations

from ssdqos.profiler.plan import FILL, LONGER, OVERWRITE, PROBE, PROBE_BYTES, Step, counted

# Of a middling SATA drive.
FILL_BYTES_PER_S = 250_000_000
OVERWRITE_BYTES_PER_S = 80_000_000
# To start fio and to read its logs.
STEP_S = 1
SPEED = {FILL: FILL_BYTES_PER_S, OVERWRITE: OVERWRITE_BYTES_PER_S, PROBE: FILL_BYTES_PER_S}


def step_s(step: Step, span_bytes: int, slowness: float = 1.0) -> float:
    """`slowness` is how many times as long as a middling drive it takes to be filled."""
    if step.name in SPEED:
        written = PROBE_BYTES if step.name == PROBE else span_bytes
        return STEP_S + written / SPEED[step.name] * slowness
    return STEP_S + int(step.options["runtime"])


def seconds(steps: list[Step], span_bytes: int, slowness: float = 1.0) -> float:
    return sum(step_s(step, span_bytes, slowness) for step in steps)


def longer(steps: list[Step], cell_most_s: int, goes_on: bool) -> list[Step]:
    """If no cell settles: one stretch after the other, each as long as all before it; or from the begin each time."""
    made = []
    for step in steps:
        made.append(step)
        have_s = step.counted_s() if step.cell else cell_most_s
        while have_s < cell_most_s:
            before_s, have_s = have_s, min(have_s * LONGER, cell_most_s)
            made.append(counted(step, have_s - before_s if goes_on else have_s))
    return made


class Remaining:
    """What is left of a plan."""

    def __init__(self, steps: list[Step], span_bytes: int) -> None:
        self.steps = list(steps)
        self.span_bytes = span_bytes
        self.slowness = 1.0
        self.cells_guessed_s = self.cells_took_s = 0.0

    def passed(self, step: Step, took_s: float, more: Step | None = None) -> None:
        """`more` is what a cell still lacks that has not settled.

        Random writes that warm the drive up may end early: they count as left until a cell has passed.
        A simulator's drive has its own time, so cells that have passed say how long the others take.
        """
        if step.name in SPEED and took_s:
            usual_s = step_s(step, self.span_bytes) - STEP_S
            self.slowness = max(took_s - STEP_S, 0) / usual_s if usual_s else 1.0
        names = [one.name for one in self.steps]
        if step.name in names and (step.cell or step.name in SPEED):
            at = names.index(step.name)
            if step.cell and took_s:
                self.cells_guessed_s += step_s(self.steps[at], self.span_bytes)
                self.cells_took_s += took_s
            del self.steps[:at + 1]
        if more:
            self.steps.insert(0, more)

    def seconds(self) -> float:
        cells = [step for step in self.steps if step.cell]
        others = [step for step in self.steps if not step.cell]
        pace = self.cells_took_s / self.cells_guessed_s if self.cells_guessed_s else 1.0
        return seconds(cells, self.span_bytes) * pace + seconds(others, self.span_bytes, self.slowness)
