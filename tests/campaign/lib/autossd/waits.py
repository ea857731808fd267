# SPDX-License-Identifier: GPL-2.0
"""Figures 8 and 9: what flash requests wait for, and static shares."""

from __future__ import annotations

from collections.abc import Callable

from lib.autossd import draw
from lib.autossd.grid import Estimate, Grid
from lib.autossd.micro import share_name
from lib.autossd.runs import SYSTEMS, TITLES, Scale, synthetic
from lib.autossd.section import NS_PER_US, QUANTILES, Experiment, Plan, Results, Section, Table, Trend
from lib.autossd.traces import BASES, trace_run

LOAD = "MSN-BEFS"

# ---- 8 ----

# Cause in the JSON: name, and what the paper's Figure 8 calls it
CAUSES = {
    "flash": ("flash", "Flash"), "controller": ("controller", ""), "map_miss": ("map miss", ""),
    "slot": ("queue of the chip", "Sched"), "sched": ("scheduler", "Sched"),
    "by_host": ("by host", "resource"), "by_map": ("by map", "resource"),
    "by_flush": ("by flush", "resource"), "by_gc": ("by GC", "resource"),
    "by_scrub": ("by scrubbing", "resource"), "by_wear": ("by wear levelling", "resource"),
    "by_verify": ("by verifying copies", "resource"),
}
CAUSE_COLOURS = ("#cccccc", "#999999", "#CC79A7", "#E69F00", "#D55E00", "#56B4E9", "#0072B2",
                 "#F0E442", "#009E73", "#005f45", "#222222", "#999933")


def plan_8(scale: Scale) -> Plan:
    return {(system, one.seed): trace_run(one, system, LOAD, 1) for system in SYSTEMS for one in scale.each()}


def waits_us(result: dict) -> dict[str, float]:
    """Mean of a flash request of the host, by cause."""
    waits = result["host_wait_ns"]
    return {cause: waits.get(cause, 0) / waits["nr"] / NS_PER_US if waits["nr"] else 0.0
            for cause in CAUSES}


def scheduled_us(waits: dict[str, float]) -> float:
    """The paper's Sched: a full queue, or the scheduler holds it back."""
    return waits["slot"] + waits["sched"]


def draw_waits(found: dict[str, dict[str, float]]):
    figure, axes = draw.panels(1, 1, 4.2)
    axis = axes[0][0]
    left = [0.0] * len(found)
    for (cause, (name, _)), colour in zip(CAUSES.items(), CAUSE_COLOURS):
        values = [waits[cause] for waits in found.values()]
        axis.barh([TITLES[s] for s in found], values, left=left, color=colour, label=name)
        left = [a + b for a, b in zip(left, values)]
    axis.invert_yaxis()
    axis.grid(axis="y", visible=False)
    axis.set_xlabel("us for a flash request of the host")
    draw.legend_above(axis, 6)
    return figure


def wait_of(grid: Grid, system: str, number: Callable[[dict[str, float]], float]) -> Estimate:
    return grid.of((system,), lambda found: number(waits_us(found.result)))


def section_8(results: Results) -> Section:
    grid = Grid(results)
    found = {system: {cause: wait_of(grid, system, lambda waits, cause=cause: waits[cause]).value for cause in CAUSES}
             for system in SYSTEMS}
    gc = {system: wait_of(grid, system, lambda waits: waits["by_gc"]) for system in SYSTEMS}
    sched = {system: wait_of(grid, system, scheduled_us) for system in SYSTEMS}
    rows = [[f"{name} ({theirs})" if theirs else name,
             *(f"{waits[cause]:.2f}" for waits in found.values())]
            for cause, (name, theirs) in CAUSES.items()]
    rows.append(["sum", *(f"{sum(waits.values()):.2f}" for waits in found.values())])
    rows.append(["flash requests", *(f"{grid.of((s,), lambda f: f.result['host_wait_ns']['nr']).value:,.0f}"
                                     for s in SYSTEMS)])

    def listed(values: dict[str, Estimate]) -> str:
        return ", ".join(f"{TITLES[s]} {value.text(2)}" for s, value in values.items()) + " us"

    def largest(values: dict[str, Estimate]) -> str:
        return max(values, key=lambda system: values[system].value)
    return Section(
        f"Mean time of a flash request for the host under synthetic-{LOAD} at 1x, by what it "
        "waits for; what the paper calls it is in brackets.  Means of the seeds.",
        [Table("Microseconds", ["", *(TITLES[s] for s in found)], rows)],
        [("fig8", draw_waits(found), "Time of flash requests by cause")],
        [Trend("Sched is large for Vanilla.", listed(sched), largest(sched) == "vanilla"),
         Trend("Sched is small for AutoSSD.", listed(sched),
               sched["autossd"].value < sched["vanilla"].value / 2),
         Trend("The wait caused by GC is highest in RAIN.", listed(gc), largest(gc) in BASES)],
        summary=found)


# ---- 9 ----

SHARES_PERMILLE = (50, 100, 200)
FEEDBACK = "feedback"
TAILS = ("p99", "p999", "p9999", "p99999", "p999999")
SHARE_STYLES = {50: ("#999999", ":"), 100: ("#666666", "--"), 200: ("#333333", "-."),
                FEEDBACK: (draw.GREEN, "-")}


def plan_9(scale: Scale) -> Plan:
    found = {}
    for one in scale.each():
        found[FEEDBACK, one.seed] = trace_run(one, "autossd", LOAD, 1)
        for share in SHARES_PERMILLE:
            sets = {"gc_share_mode": "static", "gc_share_permille": share}
            found[share, one.seed] = synthetic(one, LOAD, sets)
    return found


def draw_shares(grid: Grid):
    """Of the first seed."""
    figure, axes = draw.panels(1, 1, 4.4)
    for share in grid.part(0):
        colour, line = SHARE_STYLES[share]
        draw.cdf(axes[0][0], grid.first(share).cdf_path(), color=colour, linestyle=line,
                 zorder=3 if share == FEEDBACK else 2,
                 label=share_name(share) if share != FEEDBACK else "feedback")
    draw.finish_cdf(axes[0][0])
    return figure


def trends_9(grid: Grid) -> list[Trend]:
    shown = [metric for metric in TAILS if grid.has((FEEDBACK,), metric)]
    last = shown[-1]

    def of(share: object, metric: str) -> float:
        return grid.latency((share,), metric).value
    best = min(SHARES_PERMILLE, key=lambda share: of(share, last))
    return [Trend("10 % is better than 20 %.",
                  f"p99.9 {grid.us((100,), 'p999')} against {grid.us((200,), 'p999')} us", of(100, "p999") < of(200, "p999")),
            Trend("5 % is worse than 10 % at the end of the tail.",
                  f"{QUANTILES[last]} {grid.us((50,), last)} against {grid.us((100,), last)} us", of(50, last) > of(100, last)),
            Trend("Feedback is better than all static shares.",
                  f"{QUANTILES[last]} {grid.us((FEEDBACK,), last)} against {grid.us((best,), last)} us at best",
                  all(of(FEEDBACK, metric) <= min(of(share, metric) for share in SHARES_PERMILLE) for metric in shown))]


def section_9(results: Results) -> Section:
    grid = Grid(results)
    rows = [[share_name(share), *(grid.us((share,), metric) for metric in TAILS),
             f"{grid.of((share,), lambda f: f.result['flash']['free_blocks_min']).value:,.0f}", f"{grid.reads(share):,}"]
            for share in grid.part(0)]
    return Section(
        f"Reads up to 64 KiB under synthetic-{LOAD} at 1x: AutoSSD with the share controller, and "
        f"with static shares of GC.  The picture is of seed {grid.seeds[0]}; p99.999 and p99.9999 are of all seeds' reads "
        "together.",
        [Table("Microseconds", ["share of GC", *(QUANTILES[q] for q in TAILS), "least free blocks",
                                "reads"], rows)],
        [("fig9", draw_shares(grid), "Distribution of response times with static shares and feedback")],
        trends_9(grid),
        summary={share_name(share): {q: grid.latency((share,), q).as_json() for q in TAILS if grid.has((share,), q)}
                 for share in grid.part(0)})


EXPERIMENTS = (
    Experiment("fig8", "Figure 8: what flash requests wait for", ("system", "seed"), plan_8, section_8),
    Experiment("fig9", "Figure 9: static shares against feedback", ("gc_share_permille", "seed"),
               plan_9, section_9),
)
