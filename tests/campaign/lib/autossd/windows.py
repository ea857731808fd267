# SPDX-License-Identifier: GPL-2.0
"""Figures 6, 7 and 11: a moment with internal work, in time."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from lib.autossd import draw, series
from lib.autossd.runs import TITLES, Scale
from lib.autossd.section import NS_PER_MS, Experiment, Plan, Results, Section, Table, Trend, star
from lib.autossd.series import Series
from lib.autossd.traces import IN_TIME_SYSTEMS, trace_run

PPM_OF_PCT = 10_000


@dataclasses.dataclass(frozen=True)
class View:
    """One figure: which load, how long, and what shows the task at work."""

    name: str
    load: str
    intensity: int
    width_s: float
    task: str
    share: str      # column of the controller's share
    state: str      # column of what the controller looks at
    state_title: str
    busy: str       # column that grows where the task works
    paper: str


VIEWS = (
    View("fig6", "RAD-AS", 1, 10, "GC", "share_gc", "free_blocks", "free blocks", "erases",
         "a window some 10 hours into the trace"),
    View("fig7", "LM-TBE", 1, 20, "read scrubbing", "share_scrub", "read_count_max",
         "most reads of a block", "scrub_blocks", "a window some 15 hours into the trace"),
    View("fig11", "DTRS", 2, 20, "GC", "share_gc", "free_blocks", "free blocks", "erases",
         "a window some 2 hours into the trace"),
)


def plan(scale: Scale, view: View) -> Plan:
    return {(system,): trace_run(scale, system, view.load, view.intensity)
            for system in IN_TIME_SYSTEMS}


def cut(results: Results, view: View) -> tuple[dict[str, Series], bool]:
    """The window of each system, and whether the task works in all of them."""
    whole = {system: series.load(found) for (system,), found in results.items()}
    at = series.busiest(list(whole.values()), view.busy, view.width_s)
    step_s = next(iter(whole.values())).step_s()
    parts = {s: one.part(at, at + max(1, round(view.width_s / step_s)))
             for s, one in whole.items()}
    return parts, bool(all(part[view.busy].sum() > 0 for part in parts.values()))


def passed_s(part: Series) -> np.ndarray:
    """Since the window began."""
    return part["time_s"] - min(part["time_s"], default=0)


def peak_ms(part: Series) -> float:
    return float(part["mean_ns"].max() / NS_PER_MS) if len(part) else 0.0


def mean_ms(part: Series) -> float:
    """Of the reads, not of the intervals."""
    reads = part["n"].sum()
    return float((part["n"] * part["mean_ns"]).sum() / reads / NS_PER_MS) if reads else 0.0


def draw_view(results: Results, parts: dict[str, Series], view: View):
    figure, axes = draw.panels(1, 3, 3.8)
    in_time, controller, tail = axes[0]
    for system, part in parts.items():
        reads = part["n"] > 0
        in_time.plot(passed_s(part)[reads], part["mean_ns"][reads] / NS_PER_MS, ".-",
                     markersize=3, linewidth=0.8, color=draw.SYSTEM_COLOURS[system],
                     label=TITLES[system])
        draw.cdf(tail, results[system,].cdf_path(), color=draw.SYSTEM_COLOURS[system],
                 label=TITLES[system])
    in_time.set_ylabel("average response, ms")
    in_time.set_xlabel("s of the window")
    in_time.set_ylim(bottom=0)
    draw.legend_above(in_time, 3)
    draw_controller(controller, parts["autossd"], view)
    draw.finish_cdf(tail)
    return figure


def draw_controller(axis, part: Series, view: View) -> None:
    axis.plot(passed_s(part), part[view.state], color=draw.BLUE, label=view.state_title)
    axis.set_ylabel(view.state_title)
    axis.ticklabel_format(axis="y", useOffset=False)
    axis.set_xlabel("s of the window")
    other = axis.twinx()
    other.plot(passed_s(part), part[view.share] / PPM_OF_PCT, color=draw.ORANGE, label="share")
    other.set_ylabel(f"share of {view.task}, %", color=draw.ORANGE)
    other.set_ylim(bottom=0)
    other.grid(visible=False)


def rows_of(results: Results, parts: dict[str, Series], view: View) -> list[list[str]]:
    rows = []
    for system, part in parts.items():
        latency = results[system,].latency()
        rows.append([TITLES[system], f"{mean_ms(part):.3f}", f"{peak_ms(part):.3f}",
                     f"{part['max_ns'].max() / NS_PER_MS:.2f}", f"{part[view.busy].sum():,.0f}",
                     f"{latency['p999'] / NS_PER_MS:.3f}{star(latency, 'p999')}",
                     f"{latency['p999999'] / NS_PER_MS:.3f}{star(latency, 'p999999')}"])
    return rows


def section(results: Results, view: View) -> Section:
    parts, active = cut(results, view)
    peaks = {system: peak_ms(part) for system, part in parts.items()}
    begin_s = float(parts["autossd"]["time_s"][0]) if len(parts["autossd"]) else 0.0
    share = parts["autossd"][view.share] / PPM_OF_PCT
    notes = [f"The window is the one in which the system with least {view.busy.replace('_', ' ')} "
             f"has most of them; the paper shows {view.paper}."]
    if not active:
        notes.append(f"There is no window of {view.width_s:g} s in which {view.task} works in all "
                     "three systems.")
    return Section(
        f"synthetic-{view.load} at {view.intensity}x, {view.width_s:g} s from {begin_s:,.1f} s "
        "on, average of reads up to 64 KiB every 100 ms; AutoSSD's controller in it; reads of the "
        "whole run.",
        [Table(f"{view.width_s:g} s window, and the whole run", [
            "", "average ms", "highest of 100 ms", "slowest ms", view.busy.replace("_", " "),
            "p99.9 of all, ms", "p99.9999 of all"], rows_of(results, parts, view))],
        [(view.name, draw_view(results, parts, view),
          f"Three systems while {view.task} works, synthetic {view.load}")],
        [Trend("RAIN and QoSFC have large spikes, AutoSSD bounds them.",
               ", ".join(f"{TITLES[s]} {peak:.2f} ms" for s, peak in peaks.items()),
               active and peaks["autossd"] < min(peaks["rain"], peaks["qosfc"])),
         Trend(f"The share of {view.task} follows the state of the drive.",
               f"from {min(share, default=0):.2f} to {max(share, default=0):.2f} %",
               len(set(share)) > 1)],
        notes,
        {"begin_s": begin_s, "width_s": view.width_s, "active_in_all": active,
         "peak_ms": peaks, "mean_ms": {s: mean_ms(part) for s, part in parts.items()}})


EXPERIMENTS = tuple(
    Experiment(view.name, f"Figure {view.name[3:]}: {view.load} at {view.intensity}x in time",
               ("system",), functools.partial(plan, view=view),
               functools.partial(section, view=view)) for view in VIEWS)
