# SPDX-License-Identifier: GPL-2.0
"""Reads and writes of 64 KiB where the address says which plane: how far planes stay together."""

from __future__ import annotations

import statistics
from pathlib import Path

from lib import rst
from lib.claim import Claim
from lib.steady.runs import MIB, Drive, Run, Runs
from lib.steady.written import go_on, write

TITLE = "Large writes"
SETS = (("op_permille", 400), ("buffer_kib", 1024), ("pages_per_block", 64))
TIMES = (10, 200)
SEEDS, QUICK_SEEDS = 10, 3
# One drive write is few requests here.
LONGER = 4
DRIVES = (
    Drive("at-once", "ttflash that writes out at once", "ttflash", 300, 256 * MIB, 65536,
          (*SETS, ("flush_start_pct", 0))),
    Drive("from-80-pct", "ttflash, whose buffer is written out from 80 % on", "ttflash", 300, 256 * MIB, 65536, SETS),
)
KEYS = ("p50", "p90", "p99", "p999", "waf", "collected")
TOLERANCE_PCT = 5
WHY = "ten runs of 16,384 reads and writes scatter by 2 %"


def measure(runs: Runs) -> dict:
    seeds = range(1, 1 + (QUICK_SEEDS if runs.quick else SEEDS))
    found = {}
    for drive in DRIVES:
        aged = [runs.run(Run(drive, LONGER * drive.blocks(), seed, aged=True, measured=True)) for seed in seeds]
        found[drive.name] = {"aged": aged, "command": Run(drive, LONGER * drive.blocks(), 1, aged=True).command()}
        for times in TIMES[:1] if runs.quick else TIMES:
            runs.say(f"{drive.name}: is written {times} times")
            found[drive.name][str(times)] = go_on(runs, drive, write(runs, drive, times), seeds, LONGER)[0]
    return {"drives": found}


def mean(runs: list[dict], key: str) -> float:
    return statistics.mean(run[key] for run in runs)


def most(found: dict) -> str:
    return max((key for key in found if key.isdigit()), key=int)


def goals(result: dict) -> list:
    """A quick run has no drive that was written for long enough."""
    return [Claim(f"{name}, 64 KiB: {key}, of a drive written {most(found)} times", 100, TOLERANCE_PCT, WHY,
                  100 * mean(found["aged"], key) / mean(found[most(found)], key), "%").row()
            for name, found in result["drives"].items() if most(found) == str(TIMES[-1]) for key in KEYS]


def section(result: dict) -> str:
    pieces = []
    for drive in DRIVES:
        found = result["drives"][drive.name]
        sides = [(f"written {key} times", found[key]) for key in found if key.isdigit()]
        sides.append(("aged", found["aged"]))
        rows = [[name, *(f"{mean(runs, key):.2f}" for key in KEYS)] for name, runs in sides]
        pieces += [rst.heading(drive.title, "~"),
                   rst.table(["", "p50, us", "p90", "p99", "p99.9", "WAF", "collected per 1,000"], rows),
                   "An aged drive::\n\n    " + found["command"]]
    return rst.page(*pieces)


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
