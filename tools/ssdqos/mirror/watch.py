# SPDX-License-Identifier: GPL-2.0
"""Mirrors as `ssdqos top` shows them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.mirror import live, view
from ssdqos.mirror.line import TARGET
from ssdqos.mirror.view import Mirror
from ssdqos.streams.dmsetup import Dmsetup


@dataclass(frozen=True)
class Look:
    """All mirrors at one moment, in seconds."""

    at_s: float
    mirrors: dict[str, Mirror]


def names(device: str | None) -> list[str]:
    """Of all mirrors, or of the one that is named; none for who may not ask."""
    try:
        found = sorted(Dmsetup().names(TARGET))
    except ToolError:
        return []
    return [name for name in found if device is None or Path(device).name == name]


def read(wanted: list[str]) -> Look:
    """One that has gone meanwhile is left out."""
    dmsetup = Dmsetup()
    found = {}
    for name in wanted:
        try:
            found[name] = live.read(dmsetup, name).mirror
        except ToolError:
            continue
    return Look(time.monotonic(), found)


def lines(looks: list[Look]) -> list[str]:
    now, before = looks[-1], looks[max(len(looks) - 2, 0)]
    return [line for name, mirror in now.mirrors.items()
            for line in view.lines(name, mirror, before.mirrors.get(name, mirror), now.at_s - before.at_s)]


def once(look: Look) -> list[str]:
    """key=value; a line mirror=NAME begins each."""
    return [line for name, mirror in look.mirrors.items()
            for line in (f"mirror={name}", *(f"{key}={value}" for key, value in mirror.words.items()))]
