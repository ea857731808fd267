# SPDX-License-Identifier: GPL-2.0
"""Part `random`: 600,000 requests of 4 KiB at random, beside what the paper's artefact makes of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from lib import charts, rst
from lib.claim import Bound, Row
from lib.ttflash import numbers, paper
from lib.ttflash.flash import GIB, Flash
from lib.ttflash.numbers import NS_PER_MS, QUANTILES, latency, ratios, runs_of, values
from lib.ttflash.rungs import LADDER, NO_GC, NO_RAIN, OURS, RUNGS, TABLE
from lib.ttflash.runs import Run, Runs

TITLE = "600,000 random requests"
# One in 150 us, as the artefact was given.
LOAD = "randrw rwmixread=50 bs=4k arrival=poisson rate_iops=6665"
REQUESTS, QUICK_REQUESTS = 600_000, 20_000
GIBS = 16
# Of a drive that is full: what its data leave over, with parity and without, as presets had it in the review.
FULL_OP_PERMILLE = {True: 315, False: 150}
KEYS = ("mean", "p50", "p99", "p999", "max")
RATIOS = ("mean", "p99", "p999")


@dataclasses.dataclass(frozen=True)
class Drive:
    """@full_gib is its capacity if all of it is data; otherwise data are in part of the flash."""

    title: str
    flash: Flash
    full_gib: int = 0

    def run(self, rung: str, load: str, seed: int) -> Run:
        full_op = FULL_OP_PERMILLE[RUNGS[rung].rain] if self.full_gib else 0
        return Run(self.flash, rung, ("--load", load), seed, size_bytes=self.full_gib * GIB, op_permille=full_op)


FEW_VALID, FULL = "few valid", "full"
DRIVES: Mapping[str, Drive] = {
    FEW_VALID: Drive("16 GiB of flash, of which data fill 47 %", Flash(raw_gib=GIBS)),
    FULL: Drive("16 GiB of data, of whose flash 15 % are over", Flash(raw_gib=GIBS), full_gib=GIBS),
}


def measure(runs: Runs) -> dict:
    count = QUICK_REQUESTS if runs.quick else REQUESTS
    wanted = [(name, drive.run(rung, f"{LOAD} number_ios={count} seed={seed}", seed))
              for name, drive in DRIVES.items() for seed in runs.seeds for rung in runs.there(TABLE)]
    found = runs.all("random", [run for _, run in wanted])
    return {"rows": [numbers.kept_row(name, run.rung, run.seed, one) for (name, run), one in zip(wanted, found)],
            "missing": runs.missing(TABLE), "command": wanted[-1][1].command()}


# ---- tables ----

def table(rows: list, name: str) -> str:
    head = ["reads, ms", *(QUANTILES.get(key, key) for key in KEYS), "blocked %", "erases",
            *(f"{QUANTILES[key]} of no GC" for key in RATIOS)]
    base = runs_of(rows, name, NO_GC)
    lines = []
    for rung in numbers.rungs(rows):
        found = runs_of(rows, name, rung)
        lines.append([numbers.title(rung),
                      *(numbers.cell([value / NS_PER_MS for value in values(found, latency(key))], 3) for key in KEYS),
                      numbers.cell(values(found, lambda one: one["gc_blocked_read_pct"]), 3),
                      numbers.cell(values(found, lambda one: one["erases"]), 0),
                      *(numbers.cell(ratios(found, base, latency(key)), 2) for key in RATIOS)])
    return rst.table(head, lines)


def artefact_table() -> str:
    base = paper.ARTEFACT["nogc"]
    return rst.table(["the artefact, ms", *(QUANTILES.get(key, key) for key in KEYS), "erases",
                      *(f"{QUANTILES[key]} of no GC" for key in RATIOS)],
                     [[numbers.title(rung), *(f"{one[key]:g}" for key in KEYS), one["erases"],
                       *(f"{one[key] / base[key]:.2f}" for key in RATIOS)] for rung, one in paper.ARTEFACT.items()])


TEXT = f"""\
``{LOAD}`` on an aged drive of 8 channels with 8 planes each.  The paper's artefact was run on requests like these, once; its
drive has 16 GiB of flash and almost no valid pages in victims, its erases differ from rung to rung, and its base
blocks the channel.
"""


def section(result: dict) -> str:
    rows = result["rows"]
    pieces = [piece for name in numbers.things(rows)
              for piece in (rst.heading(DRIVES[name].title, "~"), table(rows, name))]
    return rst.page(TEXT, numbers.missing_text(result["missing"]), artefact_table(), *pieces,
                    "The last of them::\n\n    " + result["command"])


def goals(result: dict) -> list[Row]:
    """What the artefact reaches with everything is the least that ours should."""
    found, base = (runs_of(result["rows"], FEW_VALID, rung) for rung in (OURS, NO_GC))
    theirs, without = paper.ARTEFACT["rgc"], paper.ARTEFACT["nogc"]
    return [Bound(f"random: reads' {QUANTILES[key]} of no GC's, the artefact's at most", numbers.mean(seen),
                  most=theirs[key] / without[key], digits=2).row()
            for key in RATIOS if (seen := ratios(found, base, latency(key)))]


def draw(result: dict, directory: Path) -> None:
    rows = result["rows"]

    def paint(*axes: object) -> None:
        shown = [rung for rung in (NO_RAIN, NO_GC, *LADDER) if rung in numbers.rungs(rows)]
        for axis, name in zip(axes, numbers.things(rows)):
            for key in RATIOS:
                axis.plot([numbers.title(rung) for rung in shown],
                          [numbers.mean(values(runs_of(rows, name, rung), latency(key))) / NS_PER_MS for rung in shown],
                          marker="o", label=QUANTILES[key])
            axis.set_yscale("log")
            axis.tick_params(axis="x", rotation=60)
            axis.set_title(name)
    charts.draw(directory / "random.svg", paint, "", "reads (ms)", panels=len(DRIVES))
