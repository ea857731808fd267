# SPDX-License-Identifier: GPL-2.0
"""Figures 5 and 10: the systems under the loads of Table 2, normalised to RAIN."""

from __future__ import annotations

import dataclasses
import functools
import statistics

from lib.autossd import draw, paper
from lib.autossd.runs import LOADS, SYSTEMS, TITLES, Run, Scale, synthetic
from lib.autossd.section import (
    QUANTILES,
    Experiment,
    Plan,
    Results,
    Section,
    Table,
    few,
    star,
    us,
)
from lib.claim import Claim
from lib.simulator import ROOT

METRICS = {"mean": "average", "p999": "three nines", "p999999": "six nines"}
BASE, OURS = "rain", "autossd"
CUT = 1.4

# Which systems' runs are looked at in time: Figures 6, 7 and 11.
IN_TIME = {("RAD-AS", 1), ("LM-TBE", 1), ("DTRS", 2)}
IN_TIME_SYSTEMS = ("rain", "qosfc", "autossd")

# A third of all time would go into this load at 2x; three tenths of it are ten
# million reads, enough for six nines.
SHORTENED, SHORTENED_FRACTION = ("LM-TBE", 2), 0.3

# Not part of the project; next to its checkout where it is there.
REAL_TRACE = ROOT.parent / "shared/traces/msps_dtrs_300s.csv.gz"
REAL_REQUESTS = 127_043
REAL_KIB = 56
REAL_LOOPS = 20


def trace_run(scale: Scale, system: str, load: str, intensity: int) -> Run:
    """The run of a system under a load: the same one in every figure."""
    if (load, intensity) == SHORTENED:
        scale = dataclasses.replace(scale, fraction=scale.fraction * SHORTENED_FRACTION)
    in_time = (load, intensity) in IN_TIME and system in IN_TIME_SYSTEMS
    return synthetic(scale, load, SYSTEMS[system], intensity, series=in_time)


def plan(scale: Scale, intensity: int) -> Plan:
    return {(system, load): trace_run(scale, system, load, intensity)
            for load in LOADS for system in SYSTEMS}


# ---- numbers ----

def normalised(results: Results, metric: str) -> dict[str, dict[str, float]]:
    """By load and system, relative to RAIN; loads in which RAIN has nothing
    to compare with are left out."""
    found: dict[str, dict[str, float]] = {}
    for system, load in results:
        base = results[BASE, load].latency()[metric]
        if base:
            found.setdefault(load, {})[system] = results[system, load].latency()[metric] / base
    return found


def reduction(relative: dict[str, dict[str, float]]) -> dict[str, object]:
    """By how many percent AutoSSD is below RAIN: on average, at best, and where."""
    below = {load: 100 * (1 - systems[OURS]) for load, systems in relative.items()}
    best = max(below, key=below.get)
    return {"average_pct": statistics.mean(below.values()), "best_pct": below[best],
            "best_load": best, "by_load_pct": below}


def compare(results: Results, intensity: int) -> dict[str, dict]:
    found = {}
    for metric in METRICS:
        average, best, load = paper.REDUCTIONS_PCT[intensity][metric]
        found[metric] = {**reduction(normalised(results, metric)), "paper_average_pct": average,
                         "paper_best_pct": best, "paper_best_load": load}
    return found


# ---- tables ----

def signed(reduction_pct: float) -> str:
    """A reduction as the change that it is."""
    return f"{-reduction_pct:+.1f} %"


def comparison_table(compared: dict[str, dict]) -> Table:
    rows = [[METRICS[metric], signed(c["average_pct"]), signed(c["paper_average_pct"]),
             f"{signed(c['best_pct'])} ({c['best_load']})",
             f"{signed(c['paper_best_pct'])} ({c['paper_best_load']})"]
            for metric, c in compared.items()]
    return Table("AutoSSD against RAIN, response time of reads up to 64 KiB",
                 ["", "average, ours", "average, paper", "best, ours", "best, paper"], rows)


def relative_table(results: Results, metric: str) -> Table:
    rows = []
    for load, systems in normalised(results, metric).items():
        cells = [f"{value:.3f}{star(results[system, load].latency(), metric)}"
                 for system, value in systems.items()]
        rows.append([load, *cells])
    return Table(f"{METRICS[metric].capitalize()}, normalised to RAIN",
                 ["load", *(TITLES[system] for system in SYSTEMS)], rows)


def absolute_table(results: Results) -> Table:
    rows = []
    for (system, load), found in results.items():
        latency, flash = found.latency(), found.result["flash"]
        rows.append([f"{load}, {TITLES[system]}", f"{latency['n']:,}",
                     *(us(latency[q]) + star(latency, q) for q in METRICS),
                     f"{flash['waf']:.2f}", f"{flash['erases']:,}",
                     f"{flash['map_hit_pct']:.1f}"])
    return Table("In microseconds", ["load, system", "n", *(QUANTILES[q] for q in METRICS), "WAF",
                                     "erases", "map hits %"], rows)


def figure_of(results: Results, compared: dict[str, dict] | None):
    """Bars as the paper's, the average beside them with the paper's AutoSSD."""
    figure, axes = draw.panels(len(METRICS), 1, 9.0)
    for axis, metric in zip(axes[:, 0], METRICS):
        relative = normalised(results, metric)
        series = {system: [relative[load][system] for load in relative] for system in SYSTEMS}
        averaged = {s: [*values, statistics.mean(values)] for s, values in series.items()}
        draw.bars(axis, [*relative, "average"], averaged, draw.SYSTEM_COLOURS, TITLES, CUT)
        if compared:
            mark_paper(axis, list(relative), compared[metric])
        axis.set_ylabel(METRICS[metric])
    draw.legend_above(axes[0][0], len(SYSTEMS) + 2)
    return figure


def mark_paper(axis, loads: list[str], compared: dict) -> None:
    """Diamonds where the paper says what AutoSSD reached."""
    at = draw.BAR_GROUP / len(SYSTEMS) * (list(SYSTEMS).index(OURS) + 0.5) - draw.BAR_GROUP / 2
    x, y = [len(loads) + at], [1 - compared["paper_average_pct"] / 100]
    if compared["paper_best_load"] in loads:
        x.append(loads.index(compared["paper_best_load"]) + at)
        y.append(1 - compared["paper_best_pct"] / 100)
    axis.plot(x, y, "D", color="black", markersize=5, label="AutoSSD in the paper",
              linestyle="none", zorder=3)


def claims(compared: dict[str, dict]) -> list[Claim]:
    """The paper's numbers.  Ours are made loads in place of its traces, so they may be as far off as its own loads are
    from each other."""
    return [Claim(f"AutoSSD's {METRICS[metric]} below RAIN's, average of the loads:", c["paper_average_pct"],
                  (c["paper_best_pct"] - c["paper_average_pct"]) / 2, "half of what its best load is above its average",
                  c["average_pct"], "%") for metric, c in compared.items()]


def section(results: Results, intensity: int) -> Section:
    compared = compare(results, intensity)
    notes = few(list(results.values()))
    if intensity == 2:
        labels = "; ".join(f"{METRICS[m]}: {', '.join(map(str, v))}"
                           for m, v in paper.CUT_BARS.items())
        notes.append(f"Bars that the paper's Figure 10 cuts off have these labels, in the order "
                     f"of its text: {labels}.")
    return Section(
        f"Reads up to 64 KiB under eight synthetic loads made after Table 2, at {intensity}x "
        "intensity; RAIN is 1, bars beyond the axis have their number, diamonds are the paper's "
        "AutoSSD.",
        [comparison_table(compared), *(relative_table(results, m) for m in METRICS),
         absolute_table(results)],
        [(f"fig{5 if intensity == 1 else 10}", figure_of(results, compared),
          "Response times of four systems under eight synthetic loads")],
        claims(compared), notes, compared)


# ---- a real trace ----

def plan_real(scale: Scale) -> Plan:
    """Five minutes of the real DTRS, over and over."""
    loops = max(1, round(REAL_LOOPS * scale.fraction))
    found = {}
    for intensity in (1, 2):
        for system, sets in SYSTEMS.items():
            found[system, f"real DTRS {intensity}x"] = Run(
                scale.sets(sets), trace=REAL_TRACE, cdf=True, kib=REAL_KIB,
                trace_options=("--loop", str(loops), "--scale-time", str(1 / intensity)),
                requests=REAL_REQUESTS * loops)
    return found


def section_real(results: Results) -> Section:
    loops = next(iter(results.values())).run.trace_options[1]
    found = {metric: reduction(normalised(results, metric)) for metric in METRICS}
    below = [[METRICS[m], *(signed(value) for value in found[m]["by_load_pct"].values())]
             for m in METRICS]
    return Section(
        f"A real trace (a 300 s cut of DTRS, played {loops} times) for comparison with the "
        "synthetic load of that name; RAIN is 1.",
        [Table("AutoSSD against RAIN", ["", *found["mean"]["by_load_pct"]], below),
         absolute_table(results)],
        [("real", figure_of(results, None), "Response times of four systems under a real trace")],
        notes=few(list(results.values())), summary=found)


EXPERIMENTS = tuple(
    Experiment(name, f"Figure {name[3:]}: four systems, eight loads at {intensity}x",
               ("system", "load"), functools.partial(plan, intensity=intensity),
               functools.partial(section, intensity=intensity))
    for name, intensity in (("fig5", 1), ("fig10", 2)))
REAL = Experiment("real", "The real DTRS trace", ("system", "load"), plan_real, section_real)

