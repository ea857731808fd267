# SPDX-License-Identifier: GPL-2.0
"""What was found, as a page, as one JSON file, and as tables in the terminal."""

from __future__ import annotations

import json
from pathlib import Path

from ssdqos.demo import page, table
from ssdqos.demo.part import Part
from ssdqos.errors import ToolError

PNG_DPI = 110


def data(out: Path) -> Path:
    return out / "data"


def kept(part: Part, out: Path) -> Path:
    return data(out) / f"{part.NAME}.json"


def load(parts: tuple[Part, ...], out: Path) -> dict[str, dict]:
    """Of all parts that were made, what they have found."""
    found = {part.NAME: json.loads(kept(part, out).read_text()) for part in parts if kept(part, out).exists()}
    if not found:
        raise ToolError(f"{out} has no results: nothing to report")
    return found


def write(parts: tuple[Part, ...], out: Path, png: bool = False) -> Path:
    """Shows the tables; returns the page's path."""
    found = load(parts, out)
    (out / "result.json").write_text(json.dumps(found, indent=1) + "\n")
    sections = []
    for part in parts:
        if part.NAME not in found:
            continue
        mine = found[part.NAME]
        pictures = part.pictures(mine, data(out))
        for picture in pictures if png else []:
            picture.figure.savefig(out / f"{picture.name}.png", dpi=PNG_DPI)
        tables = part.tables(mine)
        for each in tables:
            table.show(each)
        sections.append(page.section(part, mine, tables, pictures))
        for picture in pictures:
            picture.close()
    path = out / "report.html"
    path.write_text(page.write(sections))
    return path
