# SPDX-License-Identifier: GPL-2.0
"""The result of a replay as one table: for the terminal and for the report."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from rich.box import ASCII, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

NS_PER_US = 1000
PLAIN_WIDTH = 80


@dataclass(frozen=True)
class Line:
    """One figure of every run; a `section` begins where its name changes."""

    section: str
    name: str
    values: dict[str, float]  # by run
    digits: int


def us(latency_ns: float) -> float:
    return latency_ns / NS_PER_US


def lines(result: dict) -> list[Line]:
    runs = result["runs"]
    made = []
    for operation in ("read", "write"):
        for name in runs["kernel-fresh"]["latency_ns"][operation]:
            made.append(Line(f"{operation} latency, us", name, {
                key: us(run["latency_ns"][operation][name]) for key, run in runs.items()}, 1))
    for name, key, digits in (("WAF", "waf", 3), ("blocks collected", "gc_blocks", 0),
                              ("reads behind GC, %", "gc_blocked_read_pct", 2)):
        made.append(Line("drive", name,
                         {run: values[key] for run, values in runs.items()}, digits))
    return made


def difference(line: Line, drive: str) -> str:
    """How far the simulator is off, in percent of the kernel."""
    kernel, sim = line.values[f"kernel-{drive}"], line.values[f"sim-{drive}"]
    if kernel == sim:
        return "0"
    return f"{100 * (sim - kernel) / kernel:+.1f} %" if kernel else "-"


def columns() -> list[str]:
    return [f"{drive} {column}" for drive in ("fresh", "aged")
            for column in ("kernel", "sim", "diff")]


def cells(line: Line) -> list[str]:
    made = []
    for drive in ("fresh", "aged"):
        made += [f"{line.values[f'{world}-{drive}']:,.{line.digits}f}" for world in ("kernel", "sim")]
        made.append(difference(line, drive))
    return made


def show(result: dict) -> None:
    """Prints the table; plain text where the output is not a terminal."""
    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else PLAIN_WIDTH, highlight=False)
    table = Table(box=SIMPLE_HEAD if terminal else ASCII, show_edge=False, pad_edge=False)
    table.add_column("", no_wrap=True)
    for column in columns():
        drive, world = column.split()
        table.add_column(f"{drive}\n{world}", justify="right",
                         style="dim" if world == "diff" else None, no_wrap=True)
    section = ""
    for line in lines(result):
        if line.section != section:
            section = line.section
            table.add_row(f"[bold]{section}[/bold]")
        table.add_row("  " + line.name, *cells(line))
    console.print(table)
