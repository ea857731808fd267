# SPDX-License-Identifier: GPL-2.0
"""What the virtual machine's image lacks for XFS: the program that makes one, and the kernel's module."""

from __future__ import annotations

import sys
from pathlib import Path

from lib.errors import RunError
from lib.simulator import ROOT

sys.path.append(str(ROOT / "tests/vm"))

from harness import image, kernel  # noqa: E402  (after the path that it is found on)

PROGRAM = "mkfs.xfs"
MODULE = "xfs"


def options(kernel_name: str, directory: Path) -> tuple[str, ...]:
    """Of tests/vm/vm, so that both are in the guest; the module is written below the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    module = directory / f"{MODULE}-{kernel_name}.ko"
    try:
        program = image.find_tool(PROGRAM)
        module.write_bytes(kernel.ModuleIndex(kernel.fetch(kernel_name)).content(MODULE))
    except kernel.HarnessError as error:
        raise RunError(f"XFS: {error}") from error
    return "--include", f"{program}:/usr/bin/{PROGRAM}", "--include", f"{module}:/tests/{MODULE}.ko"
