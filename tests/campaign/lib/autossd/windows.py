# SPDX-License-Identifier: GPL-2.0
"""Figures 6, 7 and 11: a moment with internal work, in time."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from lib import interval
from lib.autossd import draw, series
from lib.autossd.grid import Grid
from lib.autossd.runs import TITLES, Run, Scale
from lib.autossd.section import NS_PER_MS, Experiment, Plan, Results, Section, Table, Trend
from lib.autossd.series import Series
from lib.autossd.traces import IN_TIME_SYSTEMS, read_run, trace_run

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
    read: bool = False  # blocks were read as often as in the paper

    def run(self, scale: Scale, system: str) -> Run:
        return read_run(scale, system, self.load) if self.read else trace_run(scale, system, self.load, self.intensity)


VIEWS = (
    View("fig6", "RAD-AS", 1, 10, "GC", "share_gc", "free_blocks", "free blocks", "erases",
         "a window some 10 hours into the trace"),
    View("fig7", "LM-TBE", 1, 20, "read scrubbing", "share_scrub", "read_count_max",
         "most reads of a block", "scrub_blocks", "a window some 15 hours into the trace", True),
    View("fig11", "DTRS", 2, 20, "GC", "share_gc", "free_blocks", "free blocks", "erases",
         "a window some 2 hours into the trace"),
)


# Of each system of one seed, the window.
Parts = dict[str, Series]


def plan(scale: Scale, view: View) -> Plan:
    return {(system, one.seed): view.run(one, system) for system in IN_TIME_SYSTEMS for one in scale.each()}


def cut(grid: Grid, seed: int, view: View) -> Parts:
    """Each system where its task works most: they do not collect at the same time."""
    found = {}
    for system in IN_TIME_SYSTEMS:
        whole = series.load(grid.runs[system,][seed])
        at = series.busiest(whole, view.busy, view.width_s)
        found[system] = whole.part(at, at + max(1, round(view.width_s / whole.step_s())))
    return found


def is_active(parts: Parts, view: View) -> bool:
    """In all of them."""
    return all(part[view.busy].sum() > 0 for part in parts.values())


def passed_s(part: Series) -> np.ndarray:
    """Since the window began."""
    return part["time_s"] - min(part["time_s"], default=0)


def peak_ms(part: Series) -> float:
    return float(part["mean_ns"].max() / NS_PER_MS) if len(part) else 0.0


def mean_ms(part: Series) -> float:
    """Of the reads, not of the intervals."""
    reads = part["n"].sum()
    return float((part["n"] * part["mean_ns"]).sum() / reads / NS_PER_MS) if reads else 0.0


def draw_view(grid: Grid, parts: Parts, view: View):
    figure, axes = draw.panels(1, 3, 3.8)
    in_time, controller, tail = axes[0]
    for system, part in parts.items():
        reads = part["n"] > 0
        in_time.plot(passed_s(part)[reads], part["mean_ns"][reads] / NS_PER_MS, ".-",
                     markersize=3, linewidth=0.8, color=draw.SYSTEM_COLOURS[system],
                     label=TITLES[system])
        draw.cdf(tail, grid.first(system).cdf_path(), color=draw.SYSTEM_COLOURS[system],
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


def of_windows(windows: list[Parts], number: Callable[[Parts], float], digits: int) -> str:
    """Mean of the seeds, and its interval."""
    seen = [number(parts) for parts in windows]
    return interval.text(seen, digits) if len(seen) > 1 else f"{seen[0]:.{digits}f}"


def row_of(grid: Grid, windows: list[Parts], system: str, view: View) -> list[str]:
    return [TITLES[system], of_windows(windows, lambda parts: mean_ms(parts[system]), 3),
            of_windows(windows, lambda parts: peak_ms(parts[system]), 3),
            of_windows(windows, lambda parts: parts[system]["max_ns"].max() / NS_PER_MS, 2),
            of_windows(windows, lambda parts: parts[system][view.busy].sum(), 0),
            *(grid.us((system,), metric) for metric in ("mean", "p999", "p9999"))]


def table(grid: Grid, windows: list[Parts], view: View) -> Table:
    return Table(f"Windows of {view.width_s:g} s, and the whole runs", [
        "", "average ms", "highest of 100 ms", "slowest ms", view.busy.replace("_", " "),
        "average of all, us", "p99.9 of all", "p99.99 of all"],
        [row_of(grid, windows, system, view) for system in IN_TIME_SYSTEMS])


def trends(windows: list[Parts], view: View) -> list[Trend]:
    peaks = {system: [peak_ms(parts[system]) for parts in windows] for system in IN_TIME_SYSTEMS}
    lower = sum(ours < min(rain, qosfc) for rain, qosfc, ours in zip(*peaks.values()))
    active = sum(is_active(parts, view) for parts in windows)
    share = windows[0]["autossd"][view.share] / PPM_OF_PCT
    return [Trend("RAIN and QoSFC have large spikes, AutoSSD bounds them.",
                  ", ".join(f"{TITLES[s]} {of_windows(windows, lambda parts, s=s: peak_ms(parts[s]), 2)} ms"
                            for s in IN_TIME_SYSTEMS) + f"; lowest with {lower} of {len(windows)} seeds",
                  active == lower == len(windows)),
            Trend(f"The share of {view.task} follows the state of the drive.",
                  f"from {min(share, default=0):.2f} to {max(share, default=0):.2f} %", len(set(share)) > 1)]


def notes(windows: list[Parts], view: View) -> list[str]:
    found = [f"Each system is shown in the window in which it has most {view.busy.replace('_', ' ')}; the paper shows "
             f"{view.paper}, the same for all."]
    idle = sum(not is_active(parts, view) for parts in windows)
    if idle:
        found.append(f"With {idle} of {len(windows)} seeds {view.task} does not work in all three systems.")
    return found


def section(results: Results, view: View) -> Section:
    grid = Grid(results)
    windows = [cut(grid, seed, view) for seed in grid.seeds]
    first = windows[0]["autossd"]
    begin_s = float(first["time_s"][0]) if len(first) else 0.0
    return Section(
        f"synthetic-{view.load} at {view.intensity}x{' on drives that were read more' if view.read else ''}: average of reads "
        f"up to 64 KiB every 100 ms; AutoSSD's controller; reads of the whole run.  The picture is of seed {grid.seeds[0]}, "
        f"{view.width_s:g} s, AutoSSD's from {begin_s:,.1f} s on; figures are means of the seeds with their 95 % intervals.",
        [table(grid, windows, view)],
        [(view.name, draw_view(grid, windows[0], view),
          f"Three systems while {view.task} works, synthetic {view.load}")],
        trends(windows, view), notes(windows, view),
        {"begin_s": begin_s, "width_s": view.width_s, "active_in_all": [is_active(parts, view) for parts in windows],
         "peak_ms": {s: [peak_ms(parts[s]) for parts in windows] for s in IN_TIME_SYSTEMS},
         "mean_ms": {s: [mean_ms(parts[s]) for parts in windows] for s in IN_TIME_SYSTEMS}})


EXPERIMENTS = tuple(
    Experiment(view.name, f"Figure {view.name[3:]}: {view.load} at {view.intensity}x in time",
               ("system", "seed"), functools.partial(plan, view=view),
               functools.partial(section, view=view)) for view in VIEWS)
