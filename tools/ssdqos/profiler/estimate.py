# SPDX-License-Identifier: GPL-2.0
"""How long a measurement will take."""

from __future__ import annotations

from ssdqos.profiler.plan import FILL, OVERWRITE, Step

# Of a middling SATA drive.
FILL_BYTES_PER_S = 250_000_000
OVERWRITE_BYTES_PER_S = 80_000_000
# To start fio and to read its logs.
STEP_S = 1
SPEED = {FILL: FILL_BYTES_PER_S, OVERWRITE: OVERWRITE_BYTES_PER_S}


def step_s(step: Step, span_bytes: int) -> float:
    if step.name in SPEED:
        return STEP_S + span_bytes / SPEED[step.name]
    return STEP_S + int(step.options["runtime"])


def seconds(steps: list[Step], span_bytes: int) -> float:
    return sum(step_s(step, span_bytes) for step in steps)
