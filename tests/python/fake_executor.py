# SPDX-License-Identifier: GPL-2.0
"""An executor of a profile that notes what it is asked to run; its runs all begin alike."""

from __future__ import annotations

from ssdqos.profiler.plan import Step


class FakeExecutor:
    goes_on = False

    def __init__(self) -> None:
        self.ran: list[str] = []

    def identity(self) -> dict[str, str]:
        return {}

    def forget(self) -> None:
        """Nothing is kept."""

    def note(self, step: Step) -> None:
        self.ran.append(f"{step.name} {step.counted_s()}")
