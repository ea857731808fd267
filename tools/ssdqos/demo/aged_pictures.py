# SPDX-License-Identifier: GPL-2.0
"""How long requests take on a fresh and an aged drive."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ssdqos.demo import runs
from ssdqos.demo.picture import Picture
from ssdqos.demo.runs import NS_PER_US, Run
from ssdqos.figures import BLUE, ORANGE, WIDTH_IN, plt, set_latency_axis

DRIVE_COLOURS = {"fresh": BLUE, "aged": ORANGE}
WORLD_STYLES = {"kernel": {"linewidth": 4.5, "alpha": 0.4}, "sim": {"linewidth": 1.4, "linestyle": "--"}}
SHARE_TICKS = {0.5: "p50", 0.1: "p90", 0.01: "p99", 0.001: "p99.9", 0.0001: "p99.99"}
LOWEST_SHARE = 2e-5
MOST_US = 20_000


def draw(all_runs: list[Run]) -> list[Picture]:
    return [Picture("cdf", latency_cdf(all_runs), "Distribution of read and write latency",
                    "How many requests are answered within a latency. The axis of shares stretches the slow end: each line "
                    "of the grid leaves out nine of ten. Wide pale lines are Linux, dashed ones the simulator.")]


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
