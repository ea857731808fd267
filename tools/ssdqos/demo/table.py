# SPDX-License-Identifier: GPL-2.0
"""Figures as a table: for the terminal and for the report."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from rich.box import ASCII, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable

PLAIN_WIDTH = 80


@dataclass(frozen=True)
class Table:
    """A row is a name and a cell for each column; one that has only a name is a heading.

    Without its notes, which are sentences, somebody would be misled."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def show(table: Table) -> None:
    """Prints it; plain text where the output is not a terminal."""
    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else PLAIN_WIDTH, highlight=False)
    made = RichTable(box=SIMPLE_HEAD if terminal else ASCII, show_edge=False, pad_edge=False)
    made.add_column("")
    for column in table.columns:
        made.add_column(column, justify="right")
    for name, *cells in table.rows:
        made.add_row(f"  {name}" if cells else f"[bold]{name}[/bold]", *cells)
    console.print(f"\n[bold]{table.title}[/bold]")
    console.print(made)
    for note in table.notes:
        console.print(note)
