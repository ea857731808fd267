# SPDX-License-Identifier: GPL-2.0
"""Part `wear`: how much more some planes are worn than others (section 7), with stripes that move and without."""

from __future__ import annotations

from pathlib import Path

from lib import campaign, rst
from lib.claim import Bound, Row
from lib.ttflash import numbers
from lib.ttflash.flash import GIB, PRESET, Flash
from lib.ttflash.hot_planes import HotPlanes
from lib.ttflash.numbers import values
from lib.ttflash.rungs import OURS
from lib.ttflash.runs import NAME, Run, Runs
from lib.ttflash.uniform import FULL_OP_PERMILLE, GIBS

TITLE = "Planes that are worn more than others"
# So many that all stripes of a hot plane could have moved; others show their wear sooner.
REQUESTS, JOB_REQUESTS, QUICK_REQUESTS = 3_000_000, 1_000_000, 20_000
GROUPS = 8
# A single plane programs a page in 0.8 ms, and collects besides.
ONE_PLANE_IOPS, EACH_GROUP_IOPS = 500, 3000
CLOSED = "randwrite bs=4k iodepth=32"
JOBS = {"uniform": CLOSED, "zipf 0.9": f"{CLOSED} random_distribution=zipf:0.9", "zipf 1.2": f"{CLOSED} random_distribution=zipf:1.2",
        "MSN, made": "synthetic-MSN-BEFS intensity=4"}
# As many units each: those of a plane, or an eighth of those of a plane of each group.
TRACES = {one.title: one for one in (
    HotPlanes("units of one plane", 1, GROUPS, 1, ONE_PLANE_IOPS, REQUESTS),
    HotPlanes("units of a plane of each group", GROUPS, GROUPS, 1 / GROUPS, EACH_GROUP_IOPS, REQUESTS))}
# What preset ttflash-autossd has, and nothing.
SHIFTS = {"stay": 0, "move": 25}
# From here on section 7's shifting is asked for: a plane must not wear so many times as fast as the mean.
MOST_PCT = 150


def load_words(runs: Runs, name: str, seed: int) -> tuple[str, ...]:
    if name in JOBS:
        return "--load", f"{JOBS[name]} number_ios={QUICK_REQUESTS if runs.quick else JOB_REQUESTS} seed={seed}"
    requests = QUICK_REQUESTS if runs.quick else REQUESTS
    place = campaign.runs_of(NAME) / "traces"
    return "--trace", str(TRACES[name].write(place, seed, GIBS * GIB, requests))


def run_of(runs: Runs, name: str, shift_pct: int, seed: int) -> Run:
    """Cycles begin at none, so that they are what this load has caused."""
    return Run(Flash(raw_gib=GIBS), OURS, load_words(runs, name, seed), seed, size_bytes=GIBS * GIB,
               op_permille=FULL_OP_PERMILLE[True], more=(("aged_pe_cycles", 0), ("rain_shift_pct", shift_pct)))


def measure(runs: Runs) -> dict:
    wanted = [(f"{name}: {how}", run_of(runs, name, pct, seed)) for name in (*JOBS, *TRACES)
              for how, pct in SHIFTS.items() for seed in runs.seeds]
    found = runs.all("wear", [run for _, run in wanted])
    return {"rows": [numbers.kept_row(of, run.rung, run.seed, one) for (of, run), one in zip(wanted, found)],
            "command": wanted[-1][1].command()}


def line(rows: list, of: str) -> list[str]:
    found = numbers.runs_of(rows, of, OURS)
    return [of, *(numbers.cell([value / 100 for value in values(found, lambda one, key=key: one[key])], 2)
                  for key in ("wear_group_pct", "wear_plane_pct")),
            numbers.cell(values(found, lambda one: one["waf"]), 2),
            numbers.cell(values(found, lambda one: one["erases"]), 0),
            numbers.cell(values(found, lambda one: one["counters"].get("stripes_shifted", 0)), 0)]


TEXT = f"""\
Writes of 4 KiB on an aged {PRESET} of {GIBS} GiB with all of it, stripes over {GROUPS} groups of planes; program/erase cycles
begin at 0.  *In its group* is the most worn plane of the drive, relative to the mean of its group; *of all*, to that of the drive.
Where stripes *move*, they leave a plane that is worn {SHIFTS["move"]} % more than its group (``rain_shift_pct``).
"""


def section(result: dict) -> str:
    rows = result["rows"]
    return rst.page(TEXT, rst.table(["load: stripes", "in its group", "of all", "WAF", "erases", "stripes moved"],
                                    [line(rows, of) for of in numbers.things(rows)]),
                    "The last of them::\n\n    " + result["command"])


def goals(result: dict) -> list[Row]:
    rows = result["rows"]
    moved = [of for of in numbers.things(rows) if of.endswith(": move")]
    worst = max(moved, key=lambda of: max(values(numbers.runs_of(rows, of, OURS), lambda one: one["wear_group_pct"])))
    most = max(values(numbers.runs_of(rows, worst, OURS), lambda one: one["wear_group_pct"]))
    return [Bound(f"the most worn plane of a group, percent of the mean ({worst})", most, most=MOST_PCT, digits=0).row()]


def draw(_: dict, __: Path) -> None:
    """The table says it."""
