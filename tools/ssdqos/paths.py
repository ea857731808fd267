# SPDX-License-Identifier: GPL-2.0
"""Where things are in the checkout."""

from __future__ import annotations

import os
from pathlib import Path

TOP_DIR = Path(__file__).resolve().parents[2]
BUILD_DIR = Path(os.environ.get("SSDQOS_BUILD") or TOP_DIR / "build")
SIMULATOR = Path(os.environ.get("SSDQOS_SIM") or BUILD_DIR / "sim" / "ssdqos-sim")
VM = TOP_DIR / "tests" / "vm" / "vm"
GUEST_DIR = TOP_DIR / "tests" / "demo"


def shown(path: Path) -> str:
    """The path as a user in the checkout would write it."""
    return str(path.relative_to(TOP_DIR)) if path.is_relative_to(TOP_DIR) else str(path)
