# SPDX-License-Identifier: GPL-2.0
"""What is used of a drive's life, and how long its writes wait, over the years."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ssdqos.demo.picture import INK, Picture
from ssdqos.figures import BLUE, GREEN, ORANGE, WIDTH_IN, plt

HEIGHT_IN = 6.4
COLOURS = {"none": ORANGE, "ready_opt": GREEN, "horizon": BLUE}
YEAR_S, DAY_S = 365 * 86400, 86400
NS_PER_MS = 1e6
PERCENT = 100
HOURS = 24
ROOM = 1.12


def draw(series: dict[str, list[dict[str, str]]], found: dict, names: dict[str, str]) -> Picture:
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(WIDTH_IN, HEIGHT_IN), sharex=True, height_ratios=[3, 2])
    target_years = found["target_s"] / YEAR_S
    for policy, rows in series.items():
        draw_used(top, policy, rows, found["lives"][policy]["years"], names[policy])
        draw_delay(bottom, policy, rows, names[policy])
    top.plot([0, target_years], [0, PERCENT], color=INK, linewidth=0.9, linestyle=":", label="spread evenly")
    top.set_ylim(0, PERCENT * ROOM)
    top.set_ylabel("used of its life, %")
    top.legend(loc="lower right")
    bottom.set_ylabel("a page waits, ms")
    bottom.set_ylim(bottom=0)
    bottom.set_xlabel("years")
    bottom.set_xlim(0, target_years * 1.02)
    return Picture("life", figure, "Endurance used over the years and delay of writes, with and without throttling",
                   "Above: what was written, in per cent of what had been written when the cells were worn out; a cross is "
                   "the end. Below: the delay of a page of 4 KiB, the mean of each day (line) and the day's range (pale).")


def draw_used(axis: Axes, policy: str, rows: list[dict[str, str]], years: float | None, name: str) -> None:
    at = np.array([float(row["time_s"]) for row in rows]) / YEAR_S
    used = np.cumsum([float(row["used_bytes"]) for row in rows])
    end = years if years is not None else at[-1]
    inside = at <= end
    at, used = at[inside][::HOURS], used[inside][::HOURS] / used[inside][-1] * PERCENT
    axis.plot(at, used, color=COLOURS[policy], linewidth=2, label=name)
    if years is not None:
        axis.plot([end], [PERCENT], marker="x", markersize=10, markeredgewidth=2.5, color=COLOURS[policy], clip_on=False)
        axis.text(end, PERCENT * 1.03, f"worn out at {end:.1f} years", color=COLOURS[policy], ha="right", va="bottom")


def draw_delay(axis: Axes, policy: str, rows: list[dict[str, str]], name: str) -> None:
    delay_ms = np.array([float(row["delay_ns"]) for row in rows]) / NS_PER_MS
    days = len(delay_ms) // HOURS
    per_day = delay_ms[:days * HOURS].reshape(days, HOURS)
    at = np.arange(days) * DAY_S / YEAR_S
    axis.fill_between(at, per_day.min(axis=1), per_day.max(axis=1), color=COLOURS[policy], alpha=0.25, linewidth=0)
    axis.plot(at, per_day.mean(axis=1), color=COLOURS[policy], linewidth=1.2, label=name)
