# SPDX-License-Identifier: GPL-2.0
"""Pictures of part `years`: Figures 39 to 43."""

from __future__ import annotations

from pathlib import Path

from lib import charts
from lib.ready.paper import LOADS, POLICIES

YEAR_S, DAY_S, MIB = 365 * 86400, 86400, 1 << 20
MOST_TARGETS = 3
BAR = 0.12


def bars(axis, result: dict, loads: list[str], value) -> None:
    for at, (policy, title) in enumerate(POLICIES.items()):
        heights = [value(result["runs"][f"{load}-{policy}"], load) for load in loads]
        axis.bar([i + (at - 3) * BAR for i in range(len(loads))], heights, BAR, label=title,
                 color=f"C{at}")
    axis.set_xticks(range(len(loads)), loads)


def fig39(result: dict, loads: list[str], path: Path) -> None:
    def paint(axis):
        bars(axis, result, loads, lambda run, _: (run["lifetime_s"] or
                                                  MOST_TARGETS * run["target_s"]) / YEAR_S)
        axis.axhline(result["runs"][f"{loads[0]}-none"]["target_s"] / YEAR_S, color="0.3", lw=0.8,
                     ls="--")
    charts.draw(path, paint, "", "lifetime, years")


def fig40(result: dict, loads: list[str], path: Path) -> None:
    def paint(axis):
        bars(axis, result, loads, lambda run, load: run["response_ns"]["mean"] /
             result["runs"][f"{load}-none"]["response_ns"]["mean"])
    charts.draw(path, paint, "", "mean response, none = 1")


def fig41(result: dict, loads: list[str], path: Path) -> None:
    shown = [load for load in loads if load != "proj"]

    def paint(*axes):
        for axis, load in zip(axes, shown):
            for at, (policy, title) in enumerate(POLICIES.items()):
                cdf = result["runs"][f"{load}-{policy}"]["cdf"]
                cdf = [[cdf[0][0], 0], *cdf]
                axis.step([point[0] for point in cdf], [point[1] for point in cdf], where="post",
                          lw=1, label=title, color=f"C{at}")
            axis.set_xscale("log")
            axis.set_title(load, fontsize=9)
    charts.draw(path, paint, "response, us", "part of pages", panels=len(shown))


def fig42(result: dict, path: Path) -> None:
    runs = [("fixed", result["runs"].get("exchange-ready_opt-fixed")),
            ("looked for", result["runs"].get("exchange-ready_opt"))]
    if not all(run and run.get("series") for _, run in runs):
        return

    def paint(*axes):
        for axis, (title, run) in zip(axes, runs):
            axis.plot([row[0] / DAY_S for row in run["series"]],
                      [row[1] / 1000 for row in run["series"]], lw=0.7, label=title)
        axes[1].set_ylim(axes[0].get_ylim())
    charts.draw(path, paint, "days", "delay of a page, us", panels=len(runs))


def fig43(result: dict, path: Path) -> None:
    wanted = ("static", "dynamic", "ready_pes", "ready_opt")
    runs = [(POLICIES[policy], result["runs"].get(f"map-{policy}")) for policy in wanted]
    if not all(run and run.get("series") for _, run in runs):
        return

    def paint(*axes):
        top = max(row[3] for _, run in runs for row in run["series"]) / MIB
        for axis, (title, run) in zip(axes, runs):
            begin = run["series"][0][0]
            axis.plot([row[0] - begin for row in run["series"]],
                      [row[3] / MIB for row in run["series"]], lw=0.7, label=title)
            axis.set_ylim(top=1.1 * top)
    charts.draw(path, paint, "seconds", "flash writes, MiB/s", panels=len(runs))


def draw(result: dict, loads: list[str], directory: Path) -> None:
    fig39(result, loads, directory / "fig39.svg")
    fig40(result, loads, directory / "fig40.svg")
    if len(loads) == len(LOADS):
        fig41(result, loads, directory / "fig41.svg")
    fig42(result, directory / "fig42.svg")
    fig43(result, directory / "fig43.svg")
