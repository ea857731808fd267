# SPDX-License-Identifier: GPL-2.0
"""What debit gains below saturation, by the papers' rules and by ours."""

from __future__ import annotations

from pathlib import Path

from lib import charts, rst
from lib.overload.runs import FIFO, PAPERS, Runs, open_loop

TITLE = "What debit gains below saturation"
MIX = "randrw rwmixread=70 bs=4k"
INTENSITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
SYSTEMS = {"fifo": FIFO, "papers' rules": PAPERS, "preset": {}}


def measure(runs: Runs) -> dict:
    rate = runs.saturation("autossd", MIX)
    rows = []
    for intensity in INTENSITIES:
        job = open_loop(MIX, intensity * rate, 2)
        found = {name: [runs.run("autossd", sets, job, seed) for seed in runs.seeds]
                 for name, sets in SYSTEMS.items()}
        rows.append([intensity, {name: {
            "read": sum(one["read"]["mean"] for one in of) / len(of),
            "p999": sum(one["read"]["p999"] for one in of) / len(of),
            "write": sum(one["write"]["mean"] for one in of) / len(of)} for name, of in found.items()}])
    return {"rows": rows}


def section(result: dict) -> str:
    table = [[f"{intensity:g}", *(f"{found[name][key] / 1e3:.0f}" for key in ("read", "p999", "write")
                                  for name in SYSTEMS)] for intensity, found in result["rows"]]
    head = ["of saturation", *(f"{what}, {name}" for what in ("reads", "p99.9", "writes")
                               for name in SYSTEMS)]
    return rst.page("Aged ``autossd``, 70 % reads of 4 KiB; means and p99.9 of reads in us, over the seeds:\n",
                    rst.table(head, table))


def draw(result: dict, directory: Path) -> None:
    def paint(panel: object) -> None:
        for name in SYSTEMS:
            panel.plot([row[0] for row in result["rows"]],
                       [row[1][name]["read"] / 1e3 for row in result["rows"]], marker=".", label=name)
    charts.draw(directory / "gain.svg", paint, "of what the drive can take", "reads, mean (us)")
