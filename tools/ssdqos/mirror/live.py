# SPDX-License-Identifier: GPL-2.0
"""Mirrors that are there: their table line and their status."""

from __future__ import annotations

from dataclasses import dataclass

from ssdqos.errors import ToolError
from ssdqos.mirror import line
from ssdqos.mirror.line import TARGET, Line
from ssdqos.mirror.view import Mirror
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.sysfs import pairs


@dataclass(frozen=True)
class Live:
    """A mirror at one moment."""

    name: str
    line: Line
    mirror: Mirror

    def check_member(self, number: int) -> None:
        if number not in self.mirror.members():
            raise ToolError(f"{self.name} has no member {number}, they are 0 to {self.mirror['members'] - 1}")

    def check_can_rest(self) -> None:
        if self.mirror["broken"] or self.mirror["meta_failed"]:
            raise ToolError(f"{self.name} cannot rest: {self.mirror.troubles()[0]}")


def only(name: str, lines: list[str]) -> str:
    """The line of a device that is one mirror."""
    if len(lines) != 1 or lines[0].split()[2:3] != [TARGET]:
        raise ToolError(f"{name} is no mirror: its table has no line of target {TARGET}, or others beside it")
    return lines[0]


def table(dmsetup: Dmsetup, name: str) -> Line:
    return line.parse(only(name, dmsetup.table(name)))


def read(dmsetup: Dmsetup, name: str) -> Live:
    try:
        lines, told = dmsetup.table(name), dmsetup.status(name)
    except ToolError as error:
        raise ToolError(f"{name} cannot be asked: {error}") from error
    return Live(name, line.parse(only(name, lines)), Mirror(pairs(only(name, told))))


def read_all(dmsetup: Dmsetup) -> list[Live]:
    """A device of which a mirror is a part only is none of ours."""
    return [read(dmsetup, name) for name in sorted(dmsetup.names(TARGET)) if len(dmsetup.table(name)) == 1]
