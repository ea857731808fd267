# SPDX-License-Identifier: GPL-2.0
"""What the virtual machine's image lacks for a file system: the program that makes one, and the kernel's modules."""

from __future__ import annotations

import sys
from pathlib import Path

from lib.errors import RunError
from lib.simulator import ROOT

sys.path.append(str(ROOT / "tests/vm"))

from harness import image, kernel  # noqa: E402  (after the path that it is found on)

# Which algorithms it asks the kernel for when it is mounted; later kernels have them elsewhere.
ALGORITHMS = {"ext4": (), "xfs": (), "btrfs": (), "f2fs": ("crc32_generic",)}
# The image has these.
THERE = ("ext4",)


def in_order(index: kernel.ModuleIndex, names: tuple[str, ...]) -> list[str]:
    """The modules and what they need, each behind what it needs."""
    found: list[str] = []
    for name in names:
        # depmod lists what has to be loaded last first
        found += [each for each in (*reversed(index.needs[name]), name) if each not in found]
    return found


def modules(system: str, kernel_name: str) -> list[str]:
    """Those to load, in this order; none where the image has them or the kernel has it built in."""
    if system in THERE:
        return []
    index = kernel.ModuleIndex(kernel.fetch(kernel_name))
    if index.missing([system]):
        raise RunError(f"kernel {kernel_name} has no file system {system}")
    return in_order(index, tuple(name for name in (*ALGORITHMS[system], system) if name in index.paths))


def options(system: str, kernel_name: str, directory: Path) -> tuple[str, ...]:
    """Of tests/vm/vm, so that both are in the guest; modules are written below the directory."""
    if system in THERE:
        return ()
    directory.mkdir(parents=True, exist_ok=True)
    program = f"mkfs.{system}"
    try:
        words = ["--include", f"{image.find_tool(program)}:/usr/bin/{program}"]
        index = kernel.ModuleIndex(kernel.fetch(kernel_name))
        for name in modules(system, kernel_name):
            path = directory / f"{name}-{kernel_name}.ko"
            path.write_bytes(index.content(name))
            words += ["--include", f"{path}:/tests/{name}.ko"]
    except kernel.HarnessError as error:
        raise RunError(f"{system}: {error}") from error
    return tuple(words)
