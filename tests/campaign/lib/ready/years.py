# SPDX-License-Identifier: GPL-2.0
"""Part `years`: whole lives in the simulator (Tables 8 to 10, Figures 39 to 43)."""

from __future__ import annotations

from pathlib import Path

from lib.ready.work import Work

TITLE = "Five years in the simulator"


def measure(work: Work) -> dict:
    return {}


def section(result: dict) -> str:
    return ""


def draw(result: dict, directory: Path) -> None:
    """Nothing yet."""


def goals(result: dict) -> list[tuple[str, str, str, str]]:
    return []
