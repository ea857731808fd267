# SPDX-License-Identifier: GPL-2.0
"""Part `speed`: requests a CPU-second with everything.

Time is measured: nothing else may run beside it, and runs are made one after the other, in turns.
"""

from __future__ import annotations

import statistics
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.ttflash import numbers
from lib.ttflash.flash import GIB, PRESET, Flash
from lib.ttflash.rungs import NO_RAIN, OURS, RUNGS, WITH_SHARES
from lib.ttflash.runs import Run, Runs
from lib.ttflash.uniform import FULL_OP_PERMILLE, GIBS

TITLE = "Speed"
SHOWN = (NO_RAIN, "plane", "gtr", OURS, WITH_SHARES)
MIXED = "randrw rwmixread=70 bs=4k iodepth=32"
REQUESTS, QUICK_REQUESTS = 6_000_000, 200_000
ROUNDS, QUICK_ROUNDS = 5, 1
# Issue 16: millions a CPU-second with everything on, at least, and as it should be.
LEAST_M, GOAL_M = 0.8, 1.2
MILLION = 1e6


def mixed(rung: str, requests: int, seed: int) -> Run:
    return Run(Flash(raw_gib=GIBS), rung, ("--load", f"{MIXED} number_ios={requests} seed={seed}"), seed,
               size_bytes=GIBS * GIB, op_permille=FULL_OP_PERMILLE[RUNGS[rung].rain])


def measure_speed(runs: Runs, rungs: list[str]) -> dict[str, list[float]]:
    """In turns, so that a slow moment of the machine hits all alike."""
    requests, rounds = (QUICK_REQUESTS, QUICK_ROUNDS) if runs.quick else (REQUESTS, ROUNDS)
    found: dict[str, list[float]] = {rung: [] for rung in rungs}
    for number in range(rounds):
        runs.say(f"speed: round {number + 1} of {rounds}")
        for rung in rungs:
            one = runs.run(mixed(rung, requests, runs.seeds[0] + number))
            found[rung].append(one["requests"] / one["cpu_s"] / MILLION)
    return found


def measure(runs: Runs) -> dict:
    rungs = runs.there(SHOWN)
    speed = measure_speed(runs, rungs)
    return {"m_per_cpu_s": speed, "missing": runs.missing(SHOWN), "preset": PRESET,
            "command": mixed(rungs[-1], REQUESTS, runs.seeds[0]).command()}


def section(result: dict) -> str:
    speed = [[numbers.title(rung), f"{statistics.median(seen):.2f}", f"{min(seen):.2f} to {max(seen):.2f}", len(seen)]
             for rung, seen in result["m_per_cpu_s"].items()]
    return rst.page(f"``{MIXED}`` on an aged ``{result['preset']}`` of {GIBS} GiB, millions of requests a CPU-second; "
                    "nothing ran beside it.\n", numbers.missing_text(result["missing"]),
                    rst.table(["rung", "median", "runs", "n"], speed), "The last of them::\n\n    " + result["command"])


def goals(result: dict) -> list[Row]:
    return [Bound(f"70/30 with everything, {numbers.title(rung)}: M requests a CPU-second (goal {GOAL_M})",
                  statistics.median(result["m_per_cpu_s"][rung]), least=LEAST_M, digits=2).row()
            for rung in (OURS, WITH_SHARES) if rung in result["m_per_cpu_s"]]


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
