# SPDX-License-Identifier: GPL-2.0
"""Operations on the set of discards that wait, in user space, each against a model of every sector."""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

from lib import campaign, rst
from lib.claim import Bound
from lib.errors import RunError
from lib.simulator import ROOT
from lib.trim.runs import NAME

PAGE = "model"
TITLE = "A hundred million operations in user space"
TEST = "build/unit/test_trim_model"
OPERATIONS, QUICK_OPERATIONS, WANTED = 100_000_000, 1_000_000, 10_000_000
# Batchers with parameters of their own (test_trim_model.c).
LIVES = 20


def command(operations: int) -> str:
    return f"make {TEST} && SSDQOS_TRIM_OPS={operations} {TEST}"


def measure(options: argparse.Namespace, _runs: Path) -> campaign.Found:
    operations = QUICK_OPERATIONS if options.quick else OPERATIONS
    campaign.teller(NAME)(f"model: {operations:,} operations")
    subprocess.run(["make", "-s", TEST], cwd=ROOT, check=True)
    done = subprocess.run([ROOT / TEST], env={**os.environ, "SSDQOS_TRIM_OPS": str(operations)}, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise RunError(f"model: {done.stdout}{done.stderr}")
    return campaign.Found({"operations": operations, "lives": LIVES, "failed": 0}, fresh=True)


def goals(result: dict) -> list:
    return [Bound("operations in user space", result["operations"], least=WANTED, digits=0).row(),
            Bound("that went otherwise than the model says", result["failed"], most=0, digits=0).row()]


def section(result: dict) -> str:
    return rst.page(
        f"{result['operations']:,} operations on {result['lives']} batchers (``core/trim``), built with ASan and UBSan: discards, "
        "writes, what is sent and comes back,\nflushes, with a granule, an alignment, an age, a depth and a memory that the seed "
        "draws (1 to "
        f"{result['lives']}).  A model has a bit for\neach sector: what is sent waits there, and nothing that was written later is "
        "in it; all of the set is compared after each\n256th.  A failed one ends the run.\n",
        "The test alone::\n\n    " + command(result["operations"]) + "\n")


def draw(result: dict, directory: Path) -> None:
    """There is one number."""
