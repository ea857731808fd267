# SPDX-License-Identifier: GPL-2.0
"""The report: one HTML file that needs nothing else, for light and dark screens."""

from __future__ import annotations

from ssdqos.demo.part import Part
from ssdqos.demo.picture import Picture
from ssdqos.demo.table import Table
from ssdqos.page import escape

STYLE = """
:root { color-scheme: light dark; --ink: #222; --soft: #555; --page: #fff; --lines: #ddd; --box: #f4f4f4 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e4; --soft: #aaa; --page: #16181b; --lines: #3a3d42; --box: #22252a } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: var(--ink); background: var(--page) }
h1 { font-size: 1.7rem } h2 { font-size: 1.3rem; margin-top: 3rem } h3 { font-size: 1rem; margin-top: 2rem }
figure { margin: 1.2rem 0 } figure svg { width: 100%; height: auto } figcaption { color: var(--soft); font-size: .92rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
td, th { padding: .2rem .8rem; text-align: right } td:first-child, th:first-child { text-align: left; white-space: pre }
thead th { border-bottom: 2px solid var(--ink) } tr.heading td { font-weight: bold; padding-top: .7rem }
ul { padding-left: 1.2rem } li { margin: .3rem 0 } p.wrong { border-left: 4px solid #D55E00; padding-left: .8rem }
pre { background: var(--box); padding: .6rem .8rem; margin: .4rem 0; font-size: .85rem;
      white-space: pre-wrap; overflow-wrap: anywhere }
"""
ALL_COMMAND = "./run demo"


def figure(picture: Picture) -> str:
    """Screen readers hear its text, and nothing of what is inside."""
    return (f'<figure><div role="img" aria-label="{escape(picture.alt)}">{picture.svg()}</div>'
            f"<figcaption>{escape(picture.caption)}</figcaption></figure>")


def table(made: Table) -> str:
    rows = []
    for name, *cells in made.rows:
        if cells:
            columns = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            rows.append(f"<tr><td>{escape(name)}</td>{columns}</tr>")
        else:
            rows.append(f'<tr class="heading"><td colspan="{len(made.columns) + 1}">{escape(name)}</td></tr>')
    head = "".join(f"<th>{escape(column)}</th>" for column in made.columns)
    notes = "".join(f"<li>{escape(note)}</li>" for note in made.notes)
    return (f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
            f"<ul>{notes}</ul>")


def part_command(part: Part) -> str:
    return f"make demo-{part.NAME}"


def section(part: Part, found: dict, tables: list[Table], pictures: list[Picture]) -> str:
    wrong = part.wrong(found)
    notes = "".join(f"<li>{escape(note)}</li>" for note in part.notes(found))
    commands = "".join(f"<pre>{escape(command)}</pre>" for command in [part_command(part), *found["commands"]])
    return f"""<h2 id="{part.NAME}">{escape(part.TITLE)}</h2>
<p>{escape(part.ABOUT)}</p>
{f'<p class="wrong">Not as it should be: {escape(wrong)}.</p>' if wrong else ''}
{''.join(map(figure, pictures))}
{''.join(map(table, tables))}
<ul>{notes}</ul>
<h3>To make it again</h3>
<p>All of it, or the single steps:</p>
{commands}"""


def write(sections: list[str]) -> str:
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>dm-ssdqos: what it is good for</title>
<style>{STYLE}</style></head><body>
<h1>Predictable SSDs on Linux</h1>
<p>Everything here was measured when this page was made: in Linux, in a virtual machine whose clock counts
instructions, so that figures do not depend on how fast or how busy the host is, and in the simulator, which is built
from the same source. To make all of it again:</p>
<pre>{escape(ALL_COMMAND)}</pre>
{''.join(sections)}
<p>All figures are in result.json, everything that was recorded is in data/.</p>
</body></html>
"""
