# SPDX-License-Identifier: GPL-2.0
"""Who calls whom: a file calls its own folder and lower ones, and nobody in a circle.

What a file calls is seen in its object: the symbols that it needs, and who has them.  Up goes a call by
a pointer only, a row of operations, say.  Headers are included downwards, too.
"""
from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

# Floors of the emulated drive, from the lowest up: each stands on all below it.
FLASH = ("core/flash/media", "core/flash/space", "core/flash/sched", "core/flash/tasks", "core/flash/life", "core/flash")

# Which folders a folder stands on, besides itself.
FLOORS: dict[str, tuple[str, ...]] = {
    "core": (),
    "core/engine": ("core",),
    "core/trim": ("core", "core/engine"),
    **{floor: ("core", "core/engine", *FLASH[:number]) for number, floor in enumerate(FLASH)},
    "core/rules": ("core",),
    "core/qos": ("core", "core/engine", "core/trim", "core/rules"),
    "core/ready": ("core", "core/engine", "core/rules"),
    "core/mirror": ("core", "core/engine"),
    "dm/common": (),
    "dm/flash": ("core", "core/engine", *FLASH, "dm/common"),
    "dm/qos": ("core", "core/engine", "core/trim", "core/rules", "core/qos", "core/ready", "dm/common", "dm/flash"),
    "dm/ianus": ("core", "core/engine", "core/mirror", "dm/common"),
    "dm": ("dm/flash", "dm/qos", "dm/ianus"),
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


def included(path: Path, top: Path) -> Iterator[str]:
    """What is included, and is ours."""
    for what in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), re.M):
        for other in ((path.parent / what).resolve(), top / what):
            if other.is_relative_to(top) and other.exists():
                yield str(other.relative_to(top))
                break


def includes(top: Path, floors: dict[str, tuple[str, ...]]) -> Calls:
    """Of each file and header below a folder, those that it includes: of the floors, and not of a folder around it.

    Such a folder's headers say what it shares with the floors inside.
    """
    found: Calls = {}
    for path in sorted(top.rglob("*.[ch]")):
        name = str(path.relative_to(top))
        found[name] = {other: ["#include"] for other in included(path, top)
                       if floor(other, floors) in floors and not name.startswith(floor(other, floors) + "/")}
    return found


def floor(name: str, floors: dict[str, tuple[str, ...]]) -> str:
    """Where a file is: its folder, unless the table has the file itself."""
    return name if name in floors else name.rpartition("/")[0]


def upwards(found: Calls, floors: dict[str, tuple[str, ...]]) -> Iterator[str]:
    for name, called in sorted(found.items()):
        own = floor(name, floors)
        for other, what in sorted(called.items()):
            its = floor(other, floors)
            if its not in (own, *floors.get(own, ())):
                yield f"{name} calls {other}, and {own} does not stand on {its}: {', '.join(what)}"


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


def offences(found: Calls, floors: dict[str, tuple[str, ...]] | None = None) -> Iterator[str]:
    """A line for each pair of files that must not be."""
    yield from upwards(found, FLOORS if floors is None else floors)
    for name, ring in sorted(circles(found).items()):
        for other in sorted(ring & set(found[name])):
            yield f"{name} calls {other}, which comes back to it: {', '.join(found[name][other])}"
