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
DONE = ".done"
# Conditions that older versions did not keep: what they have measured goes on being used.
LATER = ("warm_up_s", "cell_most_s", "drive")
# A cell may get longer later on.
GROWS = "cell_most_s"
# What a drive was filled by.
FILLED = ("device", "range", "drive")


def is_less(old: str | None, new: str | None) -> bool:
    return bool(old and new and old.isdecimal() and new.isdecimal() and int(old) < int(new))


def counts(content: Any) -> list[int]:
    """Raises ValueError if it is none of a cell."""
    if not isinstance(content, list) or not all(isinstance(count, int) and count >= 0 for count in content):
        raise ValueError("no list of counts")
    return content


def series(content: dict) -> Series:
    made = Series(counts(content["reads"]), counts(content["writes"]))
    if len(made.reads) != len(made.writes):
        raise ValueError("more of one kind than of the other")
    return made


@dataclass(frozen=True)
class Checkpoint:
    """A directory with a file for each finished cell, and one with the conditions of all."""

    path: Path

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Raises ToolError if somebody else measures into it: two would load one drive, and take each other's counts."""
        try:
            self.path.mkdir(exist_ok=True)
            held = (self.path / LOCK).open("w")
        except OSError as error:
            raise ToolError(f"{self.path} cannot be made: {error.strerror}") from error
        with held as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ToolError(f"{self.path} is being filled by another ssdqos profile: let it end, or take another "
                                "directory (--checkpoint)") from error
            yield

    def check(self, conditions: dict[str, str]) -> None:
        """Raises ToolError if nothing could be kept there, or what is there is of other conditions; makes nothing."""
        if self.path.exists() and not self.path.is_dir():
            raise ToolError(f"{self.path}, where cells would be kept, is no directory: remove it, or take another one "
                            "(--checkpoint)")
        whole_file.check(self.path / CONDITIONS if self.path.is_dir() else self.path)
        if self.path.is_dir() and not self.is_new():
            self.compare(conditions)

    def is_new(self) -> bool:
        """No cell is there."""
        return not any(path.name.endswith((SUFFIX, DISCARD_SUFFIX)) for path in self.path.iterdir())

    def begin(self, conditions: dict[str, str]) -> bool:
        """Whether nothing was measured yet: then it is under these conditions.

        Raises ToolError if what is there was measured under others.
        """
        is_new = self.is_new()
        if is_new:
            self.forget_filling(conditions)
        else:
            self.compare(conditions)
        self.write(CONDITIONS, conditions)
        return is_new

    def conditions(self) -> dict[str, str]:
        """Of what is there; without a cell they say nothing, and may be damaged."""
        try:
            made = json.loads((self.path / CONDITIONS).read_text())
            if not isinstance(made, dict):
                raise ValueError("no object")
        except (OSError, ValueError) as error:
            if self.is_new():
                return {}
            raise ToolError(f"{self.path / CONDITIONS}, which says how the cells beside it were measured, is not there or "
                            f"damaged: remove {self.path} or take another directory (--checkpoint)") from error
        return made

    def compare(self, conditions: dict[str, str]) -> None:
        """Raises ToolError where cells would be taken as equal that are not."""
        before = self.conditions()
        for key in dict.fromkeys((*conditions, *before)):
            old, new = before.get(key), conditions.get(key)
            if old == new or (old is None and key in LATER) or (key == GROWS and is_less(old, new)):
                continue
            raise ToolError(f"{self.path} has cells that were measured with {key} {old}, not {new}: remove it or take "
                            "another directory (--checkpoint)")

    def forget_filling(self, conditions: dict[str, str]) -> None:
        """A drive that was filled stays so, whatever the cells are to be; another one was not."""
        before = self.conditions()
        if any(before.get(key, "") != conditions.get(key, "") for key in FILLED):
            for path in self.path.glob(f"*{DONE}"):
                path.unlink()

    def write(self, name: str, content: dict) -> None:
        whole_file.replace(self.path / name, json.dumps(content))

    def save(self, cell: Cell, counts: Series) -> None:
        self.write(cell.name + SUFFIX, {"cell": cell.name, "reads": counts.reads, "writes": counts.writes})

    def save_discard(self, cell: Cell, ns: int) -> None:
        self.write(cell.name + DISCARD_SUFFIX, {"cell": cell.name, "ns": ns})

    def mark(self, name: str) -> None:
        """A step that leaves no counts was done."""
        self.write(f"{name}{DONE}", {})

    def is_marked(self, name: str) -> bool:
        return (self.path / f"{name}{DONE}").exists()

    def load(self) -> dict[Cell, Series]:
        return self.contents(SUFFIX, series)

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
            except (ValueError, KeyError, TypeError, ToolError) as error:
                raise ToolError(f"{path} is damaged, remove it: {error}") from error
        return made
