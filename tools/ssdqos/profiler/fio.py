# SPDX-License-Identifier: GPL-2.0
"""Runs the steps of a measurement with fio, on a disk or on a file."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.profiler import fio_log
from ssdqos.profiler.plan import Step
from ssdqos.profiler.series import Series

ENVIRONMENT = "SSDQOS_FIO"
# It ends its workers, and writes down what it has; a disk may take seconds for what is under way.
ENDS_S = 10


def program() -> str:
    return os.environ.get(ENVIRONMENT) or "fio"


def filename(path: Path) -> str:
    """As an option of fio, for which a colon stands between two files."""
    return str(path.resolve()).replace(":", "\\:")


def end(fio: subprocess.Popen) -> None:
    """With its workers: if it is ended alone, they go on writing."""
    os.killpg(fio.pid, signal.SIGTERM)
    try:
        fio.wait(ENDS_S)
    except subprocess.TimeoutExpired:
        os.killpg(fio.pid, signal.SIGKILL)


def called(words: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    """In a group of processes of its own, which ends if we do."""
    with subprocess.Popen(words, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True) as fio:
        try:
            out, told = fio.communicate()
        except BaseException:
            end(fio)
            raise
    return subprocess.CompletedProcess(words, fio.returncode, out, told)


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
            done = called([self.program, f"--filename={filename(self.target.path)}", *step.words(), "--output=result.json"],
                          Path(scratch))
            if done.returncode:
                lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
                raise ToolError(f"fio failed in {step.name}: {lines[0]}")
            if not step.is_logged():
                return None
            return fio_log.read(Path(scratch), step.name, step.lead_s(), step.counted_s())
