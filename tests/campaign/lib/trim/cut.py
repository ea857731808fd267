# SPDX-License-Identifier: GPL-2.0
"""Nothing that was written is lost when the power is cut while discards are kept."""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

from lib import campaign, rst
from lib.claim import Bound
from lib.errors import RunError
from lib.simulator import ROOT

TITLE = "Power cuts"
CUTS, QUICK_CUTS = 24, 2
WANTED = 20


def measure(options: argparse.Namespace, runs: Path) -> campaign.Found:
    """tests/powercut does it, and judges."""
    path = runs / "cut.json"
    fresh = options.again or not path.exists()
    if fresh:
        command = [ROOT / "tests/powercut/run", "--cuts", str(QUICK_CUTS if options.quick else CUTS), "--seed",
                   str(options.seed), "--json", path]
        command += ["--module", options.module] if options.module else []
        if subprocess.run(command, check=False).returncode:
            path.unlink(missing_ok=True)
            raise RunError("cut: something that was written is not there, or a boot failed; logs in build/powercut")
    return campaign.Found(json.loads(path.read_text()), fresh)


def cuts(result: dict) -> list[dict]:
    """The last boot ends by itself."""
    return result["boots"][:-1]


def goals(result: dict) -> list:
    return [Bound("power cuts", len(cuts(result)), least=WANTED, digits=0).row(),
            Bound("of them, with discards that were kept", sum(boot["waiting"] > 0 for boot in cuts(result)), least=WANTED / 2,
                  digits=0).row(),
            Bound("checks after them that failed", result["failed"], most=0, digits=0).row()]


def section(result: dict) -> str:
    made = cuts(result)
    waiting = [boot["waiting"] for boot in made]
    rows = [[f"{len(made)}", f"{sum(boot['operations'] for boot in result['boots']):,}",
             f"{sum(boot['sectors'] for boot in result['boots']):,}",
             f"{sum(count > 0 for count in waiting)}", f"{sum(waiting):,}", f"{max(waiting):,}", str(result["failed"])]]
    return rst.page(
        "The same three streams on QEMU's NVMe disk; the emulator is killed 0.3 to 4 s after the operations began, and the\n"
        "machine booted again on the same disk.  How many operations had ended is in a journal on another disk; they follow\n"
        "from a seed, so all that was answered is known, and looked for.  What was under way may be there or not.\n",
        rst.table(["cuts", "operations", "sectors with data", "cuts with discards kept", "pieces kept at them", "most",
                   "checks failed"], rows))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
