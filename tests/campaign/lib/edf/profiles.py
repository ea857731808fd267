# SPDX-License-Identifier: GPL-2.0
"""Profiles of the emulated drives, measured by the plan of `ssdqos profile`.

The simulator runs the plan: the drive's brain is the same code as in the
kernel, and hours of the drive's time take minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lib.edf.clients import Drive
from lib.errors import RunError
from lib.simulator import ROOT, build_trained
from ssdqos.qos import profile_file

DIRECTORY = ROOT / "out/campaign/edf"
SIZES = "4k,16k,64k,256k"
# What the target gives to the drive at a time, if nothing else is said.
DEPTHS = "32"
# One in a hundred windows of 10 s may be missed, so there have to be many; no cell is made longer still.
CELL_S = 600


def path(drive: Drive) -> Path:
    return DIRECTORY / f"{drive.preset}.profile"


def read(drive: Drive) -> profile_file.Profile:
    return profile_file.read(path(drive))


def words(drive: Drive) -> str:
    """As the kernel takes it."""
    if not path(drive).exists():
        raise RunError(f"edf: {path(drive)} is not there yet: ./run campaign edf profile makes it")
    return read(drive).words()


def arguments(drive: Drive) -> list[str]:
    return ["profile", "--sim", drive.preset, "--size-mb", str(drive.megabytes), "--sizes", SIZES,
            "--depths", DEPTHS, "--seconds", str(CELL_S), "--cell-most", f"{CELL_S}s",
            "--no-fill"]


def command(drive: Drive) -> str:
    """What a user types."""
    return " ".join(["PYTHONPATH=tools python3 -m ssdqos", *arguments(drive), "--out FILE"])


def make(drive: Drive) -> None:
    """Cells that were measured before are not measured again."""
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    own = {"PYTHONPATH": str(ROOT / "tools"), "SSDQOS_SIM": str(build_trained("build"))}
    words_ = [sys.executable, "-m", "ssdqos", *arguments(drive), "--out", str(path(drive))]
    subprocess.run(words_, cwd=ROOT, env={**os.environ, **own}, check=True)
