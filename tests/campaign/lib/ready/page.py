# SPDX-License-Identifier: GPL-2.0
"""The documents: tables.rst, ready.json and pictures; index.rst is written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

from lib import charts, rst

COMMAND = "./run campaign ready"


def origin(name: str, found: dict) -> str:
    made = found["made"]
    return rst.command(f"{COMMAND}{made['options']} {name}    # {made['date']}, "
                       f"commit {made['commit']}, seed {made['seed']}")


def goals(results: dict, parts: dict[str, ModuleType]) -> str:
    rows = [row for name, part in parts.items() if name in results
            for row in part.goals(results[name])]
    return rst.table(["goal", "wanted", "measured", ""], rows) if rows else ""


def write_tables(results: dict, parts: dict[str, ModuleType], path: Path) -> None:
    pieces = [".. SPDX-License-Identifier: GPL-2.0\n",
              rst.heading("A drive that lasts as long as promised: tables", "="),
              "Made by ``tests/campaign/ready``; all numbers are in `ready.json <ready.json>`_.\n",
              rst.heading("Goals", "-"), goals(results, parts)]
    for name, part in parts.items():
        if name in results:
            pieces += [rst.heading(part.TITLE, "-"), part.section(results[name]),
                       origin(name, results[name])]
    path.write_text(rst.page(*pieces))


def write(results: dict, parts: dict[str, ModuleType], directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "ready.json").write_text(json.dumps(results, indent=1) + "\n")
    write_tables(results, parts, directory / "tables.rst")
    if charts.available():
        for name, part in parts.items():
            if name in results:
                part.draw(results[name], directory)
