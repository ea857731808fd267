# SPDX-License-Identifier: GPL-2.0
"""Part `free`: clients that go on as fast as they can, as four of filebench's personalities do, in the simulator.

In the kernel each thread has a rate (part `filebench`); here is what that leaves out.  A request has the size of a
personality's common one, and as many are under way as it has threads.
"""

from __future__ import annotations

from pathlib import Path

from lib import rst
from lib.ttflash import numbers
from lib.ttflash.filebench import FLASH, UNIT_BYTES
from lib.ttflash.numbers import NS_PER_MS, latency, ratios, runs_of, values
from lib.ttflash.rungs import BASE, NO_GC, OURS
from lib.ttflash.runs import Run, Runs

TITLE = "As fast as they can, in the simulator"
SHOWN = (NO_GC, BASE, OURS)
LOADS = {
    "fileserver": "randrw rwmixread=50 bs=128k iodepth=50",
    "oltp": "randrw rwmixread=50 bs=2k iodepth=210",
    "varmail": "randrw rwmixread=50 bs=16k iodepth=16",
    "webproxy": "randrw rwmixread=83 bs=16k iodepth=100",
}
RUN_S, QUICK_RUN_S = 10, 1


def written_mb_s(found: dict) -> float:
    return found["counters"].get("host_write_units", 0) * UNIT_BYTES / found["virtual_s"] / 1e6


def measure(runs: Runs) -> dict:
    run_s = QUICK_RUN_S if runs.quick else RUN_S
    wanted = [(name, Run(FLASH, rung, ("--load", f"{load} runtime={run_s}s seed={seed}"), seed))
              for name, load in LOADS.items() for seed in runs.seeds for rung in runs.there(SHOWN)]
    found = runs.all("free", [run for _, run in wanted])
    rows = [numbers.kept_row(name, run.rung, run.seed, {**one, "written_mb_s": written_mb_s(one)})
            for (name, run), one in zip(wanted, found)]
    return {"rows": rows, "missing": runs.missing(SHOWN), "command": wanted[-1][1].command()}


def line(rows: list, name: str, rung: str) -> list[str]:
    found, base = runs_of(rows, name, rung), runs_of(rows, name, NO_GC)
    return [f"{name}, {numbers.title(rung)}",
            numbers.cell([value / NS_PER_MS for value in values(found, latency("mean"))], 2),
            numbers.cell(ratios(found, base, latency("mean")), 2), numbers.cell(ratios(found, base, latency("p99")), 2),
            numbers.cell(values(found, lambda one: one["gc_blocked_read_pct"]), 3),
            numbers.cell(values(found, lambda one: one["written_mb_s"]), 0),
            numbers.cell(values(found, lambda one: one["counters"].get("turns_overridden", 0)), 0)]


TEXT = """\
Four of the six personalities have no rate in filebench.  So many requests are under way all the time, on the same drive; the
host takes no time for them.  Written is what the drive takes.  *Overridden* are turns: a plane collects though another one of its
stripes does, since there would be no block to write to.  That is the limit of planes that take turns (Figure 11), and no goal.
"""


def section(result: dict) -> str:
    rows = result["rows"]
    return rst.page(TEXT, numbers.missing_text(result["missing"]), rst.table(["", "request"], list(LOADS.items())),
                    rst.table(["reads, ms", "mean", "mean of no GC", "p99 of no GC", "blocked %", "written, MB/s", "overridden"],
                              [line(rows, name, rung) for name in numbers.things(rows) for rung in numbers.rungs(rows)]),
                    "The last of them::\n\n    " + result["command"])


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
