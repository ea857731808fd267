# SPDX-License-Identifier: GPL-2.0
"""Draws a profile: one HTML file that needs nothing else."""

from __future__ import annotations

from ssdqos.figures import plt
from ssdqos.page import STYLE, escape, image
from ssdqos.profiler import pictures, unsettled
from ssdqos.profiler.build import FIT_CONFIDENCE, FIT_WINDOW_MS
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.series import Series
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.units import percent_text, size_text

NS_PER_US = 1000


def meta_table(profile: Profile) -> str:
    rows = "".join(f"<tr><td>{escape(key)}</td><td>{escape(value)}</td></tr>" for key, value in profile.meta.items()
                   if not key.startswith(unsettled.KEY))
    return f"<table>{rows}</table>"


def cost_cell(ns: int | None) -> str:
    return f"{ns / NS_PER_US:,.1f}" if ns else "-"


def cost_table(profile: Profile) -> str:
    """At 1 s and 99 %, of each size and depth."""
    column = max((at for at, ms in enumerate(profile.windows_ms) if ms <= FIT_WINDOW_MS), default=0)
    head = "".join(f"<th>{size_text(size)}</th>" for size in pictures.sizes(profile))
    rows = []
    for request in pictures.panels(profile):
        for depth in pictures.depths(profile):
            found = [pictures.row(profile, request, size, depth, FIT_CONFIDENCE)
                     for size in pictures.sizes(profile)]
            cells = "".join(f"<td>{cost_cell(costs[column]) if costs else ''}</td>" for costs in found)
            rows.append(f"<tr><td>{escape(pictures.name_of(request))}, depth {depth}</td>{cells}</tr>")
    return (f"<table><thead><tr><th>cost in µs, {percent_text(FIT_CONFIDENCE)} of windows of "
            f"{profile.windows_ms[column] / 1000:g} s</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")


def discard_table(profile: Profile) -> str:
    """Empty where they were not measured."""
    if not profile.discards:
        return ""
    sizes = sorted({size for rows in profile.discards.values() for size in rows})
    head = "".join(f"<th>{size_text(size)}</th>" for size in sizes)
    rows = "".join(f"<tr><td>discard {order}</td>" + "".join(f"<td>{cost_cell(found.get(size))}</td>" for size in sizes)
                   + "</tr>" for order, found in sorted(profile.discards.items()))
    return (f"<table><thead><tr><th>cost in µs, on average</th>{head}</tr></thead><tbody>{rows}</tbody></table>")


def doubts(profile: Profile) -> str:
    """What had not settled."""
    said = unsettled.sentences(profile)
    if not said:
        return ""
    first, *lines, last = map(escape, said)
    return (f'<h2>Not settled</h2><p class="broken">{first} {last}</p><pre>' + "\n".join(line.strip() for line in lines)
            + "</pre>")


def images(profile: Profile, counted: dict[Cell, Series]) -> list[str]:
    depth = max(pictures.depths(profile))
    made = [image(pictures.throughput(profile, size, depth), f"Reservable throughput, {size_text(size)}",
                  f"Requests of {size_text(size)}: what can be promised if it is averaged over a window, and "
                  "has to be reached in so many of the windows. At nought nothing can be promised.")
            for size in (pictures.sizes(profile)[0], pictures.sizes(profile)[-1])]
    made.append(image(pictures.cost(profile, depth), "Cost of a request by window",
                      "Device time that a promise has to count for a request, by size: solid for 99.9 % of "
                      "windows, dashed for 90 %. Where a line begins late, shorter windows saw no request."))
    if cells := pictures.worst_cells(counted):
        made.append(image(pictures.over_time(counted, cells), "Throughput over time",
                          "What was counted: the distributions above are of these curves."))
    made.append(image(pictures.models(profile), "Cost by size, and models",
                      "Cost by size (99 % of windows of 1 s, or longer where nothing can be promised), and two "
                      "models of it at the greatest depth: base plus a part for each KiB, or the greater of the two."))
    if profile.mix:
        made.append(image(pictures.mix(profile), "Mixed loads",
                          "Reads and writes together, against the sum of what each costs alone."))
    plt.close("all")
    return made


def write(profile: Profile, counted: dict[Cell, Series]) -> str:
    drawn = images(profile, counted)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>dm-ssdqos: profile of a drive</title>
<style>{STYLE}</style></head><body>
<h1>Profile of {escape(profile.meta.get("model", "a drive"))}</h1>
<p>The longer the window over which throughput is averaged, and the fewer windows have to reach it, the more
can be promised.</p>
{"".join(drawn[:3])}
<h2>Costs</h2>{cost_table(profile)}{discard_table(profile)}
{"".join(drawn[3:])}
{doubts(profile)}
<h2>Conditions</h2>{meta_table(profile)}
</body></html>
"""
