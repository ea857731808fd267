# SPDX-License-Identifier: GPL-2.0
"""Runs the steps of a measurement with fio, on a disk or on a file."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.profiler import fio_log
from ssdqos.profiler.plan import Step
from ssdqos.profiler.series import Series

ENVIRONMENT = "SSDQOS_FIO"


def program() -> str:
    return os.environ.get(ENVIRONMENT) or "fio"


class Fio:
    """An executor: `target` is what all steps are run on."""

    goes_on = True

    def __init__(self, target: Device) -> None:
        self.target = target
        self.program = program()
        if not shutil.which(self.program):
            raise ToolError(f"{self.program} is not installed (package fio)")

    def forget(self) -> None:
        """A drive is as it was left."""

    def identity(self) -> dict[str, str]:
        version = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=False)
        return self.target.identity() | {"kernel": platform.release(), "fio": version.stdout.strip()}

    def run(self, step: Step) -> Series | None:
        """Counts of the step, if it leaves a log."""
        with tempfile.TemporaryDirectory() as scratch:
            words = [self.program, f"--filename={self.target.path.resolve()}", *step.words(),
                     "--output=result.json"]
            done = subprocess.run(words, cwd=scratch, capture_output=True, text=True, check=False)
            if done.returncode:
                lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
                raise ToolError(f"fio failed in {step.name}: {lines[0]}")
            if not step.is_logged():
                return None
            return fio_log.read(Path(scratch), step.name, step.lead_s(), step.counted_s())
