# SPDX-License-Identifier: GPL-2.0
"""The pictures of a replay."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)
import numpy as np  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from ssdqos import runs  # noqa: E402
from ssdqos.runs import NS_PER_S, NS_PER_US, Run  # noqa: E402

# Okabe and Ito's colours: to be told apart by everybody.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#555555"
DRIVE_COLOURS = {"fresh": BLUE, "aged": ORANGE}
WORLD_STYLES = {"kernel": {"linewidth": 4.5, "alpha": 0.4}, "sim": {"linewidth": 1.4, "linestyle": "--"}}
LATENCY_TICKS = {1: "1 µs", 10: "10 µs", 100: "100 µs", 1000: "1 ms", 10000: "10 ms",
                 100000: "100 ms", 1000000: "1 s"}
SHARE_TICKS = {0.5: "p50", 0.1: "p90", 0.01: "p99", 0.001: "p99.9", 0.0001: "p99.99"}
LOWEST_SHARE = 2e-5
WIDTH_IN = 11.0
ZOOM_S = 0.5
# Part of the detail that shows the time before.
ZOOM_LEAD = 0.1
SLOW_US = 1000
LEGEND_ROOM = 1.35
STYLE = {"font.size": 11, "axes.spines.top": False, "axes.spines.right": False,
         "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.7,
         "axes.axisbelow": True, "legend.frameon": False, "svg.hashsalt": "ssdqos",
         "axes.titlesize": 12, "axes.titlelocation": "left", "figure.constrained_layout.use": True}

plt.rcParams.update(STYLE)


def set_latency_axis(axis: matplotlib.axis.Axis, low: float, high: float) -> None:
    shown = {us: label for us, label in LATENCY_TICKS.items() if low <= us <= high}
    axis.set_ticks(list(shown), list(shown.values()))
    axis.set_ticks([], minor=True)


def latency_cdf(all_runs: list[Run]) -> Figure:
    """Share of requests at or below a latency; the share's axis stretches the tail."""
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH_IN, 4.6), sharey=True)
    for axis, operation in zip(axes, runs.OPERATIONS):
        for run in all_runs:
            draw_cdf(axis, run, operation)
        axis.set_xscale("log")
        set_latency_axis(axis.xaxis, 1, 20_000)
        axis.set_xlim(1, 20_000)
        axis.set_xlabel(f"{operation} latency of the drive")
    axes[0].set_yscale("log")
    axes[0].set_ylim(1, LOWEST_SHARE)
    axes[0].set_yticks(list(SHARE_TICKS), list(SHARE_TICKS.values()))
    axes[0].set_yticks([], minor=True)
    axes[0].set_ylabel("requests that are not slower")
    axes[0].set_title("Reads")
    axes[1].set_title("Writes")
    axes[1].legend(loc="lower right")
    return figure


def draw_cdf(axis: Axes, run: Run, operation: str) -> None:
    latency_us = np.sort(run.latency_ns(operation)) / NS_PER_US
    if not len(latency_us):
        return
    slower = 1 - np.arange(len(latency_us)) / len(latency_us)
    axis.plot(latency_us, slower, drawstyle="steps-post", color=DRIVE_COLOURS[run.drive],
              label=f"{run.drive}, {'kernel' if run.world == 'kernel' else 'simulator'}",
              **WORLD_STYLES[run.world])


def shade(axis: Axes, run: Run, most: int) -> None:
    """Bands while planes collect garbage: the more of them, the darker."""
    times, planes = runs.collecting_planes(runs.collecting_intervals(run))
    times_s = (times - run.start_ns()) / NS_PER_S
    for begin, end, count in zip(times_s, times_s[1:], planes):
        if count:
            axis.axvspan(begin, end, color=GREY, alpha=0.08 + 0.32 * count / most, linewidth=0,
                         rasterized=True)


def scatter(axis: Axes, run: Run, operation: str, size: float) -> None:
    axis.scatter(run.arrival_s(operation), run.latency_ns(operation) / NS_PER_US, s=size,
                 color=DRIVE_COLOURS[run.drive], linewidths=0, rasterized=True)


def latency_over_time(all_runs: list[Run], planes_total: int) -> Figure:
    """Every read of the kernel's drives, and how many planes collect garbage."""
    figure, axes = plt.subplots(3, 1, figsize=(WIDTH_IN, 7.6), sharex=True,
                                height_ratios=[3, 3, 1.6])
    kernel_runs = [run for run in all_runs if run.world == "kernel"]
    high_us = max(run.latency_ns("read").max() for run in kernel_runs) / NS_PER_US * 2
    for axis, run in zip(axes, kernel_runs):
        shade(axis, run, planes_total)
        scatter(axis, run, "read", 2.5)
        axis.set_yscale("log")
        axis.set_ylim(1, high_us)
        set_latency_axis(axis.yaxis, 1, high_us)
        axis.set_ylabel("read latency")
        axis.set_title(f"{run.drive.capitalize()} drive in the kernel: every read is a dot, "
                       "grey while planes collect garbage")
    draw_planes(axes[2], [run for run in all_runs if run.drive == "aged"], planes_total)
    axes[2].set_xlabel("time since the first request, s")
    axes[2].set_xlim(0, max(run.arrival_s("read").max() for run in kernel_runs))
    return figure


def draw_planes(axis: Axes, aged_runs: list[Run], planes_total: int) -> None:
    for run in aged_runs:
        times, planes = runs.collecting_planes(runs.collecting_intervals(run))
        axis.step((times - run.start_ns()) / NS_PER_S, planes, where="post",
                  color=ORANGE if run.world == "kernel" else GREY,
                  linewidth=2.2 if run.world == "kernel" else 0.8,
                  alpha=0.5 if run.world == "kernel" else 1,
                  label="kernel" if run.world == "kernel" else "simulator")
    axis.set_ylim(0, planes_total * LEGEND_ROOM)
    axis.set_yticks([0, planes_total // 2, planes_total])
    axis.set_ylabel("planes")
    axis.set_title(f"Planes of the aged drive that collect garbage, of {planes_total}")
    axis.legend(loc="upper right", ncols=2)


def busiest_moment(run: Run, width_s: float) -> float:
    """Where the window of that width begins that has most slow reads."""
    slow_s = run.arrival_s("read")[run.latency_ns("read") > SLOW_US * NS_PER_US]
    if not len(slow_s):
        return 0.0
    counts = np.searchsorted(slow_s, slow_s + width_s) - np.arange(len(slow_s))
    return float(slow_s[int(np.argmax(counts))])


def collection_before(run: Run, moment_s: float) -> float:
    """When the first plane began to collect, of those that did at that moment."""
    times, planes = runs.collecting_planes(runs.collecting_intervals(run))
    begun_s = (times[np.flatnonzero(np.diff(planes, prepend=0) == planes)] - run.start_ns()) / NS_PER_S
    before_s = begun_s[begun_s <= moment_s]
    return float(before_s[-1]) if len(before_s) else moment_s


def zoom(run: Run, planes_total: int) -> Figure:
    """The moment with most slow reads: which plane collects, and what reads see."""
    begin_s = collection_before(run, busiest_moment(run, ZOOM_S / 2)) - ZOOM_S * ZOOM_LEAD
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(WIDTH_IN, 6.2), sharex=True)
    scatter(top, run, "read", 14)
    top.set_yscale("log")
    top.set_ylim(20, 20_000)
    set_latency_axis(top.yaxis, 20, 20_000)
    top.set_ylabel("read latency")
    top.set_title(f"Aged drive in the kernel, {ZOOM_S * 1000:.0f} ms of it: reads ...")
    for plane, begin_ns, end_ns in runs.collecting_intervals(run):
        from_s = (begin_ns - run.start_ns()) / NS_PER_S
        bottom.barh(plane, (end_ns - begin_ns) / NS_PER_S, left=from_s, height=0.8, color=GREY)
    bottom.set_ylim(-1, planes_total)
    bottom.set_ylabel("plane")
    bottom.set_title("... and the planes that collect garbage")
    bottom.set_xlabel("time since the first request, s")
    bottom.set_xlim(begin_s, begin_s + ZOOM_S)
    bottom.grid(axis="y", visible=False)
    return figure
