# SPDX-License-Identifier: GPL-2.0
"""The documents: index.rst, tables.rst, edf.json and pictures."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

from lib import charts, rst

COMMAND = "./run campaign edf"
TITLES = {"profile": "Profiles (Figures 6, 7, 13)", "figures": "Figures 8, 10, 11, 12",
          "peers": "Beside io.max, iocost and BFQ", "isolation": "A greedy client",
          "cost": "Cost of a request", "storm": "A storm of changes", "database": "A database"}


def origin(name: str, found: dict) -> str:
    made = found["made"]
    return rst.command(f"{COMMAND}{made['options']} {name}    # {made['date']}, commit {made['commit']}, "
                       f"Linux {made['kernel']}, seed {made['seed']}")


def write_tables(results: dict, parts: dict[str, ModuleType], path: Path) -> None:
    pieces = [".. SPDX-License-Identifier: GPL-2.0\n",
              rst.heading("Guarantees on one drive: tables", "="),
              "Made by ``tests/campaign/edf``; all numbers are in `edf.json <edf.json>`_.\n"]
    for name, part in parts.items():
        if name in results:
            pieces += [rst.heading(TITLES[name], "-"), part.section(results[name]),
                       origin(name, results[name])]
    path.write_text(rst.page(*pieces))


def write(results: dict, parts: dict[str, ModuleType], directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "edf.json").write_text(json.dumps(results, indent=1) + "\n")
    write_tables(results, parts, directory / "tables.rst")
    if charts.available():
        for name, part in parts.items():
            if name in results:
                part.draw(results[name], directory)
