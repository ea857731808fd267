# SPDX-License-Identifier: GPL-2.0
"""Part `sensitivity`: what the drive's assumed fill and the load's assumed footprint do to the ladder."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from lib import rst
from lib.ttflash import numbers
from lib.ttflash.flash import DATA_PCT, Flash
from lib.ttflash.loads import LOADS
from lib.ttflash.numbers import QUANTILES, latency, ratios, runs_of, values
from lib.ttflash.rungs import BASE, NO_GC, OURS, WITH_SHARES
from lib.ttflash.runs import Run, Runs

TITLE = "How much depends on what was assumed"
LOAD = "made-MSN"
SHOWN = (NO_GC, BASE, "plane", "gtr", "rgc", OURS, WITH_SHARES)
DATA_PCTS, QUICK_DATA_PCTS = (30, DATA_PCT, 60, 75), (DATA_PCT, 75)
FOOTPRINTS = {"a quarter, zipf 0.9": "", "all, uniform": "size=100% random_distribution=random"}
KEYS = ("mean", "p99", "p999", "p9999")
PAGES_PER_BLOCK = 256


def cases(quick: bool) -> Iterator[tuple[str, Flash, str]]:
    """Name, drive, and what is added to the load."""
    for pct, (footprint, more) in itertools.product(QUICK_DATA_PCTS if quick else DATA_PCTS, FOOTPRINTS.items()):
        yield f"{pct} %, {footprint}", Flash(data_pct=pct), more
    yield f"{DATA_PCT} %, flash besides for parity", Flash(parity_besides=True), ""


def measure(runs: Runs) -> dict:
    wanted = [(name, Run(flash, rung, runs.load_words(LOADS[LOAD], seed, flash.size_bytes(), more), seed))
              for name, flash, more in cases(runs.quick) for seed in runs.seeds for rung in runs.there(SHOWN)]
    found = runs.all("sensitivity", [run for _, run in wanted])
    return {"rows": [numbers.kept_row(of, run.rung, run.seed, one) for (of, run), one in zip(wanted, found)],
            "missing": runs.missing(SHOWN), "command": wanted[-1][1].command()}


def valid_pct(found: dict) -> float:
    """Of the pages of blocks that were collected."""
    counters = found["counters"]
    return 100 * counters.get("gc_moved_units", 0) / PAGES_PER_BLOCK / max(1, counters.get("gc_blocks", 0))


def line(rows: list, of: str, rung: str) -> list[str]:
    found, base = runs_of(rows, of, rung), runs_of(rows, of, NO_GC)
    return [f"{of}: {numbers.title(rung)}", *(numbers.cell(ratios(found, base, latency(key)), 2) for key in KEYS),
            numbers.cell(values(found, lambda one: one["gc_blocked_read_pct"]), 3),
            numbers.cell(values(found, valid_pct), 1), numbers.cell(values(found, lambda one: one["waf"]), 2),
            numbers.cell(ratios(found, runs_of(rows, of, BASE), lambda one: one["erases"]), 2)]


TEXT = f"""\
{LOADS[LOAD].title}, on drives of which data fill more or less, and with other footprints.  Reads relative to *no GC*;
*valid* are pages of collected blocks that had to be moved.  With stripes, parity takes its part of the same 256 GiB, but for
the last drive, which has a seventh more flash for it.
"""


def section(result: dict) -> str:
    rows = result["rows"]
    head = ["data, footprint: rung", *(QUANTILES[key] for key in KEYS), "blocked %", "valid %", "WAF", "erases of the base's"]
    return rst.page(TEXT, numbers.missing_text(result["missing"]),
                    rst.table(head, [line(rows, of, rung) for of in numbers.things(rows) for rung in numbers.rungs(rows)]),
                    "The last of them::\n\n    " + result["command"])


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
