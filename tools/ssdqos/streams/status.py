# SPDX-License-Identifier: GPL-2.0
"""What a stream says about itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ssdqos import promise_view
from ssdqos.errors import ToolError
from ssdqos.lifetime.place import Place
from ssdqos.streams.dmsetup import TARGET, Dmsetup
from ssdqos.sysfs import pairs


@dataclass(frozen=True)
class Status:
    """A line of `dmsetup status`, its words by key."""

    name: str
    start: int
    words: dict[str, str]

    @property
    def drive(self) -> str:
        return self.words.get("drive", "")

    def number(self, key: str) -> float:
        try:
            return float(self.words.get(key, "0"))
        except ValueError:
            return 0.0


def parse(name: str, line: str) -> Status:
    words = line.split()
    if len(words) < 4 or words[2] != TARGET:
        raise ToolError(f"{name} is no stream: {line!r}")
    return Status(name, int(words[0]), pairs(line))


def read(dmsetup: Dmsetup, name: str) -> list[Status]:
    """Of each segment that is a stream."""
    lines = [line for line in dmsetup.status(name) if len(line.split()) > 2 and line.split()[2] == TARGET]
    if not lines:
        raise ToolError(f"{name} is no live device of target {TARGET}")
    return [parse(name, line) for line in lines]


def read_all(dmsetup: Dmsetup) -> list[Status]:
    return [status for name in sorted(dmsetup.names()) for status in read(dmsetup, name)]


def of_promises(statuses: list[Status], where: Place) -> list[Status]:
    """The same, with the terms of promises, which sysfs alone has in full, and whether they are kept."""
    places = [where.stream(one.name, one.start) for one in statuses]
    return [replace(one, words=one.words | promise_view.words(path, one.words)) if path else one
            for one, path in zip(statuses, places)]
