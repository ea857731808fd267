# SPDX-License-Identifier: GPL-2.0
"""What has to be there before a demo: the simulator, the module, a kernel."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.paths import TOP_DIR, shown

BUILD_MODULE = TOP_DIR / "tests/vm/build-module"
TAIL_LINES = 30


def quietly(words: list[str], log: Path, what: str) -> None:
    """Runs a command, all it says goes to a log; the end of that is shown if it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as out:
        done = subprocess.run(words, stdout=out, stderr=subprocess.STDOUT, cwd=TOP_DIR, check=False)
    if done.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-TAIL_LINES:])
        raise ToolError(f"{what} failed ({shlex.join(words)}), all of it is in {shown(log)}:\n{tail}")


def simulator(logs: Path) -> None:
    quietly(["make", "-s", "sim"], logs / "demo-sim.log", "building the simulator")


def module(kernel: str, logs: Path) -> None:
    quietly([str(BUILD_MODULE), kernel], logs / "demo-module.log", "building the module")
