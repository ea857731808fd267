# SPDX-License-Identifier: GPL-2.0
"""Pieces of the pictures."""

from __future__ import annotations

import csv
import functools
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ssdqos.figures import BLUE, GREEN, GREY, ORANGE, WIDTH_IN, plt, set_latency_axis

LIGHT_GREEN = "#9fd8a4"  # of the same family as GREEN: the same system without our additions
LIGHT_BLUE = "#9ccbe8"   # of that of BLUE: without reconstruction

SYSTEM_COLOURS = {"vanilla": GREY, "rain": BLUE, "parity": LIGHT_BLUE, "qosfc": ORANGE, "paper": LIGHT_GREEN,
                  "autossd": GREEN}
SHARE_TICKS = {0.1: "90 %", 0.01: "99 %", 0.001: "99.9 %", 1e-4: "99.99 %", 1e-5: "99.999 %",
               1e-6: "99.9999 %"}
LOWEST_SHARE = 5e-7
BAR_GROUP = 0.8
ROOM_ABOVE = 1.25
NS_PER_US = 1000

matplotlib.rcParams.update({"svg.fonttype": "none", "font.size": 10})


def panels(rows: int, columns: int, height: float, **more: object) -> tuple[Figure, np.ndarray]:
    """Axes that are always a two-dimensional array."""
    return plt.subplots(rows, columns, figsize=(WIDTH_IN, height), squeeze=False, **more)


def bars(axis: Axes, groups: list[str], series: dict[str, list[float]], colours: dict[str, str],
         labels: dict[str, str], cut: float | None = None,
         halves: dict[str, list[float]] | None = None) -> None:
    """Groups of bars; those beyond `cut` are cut off and get their number, as
    in the paper's Figure 10.  Halves are those of intervals around the values."""
    width = BAR_GROUP / len(series)
    for at, (name, values) in enumerate(series.items()):
        x = np.arange(len(groups)) + (at + 0.5) * width - BAR_GROUP / 2
        axis.bar(x, values, width, color=colours.get(name), label=labels.get(name, name),
                 yerr=halves[name] if halves else None, error_kw={"elinewidth": 0.8})
        for where, value in zip(x, values):
            if cut and value > cut:
                axis.annotate(f"{value:.3g}", (where, cut), ha="center", va="top", rotation=90,
                              fontsize=8, color="white")
    axis.set_xticks(range(len(groups)), groups)
    axis.grid(axis="x", visible=False)
    if cut:
        axis.set_ylim(0, cut)


@functools.lru_cache(maxsize=1024)
def read_counts(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Latencies in ns, and how many requests were not slower."""
    with path.open() as file:
        rows = [(float(row["latency_ns"]), float(row["cumulative_count"]))
                for row in csv.DictReader(file)]
    return tuple(np.array(rows).reshape(-1, 2).T)


def read_cdf(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Latency in us, and the part of requests that is slower."""
    latency, count = read_counts(path)
    return latency / NS_PER_US, 1 - count / (count[-1] if len(count) else 1)


def pooled_quantile(paths: Sequence[Path], nines: int) -> float:
    """In ns, of the requests of several runs together: the least that so many of them don't exceed."""
    runs = [read_counts(path) for path in paths]
    latency = np.concatenate([run[0] for run in runs])
    count = np.concatenate([np.diff(run[1], prepend=0) for run in runs])
    order = np.argsort(latency, kind="stable")
    slower = count.sum() - np.cumsum(count[order])
    return float(latency[order][np.argmax(slower <= count.sum() / 10 ** nines)])


def cdf(axis: Axes, path: Path, **style: object) -> None:
    """One curve of a distribution; the axis of shares stretches the tail."""
    latency_us, slower = read_cdf(path)
    axis.plot(latency_us, np.maximum(slower, LOWEST_SHARE), drawstyle="steps-post", **style)


def finish_cdf(axis: Axes, low_us: float = 20) -> None:
    highest = (line.get_xdata().max() for line in axis.lines if len(line.get_xdata()))
    high_us = max(10_000, *highest)
    axis.set_xscale("log")
    axis.set_xlim(low_us, high_us)
    set_latency_axis(axis.xaxis, low_us, high_us)
    axis.set_yscale("log")
    axis.set_ylim(1, LOWEST_SHARE)
    axis.set_yticks(list(SHARE_TICKS), list(SHARE_TICKS.values()))
    axis.set_yticks([], minor=True)
    axis.set_ylabel("reads that are not slower")
    axis.set_xlabel("response time")
    axis.legend(loc="lower right", fontsize=9)


def legend_above(axis: Axes, columns: int) -> None:
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, fontsize=9)
