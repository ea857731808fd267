# SPDX-License-Identifier: GPL-2.0
"""What each of the two switches is for."""

from __future__ import annotations

from pathlib import Path

from lib import rst
from lib.overload.runs import FIFO, PAPERS, SCHEDULERS, Runs, open_loop

TITLE = "Without one of the switches, or both"
SWITCHES = {"both": {}, "share_lend off": {"share_lend": "off"}, "bypass_max 0": {"bypass_max": 0},
            "the papers' rules": PAPERS}
CASES = (("autossd", "50/50, four times", "randrw rwmixread=50 bs=4k", 4),
         ("autossd", "90/10, four times", "randrw rwmixread=90 bs=4k", 4),
         ("autossd", "writes, 0.9 times", "randwrite bs=4k", 0.9),
         ("ttflash", "70/30, twice", "randrw rwmixread=70 bs=4k", 2))


def measure(runs: Runs) -> dict:
    rows = []
    for preset, name, mix, intensity in CASES:
        job = open_loop(mix, intensity * runs.saturation(preset, mix), 0.5)
        fifo = runs.run(preset, FIFO, job, runs.seeds[0])
        rows.append([preset, name, "fifo", "", fifo])
        for scheduler, sets in SCHEDULERS.items():
            for switch, change in SWITCHES.items():
                rows.append([preset, name, scheduler, switch,
                             runs.run(preset, {**sets, **change}, job, runs.seeds[0])])
    return {"rows": rows}


def milliseconds(found: dict, op: str, key: str) -> str:
    return f"{found[op][key] / 1e6:.2f}" if found.get(op, {}).get("n") else ""


def section(result: dict) -> str:
    table = [[f"{preset}, {name}", scheduler, switch, milliseconds(found, "read", "mean"),
              milliseconds(found, "read", "p999"), milliseconds(found, "write", "mean")]
             for preset, name, scheduler, switch, found in result["rows"]]
    return rst.page("In ms:\n", rst.table(["load", "scheduler", "with", "reads, mean", "p99.9",
                                           "writes, mean"], table))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
