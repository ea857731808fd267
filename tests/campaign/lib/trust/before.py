# SPDX-License-Identifier: GPL-2.0
"""Part `before`: the same with an older module, of ssdqos only."""

from __future__ import annotations

from pathlib import Path

from lib import rst
from lib.machine import Job
from lib.trust import neighbours

TITLE = "Before urgent requests had an account"
SIDES = ("ssdqos",)

read = neighbours.read


def jobs(seed: int, quick: bool) -> list[Job]:
    return [neighbours.job(name, SIDES, seed, quick) for name in neighbours.NEIGHBOURS]


def section(result: dict) -> str:
    rows = result["rows"]
    seeds = sorted({row["seed"] for row in rows})
    return rst.page(neighbours.promise_text(), *(neighbours.seed_text(rows, seed) for seed in seeds),
                    neighbours.kernel_text(rows))


def draw(result: dict, directory: Path) -> None:
    """The table says it all."""
