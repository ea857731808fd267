# SPDX-License-Identifier: GPL-2.0
"""What is there after the power of a mirror was cut: all that it has promised, and nothing that it has not."""

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
DURABILITIES = ("strict", "journal", "volatile")
CUTS, QUICK_CUTS = 200, 100
# How many at least have to be of the kinds that are hard.
HARD_PART = 0.1
LOGS = "build/powercut"


def measure(options: argparse.Namespace, runs: Path) -> campaign.Found:
    """tests/powercut does it, and judges."""
    cuts = QUICK_CUTS if options.quick else CUTS
    return measure_all(dict.fromkeys(DURABILITIES, cuts), [], options, runs)


def measure_all(cuts: dict[str, int], words: list[str], options: argparse.Namespace, runs: Path) -> campaign.Found:
    """Of each durability so many."""
    found, fresh = {}, False
    runs.mkdir(parents=True, exist_ok=True)
    for durability, number in cuts.items():
        path = runs / f"{durability}.json"
        if options.again or not path.exists():
            run(durability, [*words, "--cuts", str(number)], options, path)
            fresh = True
        found[durability] = json.loads(path.read_text())
    return campaign.Found({"durabilities": found}, fresh)


def run(durability: str, words: list[str], options: argparse.Namespace, path: Path) -> None:
    command = [ROOT / "tests/powercut/run", "--what", durability, *words, "--seed", str(options.seed), "--json", path]
    command += ["--module", options.module] if options.module else []
    path.unlink(missing_ok=True)
    # what it has found wrong it says in its figures
    if subprocess.run(command, check=False).returncode and not path.exists():
        raise RunError(f"cuts: {durability}: no boot; logs in {LOGS}")


def count(cuts: list[dict], wanted: str) -> int:
    """Those in which there was something of it."""
    return sum(cut[wanted] > 0 for cut in cuts)


def goals(result: dict) -> list:
    return [row for durability, found in result["durabilities"].items() for row in goals_of(durability, found, CUTS)]


def goals_of(durability: str, found: dict, wanted: int) -> list:
    cuts = found["cuts"]
    hard = HARD_PART * wanted
    return [Bound(f"power cuts, {durability}", len(cuts), least=wanted, digits=0).row(),
            Bound("of them, that took writes from drives' caches", count(cuts, "lost"), least=hard, digits=0).row(),
            Bound("of them, while a member was copied to", count(cuts, "copied_to"), least=hard, digits=0).row(),
            Bound("checks that failed", found["failed"], most=0, digits=0).row()]


def row(durability: str, cuts: list[dict]) -> list[str]:
    sums = [f"{sum(cut[key] for cut in cuts):,}" for key in ("unflushed", "lost", "stale_regions", "sectors", "operations")]
    operations = sum(cut["operations"] for cut in cuts)
    undone = [cut["undone"] for cut in cuts]
    # of strict, who flushes asks for a promise; journal promises all that is answered, volatile nothing
    kept = ([f"{operations - sum(cut['unpromised'] for cut in cuts):,}", "-", "-"] if durability == "strict" else
            ["-", f"{sum(undone):,}", f"{max(undone, default=0):,}"])
    return [durability, f"{len(cuts)}", *(f"{count(cuts, key)}" for key in ("cached_blocks", "copied_to")), *sums, *kept]


def section(result: dict) -> str:
    rows = [row(durability, found["cuts"]) for durability, found in result["durabilities"].items()]
    return rst.page(
        "Three members of 4 MiB and a metadata device, whose caches a cut empties (``tests/kselftest/cut-drives.c``): of what a\n"
        "drive was not told to flush, it keeps all, nothing, some writes or some sectors of some.  A cut is one moment for all\n"
        "drives.  Parts of the mirror are written, zeroed, flushed and read at random, in half of the lives discarded, too; how\n"
        "many operations had ended is in a journal that the cut spares.  Turns take 100 ms, a life 0.05 to 0.35 s; in half of them\n"
        "a member fails, or fails and joins, or the mirror is suspended.  In runs from 2026-11-24 on, with a journal one fails and\n"
        "joins in half of those that copy slowly, too, as few cuts would come while one is copied to otherwise.  After each cut the mirror begins again on what is\n"
        "left; half of the lives that copy slowly are cut before they are done.\n\n"
        "*Blocks*, *copies*: cuts with blocks in the mirror's memory, and while a member was copied to.  *Unflushed*: writes\n"
        "in drives' caches; *lost*: of them, in part or in whole.  *Regions* had to be copied afterwards.  *Flushed*: operations\n"
        "before the last flush, all of which were there.  *Undone*: operations that had been answered and have gone, which\n"
        "``volatile`` may do, in all, and *most* by one cut.\n",
        rst.table(["durability", "cuts", "blocks", "copies", "unflushed", "lost", "regions", "sectors with data", "operations",
                   "flushed", "undone", "most"], rows))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
