# SPDX-License-Identifier: GPL-2.0
"""The pictures of a measurement of discards."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from ssdqos.figures import BLUE, GREEN, GREY, ORANGE, WIDTH_IN, plt
from ssdqos.qos.units import NS_PER_MS, size_text
from ssdqos.trim.measurement import ASCENDING, RANDOM, Measurement
from ssdqos.trim.plan import DEPTHS
from ssdqos.trim.proposal import KIB, MAX, MOST_NS, Proposal
from ssdqos.trim.told import beside_text, columns

COLOURS = {ASCENDING: BLUE, RANDOM: ORANGE}
STYLES = dict(zip(DEPTHS, ("-", "--")))
HEIGHT_IN, BAR_HEIGHT_IN = 4.0, 0.45


def ms_axis(axis: Axes, label: str) -> None:
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1,)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.set_ylabel(label)


def size_axis(axis: Axes, sizes: list[int]) -> None:
    axis.set_xscale("log", base=2)
    axis.set_xticks(sizes, [size_text(size) for size in sizes])
    axis.set_xticks([], minor=True)
    axis.set_xlabel("size of a discard")


def times(axis: Axes, found: Measurement, made: Proposal) -> None:
    for order, depth in columns():
        row = found.row(order, depth)
        axis.plot([one.cell.bytes for one in row], [one.times.p50_ns / NS_PER_MS for one in row], marker="o",
                  markersize=3, color=COLOURS[order], linestyle=STYLES[depth], label=f"{order}, {depth} at a time")
    axis.axhline(MOST_NS / NS_PER_MS, color=GREY, linewidth=0.8, label="others wait no longer")
    axis.axvline(int(made.value(MAX)) * KIB, color=GREEN, linewidth=0.8, label="largest that is proposed")
    axis.set_title("Time of a discard, median")
    ms_axis(axis, "ms")
    axis.legend()


def per_mib(axis: Axes, found: Measurement) -> None:
    for order in COLOURS:
        row = found.row(order, DEPTHS[0])
        axis.plot([one.cell.bytes for one in row], [one.ns_per_mib() / NS_PER_MS for one in row], marker="o",
                  markersize=3, color=COLOURS[order], label=f"discards, {order}")
    if found.write_ns_per_mib:
        axis.axhline(found.write_ns_per_mib / NS_PER_MS, color=GREY, linewidth=0.8, label="writing as much")
    axis.set_title("Time of a MiB")
    ms_axis(axis, "ms per MiB")
    axis.legend()


def cost(found: Measurement, made: Proposal) -> Figure:
    """By size: of one, and of a MiB, against writing it."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH_IN, HEIGHT_IN))
    times(left, found, made)
    per_mib(right, found)
    for axis in (left, right):
        size_axis(axis, sorted({one.cell.bytes for one in found.discards}))
        axis.tick_params(axis="x", rotation=45)
    return figure


def reads(found: Measurement) -> Figure:
    """What discards do to reads."""
    rows = [one for one in found.reads if one.times.n]
    figure, axis = plt.subplots(figsize=(WIDTH_IN, 1 + BAR_HEIGHT_IN * max(len(rows), 1)))
    places = range(len(rows))
    axis.barh(places, [one.times.p99_ns / NS_PER_MS for one in rows], color=ORANGE, height=0.6, label="p99")
    axis.barh(places, [one.times.p50_ns / NS_PER_MS for one in rows], color=BLUE, height=0.3, label="median")
    axis.set_yticks(places, [beside_text(one.beside) for one in rows])
    axis.invert_yaxis()
    axis.set_xlabel("time of a read of 4 KiB, ms")
    axis.legend(loc="upper right")
    return figure
