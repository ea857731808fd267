# SPDX-License-Identifier: GPL-2.0
"""What one discard takes by its size, on a drive that does nothing else: Figures 13 and 14."""

from __future__ import annotations

from pathlib import Path

from lib import charts, rst
from lib.claim import Claim
from lib.trim.runs import KINDS, NS_PER_US, SIZE_MIB, Drive, Run, Runs

TITLE = "What a discard takes"
PRESET = "intel510-like"
SIZES_KIB = (4, 64, 1024, 4096, 16384, 65536, 262144, SIZE_MIB * 1024)
NUMBER = 20
RUNTIME_S = 30
# Of the drive: two in one of 1 GiB.
WHOLE_MS = {"E-TRIM": 754 / 2, "I-TRIM": (10 + 0.4) / 2}
TOLERANCE_PCT = 2


def load(kib: int) -> str:
    return f"trim bs={kib}k number_ios={NUMBER if kib < SIZE_MIB * 1024 else 1}"


def measure(runs: Runs) -> dict:
    found = {}
    for kind in KINDS:
        runs.say(f"{kind}: {len(SIZES_KIB)} sizes")
        drive = Drive(PRESET, kind, granule_kib=4)
        done = [Run(drive, 1, (("trims", load(kib)),), RUNTIME_S) for kib in SIZES_KIB]
        found[kind] = {"us": [runs.run(one)["trims"]["latency_ns"]["p50"] / NS_PER_US for one in done],
                       "command": done[-1].command()}
    return {"kinds": found}


def goals(result: dict) -> list:
    return [Claim(f"{kind}: a discard of 1 GiB, of half of the paper's 2 GiB", 100, TOLERANCE_PCT,
                  "half a histogram's step", 100 * found["us"][-1] / 1000 / WHOLE_MS[kind], "%").row()
            for kind, found in result["kinds"].items()]


def section(result: dict) -> str:
    rows = [[f"{kib} KiB", *(f"{found['us'][at] / 1000:.2f}" for found in result["kinds"].values())]
            for at, kib in enumerate(SIZES_KIB)]
    return rst.page(rst.table(["one discard, ms", *result["kinds"]], rows),
                    "The last row::\n\n" + "".join(f"    {found['command']}\n" for found in result["kinds"].values()),
                    rst.figure("cost.svg", "Time of a discard by its size (Figures 13 and 14 of the paper)."))


def draw(result: dict, directory: Path) -> None:
    def paint(axes) -> None:
        for kind, found in result["kinds"].items():
            axes.loglog([kib / 1024 for kib in SIZES_KIB], [us / 1000 for us in found["us"]], marker="o", label=kind)
        axes.legend()
    charts.draw(directory / "cost.svg", paint, "size, MiB", "time, ms")
