# SPDX-License-Identifier: GPL-2.0
"""What all pictures have in common: matplotlib, colours, sizes."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)

# Okabe and Ito's colours: to be told apart by everybody.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#555555"
WIDTH_IN = 11.0
LATENCY_TICKS = {1: "1 µs", 10: "10 µs", 100: "100 µs", 1000: "1 ms", 10000: "10 ms",
                 100000: "100 ms", 1000000: "1 s"}
STYLE = {"font.size": 11, "axes.spines.top": False, "axes.spines.right": False,
         "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.7,
         "axes.axisbelow": True, "legend.frameon": False, "svg.hashsalt": "ssdqos",
         "axes.titlesize": 12, "axes.titlelocation": "left", "figure.constrained_layout.use": True}

plt.rcParams.update(STYLE)


def set_latency_axis(axis: matplotlib.axis.Axis, low: float, high: float) -> None:
    shown = {us: label for us, label in LATENCY_TICKS.items() if low <= us <= high}
    axis.set_ticks(list(shown), list(shown.values()))
    axis.set_ticks([], minor=True)
