# SPDX-License-Identifier: GPL-2.0
"""Throughput and slow requests of two clients over time."""

from __future__ import annotations

from matplotlib.axes import Axes

from ssdqos.demo.picture import INK, Picture, phase
from ssdqos.figures import BLUE, ORANGE, WIDTH_IN, plt, set_latency_axis

HEIGHT_IN = 7.4
COLOURS = {"shop": BLUE, "backup": ORANGE}
BACKUP_BYTES = 64 << 10
BYTES_PER_MB, NS_PER_US = 1e6, 1e3
ROOM = 1.12
LEAST_US = 100


def draw(series: dict, starts: dict[str, float], end_s: float, promised: int) -> Picture:
    figure, axes = plt.subplots(3, 1, figsize=(WIDTH_IN, HEIGHT_IN), sharex=True, height_ratios=[3, 1.6, 3])
    middles = [time_s + series["step_s"] / 2 for time_s in series["time_s"]]
    draw_shop(axes[0], series, middles, starts["promised"], end_s, promised)
    draw_backup(axes[1], series, middles)
    draw_latency(axes[2], series, middles)
    for axis in axes:
        axis.set_xlim(0, end_s)
    name_phases(axes, starts, end_s)
    axes[-1].set_xlabel("time, s")
    return Picture("promise", figure, "Throughput and latency of two clients over time: alone, together, with a promise",
                   "Solid lines: Linux. Thin dashed lines: the same in the simulator. 99 of 100 requests of the last "
                   f"{series['step_s']:g} s were faster than the lowest panel's line.")


def name_phases(axes: list[Axes], starts: dict[str, float], end_s: float) -> None:
    names = {"alone": "shop alone", "together": "a backup beside it", "promised": "with a promise for the shop"}
    ends = [*list(starts.values())[1:], end_s]
    for (key, begin), end in zip(starts.items(), ends):
        for axis in axes:
            phase(axis, begin, end, names[key] if axis is axes[0] else "")


def draw_both(axis: Axes, series: dict, middles: list[float], client: str, scale: float) -> None:
    for key, style in (("per_s", {"linewidth": 2}), ("simulated_per_s", {"linewidth": 1, "linestyle": "--"})):
        axis.plot(middles, [value * scale for value in series[client][key]][:len(middles)], color=COLOURS[client], **style)
    axis.set_ylim(0, max(series[client]["per_s"]) * scale * ROOM)


def draw_shop(axis: Axes, series: dict, middles: list[float], from_s: float, end_s: float, promised: int) -> None:
    draw_both(axis, series, middles, "shop", 1)
    axis.set_ylim(top=max(axis.get_ylim()[1], promised * ROOM))
    axis.plot([from_s, end_s], [promised, promised], color=INK, linewidth=1.2)
    axis.text(end_s, promised * 0.93, f"promised: {promised:,}", ha="right", va="top")
    axis.set_ylabel("shop, reads/s")
    axis.yaxis.set_major_formatter("{x:,.0f}")


def draw_backup(axis: Axes, series: dict, middles: list[float]) -> None:
    draw_both(axis, series, middles, "backup", BACKUP_BYTES / BYTES_PER_MB)
    axis.set_ylabel("backup, MB/s")


def draw_latency(axis: Axes, series: dict, middles: list[float]) -> None:
    highest = LEAST_US
    for client, colour in COLOURS.items():
        p99_us = [float("nan") if value is None else value / NS_PER_US for value in series[client]["p99_ns"]]
        axis.plot(middles, p99_us, color=colour, linewidth=2, label=client)
        highest = max([highest, *(value for value in p99_us if value == value)])
    axis.set_yscale("log")
    axis.set_ylim(LEAST_US, highest * 2)
    set_latency_axis(axis.yaxis, LEAST_US, highest * 2)
    axis.set_ylabel("99 % are faster than")
    axis.legend(loc="upper left", ncols=2)
