# SPDX-License-Identifier: GPL-2.0
"""What `ssdqos profile` says of discards, beside what the drive's parameters say."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from lib import campaign, rst
from lib.claim import Claim
from lib.errors import RunError
from lib.simulator import ROOT, build
from lib.trim.runs import KINDS, NAME, NS_PER_US, SIZE_MIB, times_of

sys.path.append(str(ROOT / "tools"))

from ssdqos.profiler import cell  # noqa: E402  (after the path that it is found on)
from ssdqos.qos import profile_file  # noqa: E402

PAGE = "profile"
TITLE = "What a profile says of discards"
PRESETS = ("autossd", "ttflash", "x25e-like", "intel510-like")
ORDERS = ("seq", "rand")
STEP_BYTES = 4 << 20
KIB = 1 << 10
# A profile needs a cost of reads and of writes.
CELLS = "read-rand-4k-d32,write-rand-4k-d32,discard-*"
SECONDS = 5
TOLERANCE_PCT = 1


def arguments(preset: str, kind: str) -> list[str]:
    return ["profile", "--sim", preset, "--size-mb", str(SIZE_MIB), "--set", f"trim_preset={KINDS[kind]}", "--quick",
            "--cells", CELLS, "--seconds", str(SECONDS), "--warm-up", str(SECONDS)]


def profile_of(preset: str, kind: str, path: Path) -> profile_file.Profile:
    path.unlink(missing_ok=True)
    words = [sys.executable, "-m", "ssdqos", *arguments(preset, kind), "--out", str(path)]
    done = subprocess.run(words, env={**os.environ, "PYTHONPATH": str(ROOT / "tools")}, cwd=ROOT, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise RunError(f"{preset}, {kind}: {done.stderr.strip()}")
    return profile_file.read(path)


def said_ns(kind: str, size: int) -> int:
    """By the drive's parameters."""
    times = times_of(kind)
    return times["trim_ns"] + (-(-size // STEP_BYTES) - 1) * times["trim_step_ns"]


def measure(options: argparse.Namespace, runs: Path) -> campaign.Found:
    """Some seconds each, so all of them are made each time."""
    build("build")
    say = campaign.teller(NAME)
    found = {}
    for preset in PRESETS:
        for kind in KINDS:
            say(f"profile: {preset}, {kind}")
            profile = profile_of(preset, kind, runs / f"{preset}-{kind}.profile")
            found[f"{preset}, {kind}"] = {
                "kind": kind, "discards": {order: {str(size): ns for size, ns in profile.discards[order].items()}
                                           for order in ORDERS}}
    return campaign.Found({"drives": found}, fresh=True)


def goals(result: dict) -> list:
    rows = []
    for name, found in result["drives"].items():
        worst = max((100 * ns / said_ns(found["kind"], int(size)) for order in ORDERS
                     for size, ns in found["discards"][order].items()), key=lambda pct: abs(pct - 100))
        rows.append(Claim(f"{name}: the cost farthest from the drive's", 100, TOLERANCE_PCT, "the parameters", worst,
                          "%").row())
    return rows


def section(result: dict) -> str:
    rows = []
    for name, found in result["drives"].items():
        for size in cell.DISCARDS:
            rows.append([name, f"{size // KIB:,} KiB", f"{said_ns(found['kind'], size) / NS_PER_US:,.0f}",
                         *(f"{found['discards'][order][str(size)] / NS_PER_US:,.0f}" for order in ORDERS)])
    command = shlex.join(["ssdqos", *arguments(PRESETS[0], "I-TRIM"), "--out", "FILE"])
    return rst.page(f"Drives of {SIZE_MIB} MiB that were filled and overwritten; one discard at a time.  The mean of a discard "
                    "by size and order, and what the drive's parameters say: ``trim_ns``, and ``trim_step_ns`` for each 4 MiB "
                    "beyond the first.\n",
                    rst.table(["drive", "size", "by its parameters, us", "ascending, us", "random, us"], rows),
                    f"One of these profiles::\n\n    {command}\n")


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
