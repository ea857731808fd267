# SPDX-License-Identifier: GPL-2.0
"""What the comparison depends on that the paper does not say, or the preset has otherwise.

Footprint and skew of the loads, how often blocks were read, and whether RAIN's planes collect all at once.
"""

from __future__ import annotations

from lib.autossd.grid import Grid, change
from lib.autossd.runs import LOADS, SYSTEMS, TITLES, Scale, synthetic
from lib.autossd.section import Experiment, Plan, Results, Section, Table
from lib.autossd.traces import (
    BASE,
    METRICS,
    OURS,
    averages,
    change_json,
    note_of_reads,
    read_run,
    relative_pct,
    trace_run,
)

LOAD = "MSN-BEFS"
ASSUMED = "25%, zipf:0.9"
# Name of a row: footprint and skew, the loads' own first.
VARIANTS = {name: "size={} random_distribution={}".format(*name.split(", "))
            for name in ("10%, zipf:0.9", "100%, zipf:0.9", "25%, zipf:1.2", "25%, random", "100%, random")}
COMPARED = (BASE, OURS)
# RAIN by all of ttFlash's rules: each plane collects when it has to, one of a group at a time.
TURNS = "turns"
NAMES = {**TITLES, TURNS: "RAIN in turns"}
COUNTERS = {"scrub_blocks": "scrubbed", "reconstructed_reads": "rebuilt", "blocked_reads": "blocked"}


# ---- footprint and skew ----

def plan(scale: Scale) -> Plan:
    found = {}
    for one in scale.each():
        for system in COMPARED:
            found[system, ASSUMED, one.seed] = trace_run(one, system, LOAD, 1)
            for name, words in VARIANTS.items():
                found[system, name, one.seed] = synthetic(one, LOAD, SYSTEMS[system], words=words)
    return found


def rows_of(grid: Grid, base: str) -> list[list[str]]:
    return [[name, *(change(grid.relative((OURS, name), (base, name), metric)) for metric in METRICS)]
            for name in grid.part(1)]


def tables(grid: Grid, head: str) -> list[Table]:
    found = [Table(f"{TITLES[OURS]} against {NAMES[base]}, percent", [head, *METRICS.values()], rows_of(grid, base))
             for base in grid.part(0) if base != OURS]
    rows = [[f"{name}, {NAMES[system]}", *(grid.us((system, name), metric) for metric in METRICS),
             f"{grid.of((system, name), lambda f: f.result['flash']['waf']).value:.2f}",
             *(f"{grid.of((system, name), lambda f, key=key: f.result['counters'][key]).value:,.0f}" for key in COUNTERS)]
            for name in grid.part(1) for system in grid.part(0)]
    return [*found, Table("In microseconds", [f"{head}, system", *METRICS.values(), "WAF", *COUNTERS.values()], rows)]


def mean_notes(grid: Grid) -> list[str]:
    """Over all loads."""
    return [f"Average of the loads, against {NAMES[base]}: "
            + "; ".join(f"{METRICS[metric]} {change(one)} %" for metric, one in averages(grid, base).items() if one) + "."
            for base in grid.part(0) if base != OURS]


def section(results: Results) -> Section:
    grid = Grid(results)
    return Section(
        f"Reads up to 64 KiB under synthetic-{LOAD} at 1x; which part of the drive is used, and how unevenly. {ASSUMED} "
        "is what all other parts of this page assume.",
        tables(grid, "footprint, skew"), notes=note_of_reads(grid),
        summary={name: relative_pct(grid, name) for name in grid.part(1)})


# ---- read counts of section 4.3 ----

def plan_read(scale: Scale) -> Plan:
    return {(system, load, one.seed): read_run(one, system, load)
            for one in scale.each() for load in LOADS for system in COMPARED}


def section_read(results: Results) -> Section:
    grid = Grid(results)
    return Section(
        "The loads at 1x again, on drives whose blocks were read up to 100,000 times (section 4.3 of the paper), not up "
        "to 80,000 as in the preset. Scrubbing starts at 100,000 and stops at 80,000, so a fifth of all blocks is "
        "scrubbed as soon as one of them has been read that often.",
        tables(grid, "load"),
        notes=[*mean_notes(grid), *note_of_reads(grid)],
        summary={load: relative_pct(grid, load) for load in grid.part(1)})


# ---- a RAIN that can rebuild ----

def plan_turns(scale: Scale) -> Plan:
    found = {(system, load, one.seed): trace_run(one, system, load, 1)
             for one in scale.each() for load in LOADS for system in COMPARED}
    turns = {**SYSTEMS[BASE], "gc_scope": "plane", "rotate": "on"}
    return found | {(TURNS, load, one.seed): synthetic(one, load, turns) for one in scale.each() for load in LOADS}


def section_turns(results: Results) -> Section:
    grid = Grid(results)
    return Section(
        "The loads at 1x, and a RAIN by all of ttFlash's rules (gc_scope=plane rotate=on): a plane collects when it runs "
        "short itself, not when the drive does, and one plane of a group at a time.  RAIN as in Figure 5 collects in all "
        "planes of the drive at once, so a read that is blocked finds the rest of its stripe blocked, too.",
        tables(grid, "load"), notes=[*mean_notes(grid), *note_of_reads(grid)],
        summary={load: {base: {metric: change_json(grid.relative((OURS, load), (base, load), metric)) for metric in METRICS}
                        for base in (BASE, TURNS)} for load in grid.part(1)})


EXPERIMENTS = (
    Experiment("sensitivity", "Footprint and skew of the loads", ("system", "variant", "seed"), plan, section),
    Experiment("read", "Figure 5 on drives that were read more", ("system", "load", "seed"), plan_read, section_read),
    Experiment("turns", "A RAIN that can rebuild", ("system", "load", "seed"), plan_turns, section_turns),
)
