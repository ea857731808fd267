# SPDX-License-Identifier: GPL-2.0
"""Boots a kernel in a virtual machine whose clock counts instructions."""

from __future__ import annotations

from pathlib import Path

from ssdqos.demo.build import quietly
from ssdqos.paths import GUEST_DIR, VM, shown

GUEST_LIMIT_S = 300


def command(kernel: str, seed: int, memory_mb: int, out: Path, includes: dict[str, Path],
            scripts: list[str]) -> list[str]:
    words = [shown(VM), "run", "--kernel", kernel, "--virtual", "--seed", str(seed),
             "--mem", str(memory_mb), "--timeout", str(GUEST_LIMIT_S), "--out", shown(out)]
    for guest_path, path in includes.items():
        words += ["--include", f"{shown(path)}:{guest_path}"]
    return words + [shown(GUEST_DIR / f"{script}.sh") for script in scripts]


def boot(words: list[str], log: Path) -> None:
    quietly(words, log, "the virtual machine")
