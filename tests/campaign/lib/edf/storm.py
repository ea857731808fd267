# SPDX-License-Identifier: GPL-2.0
"""Part `storm`: ten minutes of changes under load on the debug kernel."""

from __future__ import annotations

from pathlib import Path

from lib import rst
from lib.edf import clients, profiles
from lib.edf.scale import Scale
from lib.machine import Job

TITLE = "A storm of changes"
STORM_S = 600


def jobs(scale: Scale) -> list[Job]:
    return [Job("storm", "edf-storm.sh", {"RUN_S": STORM_S},
                {"profile": profiles.words(clients.DRIVE_A)}, kernel="debug",
                machine=("--smp", "4"), limit_s=2 * STORM_S, wall_limit_s=3 * STORM_S)]


def measure(out: dict[str, Path], scale: Scale) -> dict:
    done = dict(line.split() for line in (out["storm"] / "storm").read_text().splitlines())
    return {"seconds": STORM_S, "done": {name: int(number) for name, number in done.items()}}


def section(result: dict) -> str:
    rows = [[name, f"{number:,}"] for name, number in sorted(result["done"].items())]
    return rst.page(
        f"64 streams on the debug kernel (KASAN, lockdep, UBSAN, ODEBUG) with 4 virtual CPUs for "
        f"{result['seconds']} s: half\nof them always with requests, tuned and reloaded, the "
        "others created and removed; no report of the\nkernel, and all streams could be removed in "
        "the end.  Done meanwhile:\n", rst.table(["", "times"], rows))


def draw(result: dict, directory: Path) -> None:
    """Nothing to see."""
