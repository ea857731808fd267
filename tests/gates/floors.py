# SPDX-License-Identifier: GPL-2.0
"""Who calls whom: a file calls its own folder and lower ones, and nobody in a circle.

What a file calls is seen in its object: the symbols that it needs, and who has them.  Up goes a call by
a pointer only, a row of operations, say.
"""
from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

# Floors of the emulated drive, from the lowest up: each stands on all below it.
FLASH = ("core/flash/media", "core/flash/space", "core/flash/sched", "core/flash/tasks", "core/flash/life", "core/flash")

# Which folders a folder stands on, besides itself.
FLOORS: dict[str, tuple[str, ...]] = {
    "core": (),
    "core/engine": ("core",),
    "core/trim": ("core", "core/engine"),
    **{floor: ("core", "core/engine", *FLASH[:number]) for number, floor in enumerate(FLASH)},
    "core/qos": ("core", "core/engine"),
    "core/mirror": ("core", "core/engine"),
    "target": ("core", "core/engine", "core/trim", *FLASH, "core/qos", "core/mirror"),
}

# Files that were in a circle when this came.  One that has left goes from here, and none joins.
IN_CIRCLES = {
    "target/qos_io", "target/qos_life", "target/qos_meta", "target/qos_trim",
}

# Types of symbols that others can use, as nm has them.
HAS, NEEDS = "TDBRVWC", "U"

Calls = dict[str, dict[str, list[str]]]


def symbols(path: Path) -> Iterator[tuple[str, str]]:
    """Type and name."""
    done = subprocess.run(["nm", path], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        yield tuple(line.split()[-2:])


def calls(objects: dict[str, Path]) -> Calls:
    """Of each file, the others that it calls, and by what."""
    needs: dict[str, list[str]] = {name: [] for name in objects}
    owner = {}
    for name, path in objects.items():
        for kind, symbol in symbols(path):
            if kind in HAS:
                owner[symbol] = name
            elif kind in NEEDS:
                needs[name].append(symbol)
    found: Calls = {name: {} for name in objects}
    for name, wanted in needs.items():
        for symbol in sorted(wanted):
            if owner.get(symbol, name) != name:
                found[name].setdefault(owner[symbol], []).append(symbol)
    return found


def folder(name: str) -> str:
    return name.rpartition("/")[0]


def upwards(found: Calls, floors: dict[str, tuple[str, ...]]) -> Iterator[str]:
    for name, called in sorted(found.items()):
        for other, what in sorted(called.items()):
            if folder(other) not in (folder(name), *floors.get(folder(name), ())):
                yield f"{name} calls {other}, and {folder(name)} does not stand on {folder(other)}: {', '.join(what)}"


def reached(found: Calls, name: str) -> set[str]:
    """All that a file calls, and what those call."""
    seen: set[str] = set()
    ahead = [name]
    while ahead:
        for other in found[ahead.pop()]:
            if other not in seen:
                seen.add(other)
                ahead.append(other)
    return seen


def circles(found: Calls) -> dict[str, set[str]]:
    """Of each file that is in one, those that are in it, too."""
    all_of = {name: reached(found, name) for name in found}
    return {name: {other for other in ahead if name in all_of[other]}
            for name, ahead in all_of.items() if name in ahead}


def offences(objects: dict[str, Path], floors: dict[str, tuple[str, ...]] | None = None,
             known: Iterable[str] = IN_CIRCLES) -> Iterator[str]:
    """A line for each pair of files that must not be, and for each file that left its circle."""
    found = calls(objects)
    yield from upwards(found, FLOORS if floors is None else floors)
    known = {name for name in known if name in objects}
    rings = circles(found)
    for name, ring in sorted(rings.items()):
        for other in sorted(ring & set(found[name])):
            if not {name, other} <= known:
                yield f"{name} calls {other}, which comes back to it: {', '.join(found[name][other])}"
    for name in sorted(known - set(rings)):
        yield f"{name} has left its circle: take it off the list IN_CIRCLES"
