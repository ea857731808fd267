# SPDX-License-Identifier: GPL-2.0
"""What mapped devices say in sysfs, for all that needs nothing beside Python."""

from __future__ import annotations

from pathlib import Path


def pairs(text: str) -> dict[str, str]:
    """The words key=value of a text."""
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def node_name(device: str, mapper: Path) -> str:
    """dm-N of a device by its name, its path or itself."""
    path = Path(device)
    node = path if path.is_absolute() else mapper / device
    return node.resolve().name if node.exists() else path.name
