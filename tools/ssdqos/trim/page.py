# SPDX-License-Identifier: GPL-2.0
"""Draws a measurement of discards: one HTML file that needs nothing else."""

from __future__ import annotations

from ssdqos.figures import plt
from ssdqos.page import STYLE, escape, image
from ssdqos.qos.units import bytes_text
from ssdqos.trim import pictures
from ssdqos.trim.measurement import Measurement
from ssdqos.trim.proposal import Proposal


def settings_table(made: Proposal) -> str:
    rows = "".join(f"<tr><td>{escape(one.key)}</td><td>{escape(one.value)}</td>"
                   f'<td style="text-align: left">{escape(one.why)}</td></tr>' for one in made.settings)
    return f"<table><thead><tr><th>parameter</th><th>value</th><th>why</th></tr></thead><tbody>{rows}</tbody></table>"


def conditions(found: Measurement) -> str:
    said = found.identity | {"range": f"{bytes_text(found.range_bytes)} from byte {found.offset_bytes} on",
                             "discard_granularity": bytes_text(found.limits.granularity_bytes),
                             "discard_max_bytes": bytes_text(found.limits.most_bytes)}
    return "<table>" + "".join(f"<tr><td>{escape(key)}</td><td>{escape(value)}</td></tr>"
                               for key, value in said.items()) + "</table>"


def write(found: Measurement, made: Proposal, name: str) -> str:
    drawn = [image(pictures.cost(found, made), "Cost of discards by size",
                   "Left: how long a discard takes. Right: how long a MiB takes in discards of that size; one that takes "
                   "longer than writing as much is not worth its time."),
             image(pictures.reads(found), "Reads beside discards", "Reads of 4 KiB, one at a time, of data that are "
                   "not discarded: what neighbours notice.")]
    plt.close("all")
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>dm-ssdqos: discards of a drive</title>
<style>{STYLE}</style></head><body>
<h1>Discards of {escape(found.identity.get("model", "a drive"))}</h1>
<h2>Proposal</h2>{settings_table(made)}
<pre>{escape(made.command(name))}</pre>
{"".join(drawn)}
<h2>Conditions</h2>{conditions(found)}
</body></html>
"""
