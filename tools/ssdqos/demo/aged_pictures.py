# SPDX-License-Identifier: GPL-2.0
"""How long requests take on a fresh and an aged drive."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ssdqos.demo import runs
from ssdqos.demo.picture import Picture
from ssdqos.demo.runs import NS_PER_S, NS_PER_US, Run
from ssdqos.figures import BLUE, GREY, ORANGE, WIDTH_IN, plt, set_latency_axis

DRIVE_COLOURS = {"fresh": BLUE, "aged": ORANGE}
WORLD_STYLES = {"kernel": {"linewidth": 4.5, "alpha": 0.4}, "sim": {"linewidth": 1.4, "linestyle": "--"}}
SHARE_TICKS = {0.5: "p50", 0.1: "p90", 0.01: "p99", 0.001: "p99.9", 0.0001: "p99.99"}
LOWEST_SHARE = 2e-5
MOST_US = 20_000
ZOOM_S = 0.1
# Part of the detail that shows the time before.
ZOOM_LEAD = 0.2
SLOW_US = 1000
LEAST_READ_US = 20


def draw(all_runs: list[Run]) -> list[Picture]:
    aged = next(run for run in all_runs if run.name == "kernel-aged")
    made = [Picture("cdf", latency_cdf(all_runs), "Distribution of read and write latency",
                    "How many requests are answered within a latency. The axis of shares stretches the slow end: each line "
                    "of the grid leaves out nine of ten. Wide pale lines are Linux, dashed ones the simulator.")]
    if aged.decisions:
        made.append(Picture("zoom", zoom(aged), "Read latency and garbage collection, in detail",
                            "The moment with most reads slower than 1 ms. A read that needs a plane of the flash which is "
                            "collecting has to wait for it."))
    return made


def latency_cdf(all_runs: list[Run]) -> Figure:
    """Share of requests at or below a latency; the share's axis stretches the tail."""
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH_IN, 4.6), sharey=True)
    for axis, operation in zip(axes, runs.OPERATIONS):
        for run in all_runs:
            draw_cdf(axis, run, operation)
        axis.set_xscale("log")
        set_latency_axis(axis.xaxis, 1, MOST_US)
        axis.set_xlim(1, MOST_US)
        axis.set_xlabel(f"{operation} latency of the drive")
        axis.set_title(f"{operation.capitalize()}s")
    axes[0].set_yscale("log")
    axes[0].set_ylim(1, LOWEST_SHARE)
    axes[0].set_yticks(list(SHARE_TICKS), list(SHARE_TICKS.values()))
    axes[0].set_yticks([], minor=True)
    axes[0].set_ylabel("requests that are not slower")
    axes[1].legend(loc="lower right")
    return figure


def draw_cdf(axis: Axes, run: Run, operation: str) -> None:
    latency_us = np.sort(run.latency_ns(operation)) / NS_PER_US
    if not len(latency_us):
        return
    slower = 1 - np.arange(len(latency_us)) / len(latency_us)
    axis.plot(latency_us, slower, drawstyle="steps-post", color=DRIVE_COLOURS[run.drive],
              label=f"{run.drive}, {'Linux' if run.world == 'kernel' else 'simulator'}",
              **WORLD_STYLES[run.world])


def busiest_moment(run: Run, width_s: float) -> float:
    """Where the window of that width begins that has most slow reads."""
    slow_s = run.arrival_s("read")[run.latency_ns("read") > SLOW_US * NS_PER_US]
    if not len(slow_s):
        return 0.0
    counts = np.searchsorted(slow_s, slow_s + width_s) - np.arange(len(slow_s))
    return float(slow_s[int(np.argmax(counts))])


def zoom(run: Run) -> Figure:
    """The moment with most slow reads: how many planes collect, and what reads see."""
    begin_s = busiest_moment(run, ZOOM_S / 2) - ZOOM_S * ZOOM_LEAD
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(WIDTH_IN, 5.6), sharex=True, height_ratios=[2, 1])
    top.scatter(run.arrival_s("read"), run.latency_ns("read") / NS_PER_US, s=14, color=DRIVE_COLOURS[run.drive],
                linewidths=0, rasterized=True)
    top.set_yscale("log")
    top.set_ylim(LEAST_READ_US, MOST_US)
    set_latency_axis(top.yaxis, LEAST_READ_US, MOST_US)
    top.set_ylabel("read latency")
    top.set_title(f"Aged drive in Linux, {ZOOM_S * 1000:.0f} ms of it: each read is a dot")
    times, planes = runs.collecting_planes(runs.collecting_intervals(run))
    bottom.fill_between((times - run.start_ns()) / NS_PER_S, planes, step="post", color=GREY, alpha=0.6, linewidth=0)
    bottom.set_ylim(bottom=0)
    bottom.set_ylabel("planes that collect")
    bottom.set_xlabel("time since the first request, s")
    bottom.set_xlim(begin_s, begin_s + ZOOM_S)
    return figure
