# SPDX-License-Identifier: GPL-2.0
"""The drives, and their profiles, which `ssdqos profile --sim` measures once for each."""

from __future__ import annotations

import argparse
import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

from lib.errors import RunError
from lib.simulator import ROOT
from ssdqos.errors import ToolError
from ssdqos.profiler.cell import BESIDE_PCTS, BESIDE_READS
from ssdqos.qos import profile_file
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.units import size_text

PRESETS = ("autossd", "ttflash", "x25e-like", "intel510-like")
SCHEDULERS = ("fifo", "debit")
MEGABYTES = 1024
# The longest window is a third of it.
CELL_S = 60
# What has not settled by then is in the profile as such.
CELL_MOST_S = 240
DEPTHS = (1, 8, 32)
SIZES = ("4k", "16k", "64k")
MIX_PCTS = (10, 50, 90, 99)
STOP = "stop-seq-64k-d32"
MIX_DEPTH = max(DEPTHS)
# Large ones, too, as `ssdqos profile` has them: a drive may bear reads beside small writes, and not beside these.
MIXES = (("4k", DEPTHS), ("64k", (MIX_DEPTH,)))
WARM_S = 30


@dataclasses.dataclass(frozen=True)
class Drive:
    """`full_pct` of it is written when a scenario begins; its profile is that of a full one.

    Which has more settings than its preset has a model's name.  A drive after a burst was written to
    as fast as it goes just before the windows begin.  With another `seed` it was aged otherwise, and its collection comes
    at other times; its profile is that of the first one.
    """

    preset: str
    scheduler: str
    full_pct: int = 100
    model: str = ""
    settings: tuple[str, ...] = ()
    burst: bool = False
    seed: int = 1

    @property
    def kind(self) -> str:
        """That has one profile."""
        return f"{self.model or self.preset}, {self.scheduler}"

    @property
    def name(self) -> str:
        return (self.kind + ("" if self.full_pct == 100 else f", {self.full_pct} % full")
                + (", after a burst" if self.burst else ""))

    def sets(self) -> list[str]:
        return [word for setting in (*self.settings, f"scheduler={self.scheduler}") for word in ("--set", setting)]

    def words(self) -> list[str]:
        return ["--drive", self.preset, "--size", f"{MEGABYTES}m", "--set", f"aged_pct={self.full_pct}",
                "--set", f"seed={self.seed}", *self.sets()]


def cells() -> str:
    """Random requests of each size and depth, mixtures, writes in order, and reads beside writes as `ssdqos profile` has them."""
    single = [f"{op}-rand-{size}-d{depth}" for op in ("read", "write") for size in SIZES for depth in DEPTHS]
    mixed = [f"mix-rand-{size}-d{depth}-r{pct}" for size, depths in MIXES for depth in depths for pct in MIX_PCTS]
    beside = [f"beside-rand-{size_text(size)}-d{depth}-w{pct}" for size, depth in BESIDE_READS for pct in BESIDE_PCTS]
    return ",".join([*single, *mixed, *beside, STOP])


def arguments(drive: Drive) -> list[str]:
    return ["profile", "--sim", drive.preset, "--size-mb", str(MEGABYTES), *drive.sets(),
            "--cells", cells(), "--seconds", str(CELL_S), "--cell-most", f"{CELL_MOST_S}s",
            "--warm-up", str(WARM_S), "--no-fill"]


def profile_path(drive: Drive, place: Path) -> Path:
    return place / f"{drive.model or drive.preset}-{drive.scheduler}.profile"


def make_profile(drive: Drive, path: Path, simulator: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([sys.executable, "-m", "ssdqos", *arguments(drive), "--out", str(path)], cwd=ROOT,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "tools"), "SSDQOS_SIM": str(simulator)},
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunError(f"profile of {drive.name}: {done.stderr.strip()}")


def folder(text: str) -> Path:
    """Of --profiles."""
    if not (path := Path(text)).is_dir():
        raise argparse.ArgumentTypeError(f"'{text}' is no folder")
    return path


def take(path: Path, given: Path) -> None:
    """From a folder of profiles, instead of one that was measured here, if it has it; a damaged one stays where it is."""
    source = given / path.name
    if not source.exists():
        return
    try:
        profile_file.read(source)
    except ToolError as error:
        raise RunError(str(error)) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, path)


def profile_of(drive: Drive, place: Path, simulator: Path) -> Profile:
    """Cells that were measured before are not measured again."""
    path = profile_path(drive, place)
    if not path.exists():
        make_profile(drive, path, simulator)
    return profile_file.read(path)
