# SPDX-License-Identifier: GPL-2.0
"""Figures 8 and 9: what flash requests wait for, and static shares."""

from __future__ import annotations

from lib.autossd import draw
from lib.autossd.micro import share_name
from lib.autossd.runs import SYSTEMS, TITLES, Scale, synthetic
from lib.autossd.section import (
    NS_PER_US,
    QUANTILES,
    Experiment,
    Plan,
    Results,
    Section,
    Table,
    Trend,
    few,
    star,
    us,
)
from lib.autossd.traces import trace_run

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
    return {(system,): trace_run(scale, system, LOAD, 1) for system in SYSTEMS}


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


def section_8(results: Results) -> Section:
    found = {system: waits_us(f.result) for (system,), f in results.items()}
    gc = {system: waits["by_gc"] for system, waits in found.items()}
    sched = {system: scheduled_us(waits) for system, waits in found.items()}
    rows = [[f"{name} ({theirs})" if theirs else name,
             *(f"{waits[cause]:.2f}" for waits in found.values())]
            for cause, (name, theirs) in CAUSES.items()]
    rows.append(["sum", *(f"{sum(waits.values()):.2f}" for waits in found.values())])
    rows.append(["flash requests", *(f"{f.result['host_wait_ns']['nr']:,}"
                                     for f in results.values())])

    def listed(values):
        return ", ".join(f"{TITLES[s]} {value:.2f}" for s, value in values.items()) + " us"
    return Section(
        f"Mean time of a flash request for the host under synthetic-{LOAD} at 1x, by what it "
        "waits for; what the paper calls it is in brackets.",
        [Table("Microseconds", ["", *(TITLES[s] for s in found)], rows)],
        [("fig8", draw_waits(found), "Time of flash requests by cause, four systems")],
        [Trend("Sched is large for Vanilla.", listed(sched),
               sched["vanilla"] == max(sched.values())),
         Trend("Sched is small for AutoSSD.", listed(sched),
               sched["autossd"] < sched["vanilla"] / 2),
         Trend("The wait caused by GC is highest in RAIN.", listed(gc),
               gc["rain"] == max(gc.values()))],
        summary=found)


# ---- 9 ----

SHARES_PERMILLE = (50, 100, 200)
FEEDBACK = "feedback"
TAILS = ("p99", "p999", "p9999", "p99999", "p999999")
SHARE_STYLES = {50: ("#999999", ":"), 100: ("#666666", "--"), 200: ("#333333", "-."),
                FEEDBACK: (draw.GREEN, "-")}


def plan_9(scale: Scale) -> Plan:
    found = {(FEEDBACK,): trace_run(scale, "autossd", LOAD, 1)}
    for share in SHARES_PERMILLE:
        sets = {"gc_share_mode": "static", "gc_share_permille": share}
        found[share,] = synthetic(scale, LOAD, sets)
    return found


def tail(found, quantile: str) -> float:
    """The JSON has no five nines: from the distribution."""
    if quantile in found.latency():
        return found.latency()[quantile]
    latency_us, slower = draw.read_cdf(found.cdf_path())
    share = 10.0 ** -quantile.count("9")
    enough = latency_us[slower <= share * (1 + 1e-9)]
    return float(enough[0]) * NS_PER_US if len(enough) else found.latency()["max"]


def section_9(results: Results) -> Section:
    figure, axes = draw.panels(1, 1, 4.4)
    for (share,), found in results.items():
        colour, line = SHARE_STYLES[share]
        draw.cdf(axes[0][0], found.cdf_path(), color=colour, linestyle=line,
                 zorder=3 if share == FEEDBACK else 2,
                 label=share_name(share) if share != FEEDBACK else "feedback")
    draw.finish_cdf(axes[0][0])
    tails = {share: {q: tail(found, q) for q in TAILS} for (share,), found in results.items()}
    rows = [[share_name(share), *(us(tails[share][q]) + star(found.latency(), q) for q in TAILS),
             f"{found.result['flash']['free_blocks_min']:,}", f"{found.latency()['n']:,}"]
            for (share,), found in results.items()]
    six = {share: values["p999999"] for share, values in tails.items()}
    best = min(six[share] for share in SHARES_PERMILLE)
    return Section(
        f"Reads up to 64 KiB under synthetic-{LOAD} at 1x: AutoSSD with the share controller, and "
        "with static shares of GC.",
        [Table("Microseconds", ["share of GC", *(QUANTILES[q] for q in TAILS), "least free blocks",
                                "n"], rows)],
        [("fig9", figure, "Distribution of response times with static shares and feedback")],
        [Trend("10 % is better than 20 %.",
               f"p99.9 {us(tails[100]['p999'])} against {us(tails[200]['p999'])} us",
               tails[100]["p999"] < tails[200]["p999"]),
         Trend("5 % is worse than 10 % at the end of the tail.",
               f"p99.9999 {us(six[50])} against {us(six[100])} us", six[50] > six[100]),
         Trend("Feedback is better than all static shares.",
               f"p99.9999 {us(six[FEEDBACK])} against {us(best)} us at best",
               all(tails[FEEDBACK][q] <= min(tails[s][q] for s in SHARES_PERMILLE)
                   for q in TAILS))],
        few(list(results.values())), {str(share): values for share, values in tails.items()})


EXPERIMENTS = (
    Experiment("fig8", "Figure 8: what flash requests wait for", ("system",), plan_8, section_8),
    Experiment("fig9", "Figure 9: static shares against feedback", ("gc_share_permille",),
               plan_9, section_9),
)
