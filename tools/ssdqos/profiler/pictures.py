# SPDX-License-Identifier: GPL-2.0
"""The pictures of a profile: Figures 6, 7 and 13 of the paper for each class."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from ssdqos.figures import BLUE, GREEN, GREY, ORANGE, PURPLE, WIDTH_IN, plt
from ssdqos.profiler.build import CONFIDENCES, by_size
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.series import STEP_MS, Series
from ssdqos.qos.profile_file import CostKey, Fit, Profile
from ssdqos.qos.request import CLASSES, RequestClass
from ssdqos.qos.units import MS_PER_S, ms_text, percent_text, size_text

NS_PER_S = 1_000_000_000
NS_PER_US = 1000
KIB = 1 << 10
CONFIDENCE_COLOURS = dict(zip(CONFIDENCES, (GREEN, BLUE, PURPLE, ORANGE)))
DEPTH_STYLES = ("-", "--", ":", "-.")
CLASS_NAMES = {("read", "seq"): "Sequential reads", ("read", "rand"): "Random reads",
               ("write", "seq"): "Sequential writes", ("write", "rand"): "Random writes"}
TOP_ROOM = 1.05
PANEL_HEIGHT_IN = 3.1


def name_of(request: RequestClass) -> str:
    return CLASS_NAMES[request.op, request.pattern]


def sizes(profile: Profile) -> list[int]:
    return sorted({key.bytes for key in profile.costs})


def depths(profile: Profile) -> list[int]:
    return sorted({key.depth for key in profile.costs})


def panels(profile: Profile) -> list[RequestClass]:
    return [request for request in CLASSES if any(key.request == request for key in profile.costs)]


def grid(requests: list[RequestClass]) -> tuple[Figure, dict[RequestClass, Axes]]:
    """A panel for each class, two in a row."""
    rows = (len(requests) + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(WIDTH_IN, PANEL_HEIGHT_IN * rows), squeeze=False)
    for unused in axes.flat[len(requests):]:
        unused.set_axis_off()
    return figure, dict(zip(requests, axes.flat))


def window_axis(axis: Axes, profile: Profile) -> None:
    axis.set_xscale("log")
    axis.set_xticks(profile.windows_ms, [f"{ms / MS_PER_S:g}" for ms in profile.windows_ms])
    axis.set_xticks([], minor=True)
    axis.set_xlabel("window, s")


def cost_axis(axis: Axes) -> None:
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda us, _: f"{us:,.10g}"))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.set_ylabel("cost, µs")


def zero_based(axis: Axes) -> None:
    """Room above: what never changes is a line there."""
    axis.set_ylim(0, max(axis.get_ylim()[1], 1) * TOP_ROOM)
    axis.set_ylabel("requests/s")


def row(profile: Profile, request: RequestClass, size: int, depth: int,
        confidence: int) -> tuple[int | None, ...]:
    return profile.costs.get(CostKey(request, size, depth, confidence), ())


def throughput(profile: Profile, size: int, depth: int) -> Figure:
    """As Figure 6: what can be reserved if it is averaged over a window."""
    figure, axes = grid(panels(profile))
    for request, axis in axes.items():
        for confidence, colour in CONFIDENCE_COLOURS.items():
            costs = row(profile, request, size, depth, confidence)
            if costs:
                axis.plot(profile.windows_ms, [NS_PER_S / ns if ns else 0 for ns in costs], marker="o",
                          markersize=3, color=colour, label=f"{percent_text(confidence)} of windows")
        window_axis(axis, profile)
        zero_based(axis)
        axis.set_title(f"{name_of(request)} of {size_text(size)}, depth {depth}")
    next(iter(axes.values())).legend(loc="lower right")
    return figure


def cost(profile: Profile, depth: int) -> Figure:
    """As Figures 7 and 13: what a request costs, for each size."""
    figure, axes = grid(panels(profile))
    for request, axis in axes.items():
        for number, size in enumerate(sizes(profile)):
            for confidence in (CONFIDENCES[0], CONFIDENCES[-1]):
                costs = row(profile, request, size, depth, confidence)
                known = [(window, ns / NS_PER_US) for window, ns in zip(profile.windows_ms, costs) if ns]
                if known:
                    axis.plot(*zip(*known), color=plt.cm.viridis(number / max(len(sizes(profile)), 2)),
                              linestyle="-" if confidence == CONFIDENCES[-1] else "--",
                              label=size_text(size) if confidence == CONFIDENCES[-1] else None)
        cost_axis(axis)
        window_axis(axis, profile)
        axis.set_title(f"{name_of(request)}, depth {depth}")
        if axis.get_legend_handles_labels()[0]:
            axis.legend(loc="upper right", ncols=3)
    return figure


def over_time(counted: dict[Cell, Series], cells: list[Cell]) -> Figure:
    """As Figures 3 and 5: throughput in each 100 ms and each second."""
    figure, axes = plt.subplots(len(cells), 1, figsize=(WIDTH_IN, 2.2 * len(cells)), squeeze=False)
    for cell, axis in zip(cells, axes.flat):
        counts = counted[cell].of(cell.op)
        per_s = MS_PER_S // STEP_MS
        axis.plot([step / per_s for step in range(len(counts))], [count * per_s for count in counts],
                  color=GREY, linewidth=0.6, alpha=0.7, label="100 ms")
        seconds = [sum(counts[at:at + per_s]) for at in range(0, len(counts) - per_s + 1, per_s)]
        axis.step(range(len(seconds)), seconds, where="post", color=BLUE, linewidth=1.4, label="1 s")
        zero_based(axis)
        axis.set_title(f"{name_of(cell.of(cell.op))} of {size_text(cell.bytes)}, depth {cell.depth}")
    axes.flat[0].legend(loc="upper right", ncols=2)
    axes.flat[-1].set_xlabel("time, s")
    return figure


def fitted(fit: Fit, size: int) -> float:
    slope = fit.per_kib_ns * size / KIB
    return fit.base_ns + slope if fit.model == "additive" else max(fit.base_ns, slope)


def models(profile: Profile) -> Figure:
    """Measured costs by size, and both models."""
    figure, axes = grid(panels(profile))
    for request, axis in axes.items():
        for depth, style in zip(reversed(depths(profile)), DEPTH_STYLES):
            window_ms, costs = by_size(profile, request, depth)
            if costs:
                axis.plot(list(costs), [ns / NS_PER_US for ns in costs.values()], color=GREY, linestyle=style,
                          marker="o", label=f"depth {depth}, windows of {ms_text(window_ms)}")
        for fit, colour in zip([fit for fit in profile.fits if fit.request == request], (BLUE, ORANGE)):
            axis.plot(sizes(profile), [fitted(fit, size) / NS_PER_US for size in sizes(profile)], color=colour,
                      linewidth=1, label=f"{fit.model}, off by {fit.residual_pct} %")
        axis.set_xscale("log", base=2)
        cost_axis(axis)
        axis.set_xticks(sizes(profile), [size_text(size) for size in sizes(profile)])
        axis.set_title(name_of(request))
        if axis.get_legend_handles_labels()[0]:
            axis.legend()
    return figure


def mix(profile: Profile) -> Figure:
    """What mixing reads and writes does."""
    figure, axis = plt.subplots(figsize=(WIDTH_IN, 3.2))
    axis.plot(list(profile.mix), [factor / 1000 for factor in profile.mix.values()], marker="o", color=BLUE)
    axis.axhline(1, color=GREY, linewidth=0.8)
    axis.set_ylim(bottom=0)
    axis.set_xlabel("part of the device time, by single costs, that goes to writes, %")
    axis.set_ylabel("time / sum of single costs")
    return figure


def worst_cells(counted: dict[Cell, Series]) -> list[Cell]:
    """One for each class: the smallest requests at the greatest depth."""
    made = {}
    for cell in sorted((one for one in counted if one.is_single()), key=lambda one: (one.depth, -one.bytes)):
        made[cell.of(cell.op)] = cell
    return [made[request] for request in CLASSES if request in made]
