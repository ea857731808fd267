# SPDX-License-Identifier: GPL-2.0
"""Finished cells on disk: what was measured survives an interruption."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ssdqos import whole_file
from ssdqos.errors import ToolError
from ssdqos.profiler import cell as cells
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.series import Series

CONDITIONS = "conditions.json"
LOCK = "lock"
SUFFIX = ".cell.json"
DISCARD_SUFFIX = ".discard.json"


@dataclass(frozen=True)
class Checkpoint:
    """A directory with a file for each finished cell, and one with the conditions of all."""

    path: Path

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Raises ToolError if somebody else measures into it: two would load one drive, and take each other's counts."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            held = (self.path / LOCK).open("w")
        except OSError as error:
            raise ToolError(f"{self.path} cannot be made: {error}") from error
        with held as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ToolError(f"{self.path} is being filled by another ssdqos profile: let it end, or take another "
                                "directory (--checkpoint)") from error
            yield

    def begin(self, conditions: dict[str, str]) -> None:
        """Raises ToolError if what is there was measured under other conditions."""
        file = self.path / CONDITIONS
        if not file.exists():
            self.write(CONDITIONS, conditions)
            return
        before = json.loads(file.read_text())
        for key in sorted(before.keys() | conditions.keys()):
            if before.get(key) != conditions.get(key):
                raise ToolError(f"{self.path} has cells that were measured with {key} {before.get(key)}, not "
                                f"{conditions.get(key)}: remove it or take another directory")

    def write(self, name: str, content: dict) -> None:
        whole_file.replace(self.path / name, json.dumps(content))

    def save(self, cell: Cell, counts: Series) -> None:
        self.write(cell.name + SUFFIX, {"cell": cell.name, "reads": counts.reads, "writes": counts.writes})

    def save_discard(self, cell: Cell, ns: int) -> None:
        self.write(cell.name + DISCARD_SUFFIX, {"cell": cell.name, "ns": ns})

    def mark(self, name: str) -> None:
        """A step that leaves no counts was done."""
        self.write(f"{name}.done", {})

    def is_marked(self, name: str) -> bool:
        return (self.path / f"{name}.done").exists()

    def load(self) -> dict[Cell, Series]:
        return self.contents(SUFFIX, lambda content: Series(content["reads"], content["writes"]))

    def load_discards(self) -> dict[Cell, int]:
        """In ns."""
        return self.contents(DISCARD_SUFFIX, lambda content: int(content["ns"]))

    def contents(self, suffix: str, made_of: Callable[[dict], Any]) -> dict[Cell, Any]:
        """Of all files of a kind."""
        made = {}
        for path in sorted(self.path.glob(f"*{suffix}")):
            try:
                content = json.loads(path.read_text())
                made[cells.parse(content["cell"])] = made_of(content)
            except (ValueError, KeyError) as error:
                raise ToolError(f"{path} is damaged, remove it: {error}") from error
        return made
