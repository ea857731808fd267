# SPDX-License-Identifier: GPL-2.0
"""Figures 5 and 10: the systems under the loads of Table 2, normalised to RAIN."""

from __future__ import annotations

import functools
import statistics

from lib.autossd import draw, paper
from lib.autossd.grid import LEAST_READS, POOLED, Estimate, Grid, change, text
from lib.autossd.runs import AGED_READS, FULL_BYTES, LOADS, SYSTEMS, TITLES, Run, Scale, synthetic
from lib.autossd.section import QUANTILES, Experiment, Plan, Results, Section, Table
from lib.claim import Claim
from lib.simulator import ROOT
from lib.ttflash import played
from lib.ttflash.loads import TRACES

# What the paper shows, and four nines, for which every load has reads enough.
METRICS = {"mean": "average", "p999": "three nines", "p9999": "four nines", "p999999": "six nines"}
BASE, OURS = "rain", "autossd"
BASES = (BASE, "parity")
CUT = 1.4

# Which systems' runs are looked at in time: Figures 6, 7 and 11.
IN_TIME = {("RAD-AS", 1), ("DTRS", 2)}
IN_TIME_READ = "LM-TBE"
IN_TIME_SYSTEMS = ("rain", "qosfc", "autossd")

# Not part of the project; next to its checkout, or where SSDQOS_TRACES says, where it is there.
REAL_TRACE = TRACES / "msps_dtrs_300s.csv.gz"
REAL_PLACE = ROOT / "out/campaign/autossd/traces"
REAL_REQUESTS = 127_043
REAL_KIB = 56
REAL_LOOPS = 8  # 40 minutes


def trace_run(scale: Scale, system: str, load: str, intensity: int) -> Run:
    """The run of a system under a load: the same one in every figure."""
    in_time = (load, intensity) in IN_TIME and system in IN_TIME_SYSTEMS
    return synthetic(scale, load, SYSTEMS[system], intensity, series=in_time)


def read_run(scale: Scale, system: str, load: str) -> Run:
    """On a drive whose blocks were read as often as in the paper."""
    return synthetic(scale, load, {**SYSTEMS[system], **AGED_READS}, series=load == IN_TIME_READ)


def plan(scale: Scale, intensity: int) -> Plan:
    return {(system, load, one.seed): trace_run(one, system, load, intensity)
            for load in LOADS for system in SYSTEMS for one in scale.each()}


# ---- numbers ----

def enough(grid: Grid, base: str, metric: str, system: str = OURS) -> list[str]:
    """Loads under which both have so many reads that the figure is one."""
    return [load for load in grid.part(1) if grid.has((system, load), metric) and grid.has((base, load), metric)]


def average(grid: Grid, base: str, metric: str, system: str = OURS) -> Estimate | None:
    """Of the ratios under these loads."""
    loads = enough(grid, base, metric, system)
    if not loads:
        return None
    return grid.estimate(lambda seeds: statistics.mean(grid.ratio((system, load), (base, load), metric, seeds)
                                                       for load in loads))


def averages(grid: Grid, base: str) -> dict[str, Estimate | None]:
    return {metric: average(grid, base, metric) for metric in METRICS}


def best(grid: Grid, base: str, metric: str) -> str:
    """The load under which AutoSSD is furthest below."""
    return min(enough(grid, base, metric), key=lambda load: grid.ratio((OURS, load), (base, load), metric, grid.seeds))


def change_json(estimate: Estimate | None) -> dict | None:
    return {"pct": 100 * (estimate.value - 1), "half_pct": 100 * estimate.half} if estimate else None


def relative_pct(grid: Grid, load: str) -> dict:
    """For scripts: AutoSSD's change against what it is compared with."""
    return {base: {metric: change_json(grid.relative((OURS, load), (base, load), metric)) for metric in METRICS}
            for base in BASES if base in grid.part(0)}


def summary(grid: Grid) -> dict:
    return {"by_load": {load: relative_pct(grid, load) for load in grid.part(1)},
            "average": {base: {metric: change_json(one) for metric, one in averages(grid, base).items()}
                        for base in BASES}}


# ---- tables ----

def signed(reduction_pct: float) -> str:
    """A reduction as the change that it is."""
    return f"{-reduction_pct:+.1f}"


def comparison_row(grid: Grid, base: str, metric: str, theirs: tuple | None) -> list[str]:
    loads = enough(grid, base, metric)
    cells = [f"{METRICS[metric]}, {TITLES[base]}", change(average(grid, base, metric)), str(len(loads)),
             signed(theirs[0]) if theirs else ""]
    if not loads:
        return [*cells, "-", ""]
    load = best(grid, base, metric)
    return [*cells, f"{change(grid.relative((OURS, load), (base, load), metric))} ({load})",
            f"{signed(theirs[1])} ({theirs[2]})" if theirs else ""]


def comparison_table(grid: Grid, intensity: int) -> Table:
    theirs = paper.REDUCTIONS_PCT[intensity]
    return Table("AutoSSD's change against the two RAINs, percent, reads up to 64 KiB",
                 ["against", "average, ours", "loads", "paper", "best, ours", "paper"],
                 [comparison_row(grid, base, metric, theirs.get(metric) if base == BASE else None)
                  for base in BASES for metric in METRICS])


def load_tables(grid: Grid) -> list[Table]:
    return [Table(f"AutoSSD against {TITLES[base]}, percent", ["load", *METRICS.values()],
                  [[load, *(change(grid.relative((OURS, load), (base, load), metric)) for metric in METRICS)]
                   for load in grid.part(1)]) for base in BASES]


def relative_table(grid: Grid, metric: str) -> Table:
    rows = [[load, *(text(grid.relative((system, load), (BASE, load), metric), 3) for system in SYSTEMS)]
            for load in enough(grid, BASE, metric)]
    return Table(f"{METRICS[metric].capitalize()}, normalised to RAIN",
                 ["load", *(TITLES[system] for system in SYSTEMS)], rows)


def absolute_row(grid: Grid, system: str, load: str) -> list[str]:
    key = system, load

    def flash(name: str, digits: int) -> str:
        return f"{grid.of(key, lambda found: found.result['flash'][name]).value:,.{digits}f}"
    return [f"{load}, {TITLES[system]}", f"{grid.reads(*key):,}", *(grid.us(key, metric) for metric in METRICS),
            flash("waf", 2), flash("erases", 0), flash("map_hit_pct", 1), flash("gc_blocked_read_pct", 2),
            flash("reconstructed_reads", 0)]


def absolute_table(grid: Grid) -> Table:
    return Table("In microseconds", ["load, system", "reads", *(QUANTILES[metric] for metric in METRICS), "WAF", "erases",
                                     "map hits %", "GC blocked %", "rebuilt"],
                 [absolute_row(grid, system, load) for load in grid.part(1) for system in grid.part(0)])


def note_of_reads(grid: Grid) -> list[str]:
    few = [load for load in grid.part(1) if load not in enough(grid, BASE, POOLED[-1])]
    seeds = f"{len(grid.seeds)} seeds" if len(grid.seeds) > 1 else "one seed"
    notes = [f"Of {seeds}: mean of the seeds and its 95 % interval.  Six nines are those of all seeds' reads together; their "
             "interval is by leaving out each seed in turn."]
    if few:
        notes.append(f"Fewer than {LEAST_READS[POOLED[-1]]:,} reads in all, so no six nines: {', '.join(map(str, few))}.")
    return notes


# ---- the picture ----

def panel(axis, grid: Grid, metric: str, averaged: bool) -> list[str]:
    """Bars as the paper's, the average beside them; returns the loads."""
    loads = enough(grid, BASE, metric)
    found = {system: [grid.relative((system, load), (BASE, load), metric) for load in loads] for system in SYSTEMS}
    if averaged:
        found = {system: [*bars, average(grid, BASE, metric, system)] for system, bars in found.items()}
    draw.bars(axis, [*map(str, loads), *(["average"] if averaged else [])],
              {system: [one.value for one in bars] for system, bars in found.items()}, draw.SYSTEM_COLOURS, TITLES, CUT,
              {system: [one.half for one in bars] for system, bars in found.items()})
    axis.set_ylabel(METRICS[metric])
    return loads


def figure_of(grid: Grid, intensity: int | None):
    shown = [metric for metric in METRICS if enough(grid, BASE, metric)]
    figure, axes = draw.panels(len(shown), 1, 3.0 * len(shown))
    for axis, metric in zip(axes[:, 0], shown):
        loads = panel(axis, grid, metric, intensity is not None)
        if intensity and metric in paper.REDUCTIONS_PCT[intensity]:
            mark_paper(axis, loads, paper.REDUCTIONS_PCT[intensity][metric])
    draw.legend_above(axes[0][0], 4)
    return figure


def mark_paper(axis, loads: list[str], theirs: tuple[float, float, str]) -> None:
    """Diamonds where the paper says what AutoSSD reached."""
    average_pct, best_pct, best_load = theirs
    at = draw.BAR_GROUP / len(SYSTEMS) * (list(SYSTEMS).index(OURS) + 0.5) - draw.BAR_GROUP / 2
    x, y = [len(loads) + at], [1 - average_pct / 100]
    if best_load in loads:
        x.append(loads.index(best_load) + at)
        y.append(1 - best_pct / 100)
    axis.plot(x, y, "D", color="black", markersize=5, label="AutoSSD in the paper",
              linestyle="none", zorder=3)


# ---- sections ----

def claims(grid: Grid, intensity: int) -> list[Claim]:
    """The paper's numbers, where all loads have reads enough.  Ours are made loads in place of its traces, so they may be as
    far off as its own loads are from each other."""
    found = []
    for metric, (average_pct, best_pct, _) in paper.REDUCTIONS_PCT[intensity].items():
        if len(enough(grid, BASE, metric)) == len(LOADS):
            found.append(Claim(
                f"AutoSSD's {METRICS[metric]} below RAIN's, average of the loads:", average_pct,
                (best_pct - average_pct) / 2, "half of what its best load is above its average",
                100 * (1 - average(grid, BASE, metric).value), "%"))
    return found


def section(results: Results, intensity: int) -> Section:
    grid = Grid(results)
    notes = note_of_reads(grid)
    if intensity == 2:
        labels = "; ".join(f"{METRICS[m]}: {', '.join(map(str, v))}"
                           for m, v in paper.CUT_BARS.items())
        notes.append(f"Bars that the paper's Figure 10 cuts off have these labels, in the order "
                     f"of its text: {labels}.")
    return Section(
        f"Reads up to 64 KiB under eight synthetic loads made after Table 2, at {intensity}x "
        "intensity; RAIN is 1, bars beyond the axis have their number, lines are 95 % intervals, diamonds are the paper's "
        "AutoSSD.",
        [comparison_table(grid, intensity), *load_tables(grid),
         *(relative_table(grid, metric) for metric in METRICS if enough(grid, BASE, metric)), absolute_table(grid)],
        [(f"fig{5 if intensity == 1 else 10}", figure_of(grid, intensity),
          "Response times of the systems under eight synthetic loads")],
        claims(grid, intensity), notes, summary(grid))


# ---- a real trace ----

def plan_real(scale: Scale) -> Plan:
    """Five minutes of the real DTRS, over and over, each time at another place of the drive."""
    loops = max(1, round(REAL_LOOPS * scale.fraction))
    found = {}
    for one in scale.each():
        file = played.write(REAL_TRACE, REAL_PLACE, loops, one.seed, FULL_BYTES)
        for intensity in (1, 2):
            for system, sets in SYSTEMS.items():
                found[system, f"real DTRS {intensity}x", one.seed] = Run(
                    one.sets(sets), trace=file, cdf=True, kib=REAL_KIB,
                    trace_options=("--scale-time", str(1 / intensity)), requests=REAL_REQUESTS * loops)
    return found


def section_real(results: Results) -> Section:
    grid = Grid(results)
    return Section(
        "A real trace, a 300 s cut of DTRS, 40 minutes long over and over, each time at another place of the drive; for "
        "comparison with the synthetic load of that name; RAIN is 1.",
        [*load_tables(grid), absolute_table(grid)],
        [("real", figure_of(grid, None), "Response times of the systems under a real trace")],
        notes=note_of_reads(grid), summary=summary(grid))


EXPERIMENTS = tuple(
    Experiment(name, f"Figure {name[3:]}: the systems, eight loads at {intensity}x",
               ("system", "load", "seed"), functools.partial(plan, intensity=intensity),
               functools.partial(section, intensity=intensity))
    for name, intensity in (("fig5", 1), ("fig10", 2)))
REAL = Experiment("real", "The real DTRS trace", ("system", "load", "seed"), plan_real, section_real)
