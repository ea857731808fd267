# SPDX-License-Identifier: GPL-2.0
"""Which parts of tools/ stand on which: of the simulator by symbols, of the tool by imports.

A floor is a folder, or one file of it that stands lower, or higher, than the rest.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import floors

# Parts of the simulator that all others stand on, each of them on those before it; and a drive to simulate.
SIM_BASE = ("sim/platform", "sim/common", "sim/random", "sim/load")
SIM_DRIVE = (*SIM_BASE, "sim/flash")

SIMULATOR: dict[str, tuple[str, ...]] = {
    **{folder: SIM_BASE[:number] for number, folder in enumerate(SIM_BASE)},
    "sim/convert": SIM_BASE,
    "sim/flash": SIM_BASE,
    "sim/life": SIM_DRIVE,
    "sim/limits": SIM_DRIVE,
    "sim/mirror": SIM_DRIVE,
    "sim/qos": (*SIM_DRIVE, "sim/mirror"),
    "sim": (*SIM_DRIVE, "sim/convert", "sim/life", "sim/limits", "sim/mirror", "sim/qos"),
}

# What all parts of the tool stand on, and what a part may know of a drive's life that is saved.
BASE = ("ssdqos/errors", "ssdqos/bounds", "ssdqos/figures", "ssdqos/page", "ssdqos/paths", "ssdqos/sysfs", "ssdqos/device",
        "ssdqos/whole_file", "ssdqos/life_view", "ssdqos/miss_view", "ssdqos/trim_view", "ssdqos/promise_view",
        "ssdqos/standard_output")
LIFE = ("ssdqos/lifetime/state", "ssdqos/lifetime/place")
# Commands that other commands call.
STREAM = ("ssdqos/create", "ssdqos/remove")
FORECAST = ("ssdqos/forecast", "ssdqos/stream_view")
# Commands of more than one word.
GROUP = ("ssdqos/actions",)

TOOL: dict[str, tuple[str, ...]] = {
    **{name: BASE for name in BASE},
    **{name: (*BASE, *LIFE) for name in LIFE},
    "ssdqos/actions": BASE,
    "ssdqos/qos": BASE,
    "ssdqos/smart": BASE,
    "ssdqos/streams": (*BASE, *LIFE, "ssdqos/qos"),
    "ssdqos/lifetime": (*BASE, *LIFE, "ssdqos/streams"),
    **{name: (*BASE, *LIFE, "ssdqos/qos", "ssdqos/streams", "ssdqos/lifetime") for name in STREAM},
    **{name: (*BASE, *LIFE, *FORECAST, "ssdqos/streams", "ssdqos/lifetime") for name in FORECAST},
    "ssdqos/trim": (*BASE, *GROUP, *FORECAST, "ssdqos/qos", "ssdqos/streams"),
    "ssdqos/profiler": (*BASE, "ssdqos/qos", "ssdqos/trim"),
    "ssdqos/mirror": (*BASE, *LIFE, *GROUP, *STREAM, "ssdqos/qos", "ssdqos/streams", "ssdqos/profiler"),
    "ssdqos": (*BASE, *LIFE, *GROUP, *STREAM, *FORECAST, "ssdqos/qos", "ssdqos/smart", "ssdqos/streams",
               "ssdqos/lifetime", "ssdqos/trim", "ssdqos/profiler", "ssdqos/mirror"),
    "ssdqos/demo": BASE,
}


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Module, and the name that is taken from it, which may be a module, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def imports(top: Path, package: str) -> floors.Calls:
    """Of each file of a package below a folder, the others that it imports, and what of them."""
    files = {str(path.relative_to(top).with_suffix("")): path for path in sorted((top / package).rglob("*.py"))}
    found: floors.Calls = {name: {} for name in files}
    for name, path in files.items():
        for module, what in imported(ast.parse(path.read_text())):
            place = module.replace(".", "/")
            for other in (f"{place}/{what}", f"{place}/{what}/__init__", place, f"{place}/__init__"):
                if other in files:
                    if other != name:
                        found[name].setdefault(other, []).append(what or module)
                    break
    return found
