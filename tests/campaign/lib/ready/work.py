# SPDX-License-Identifier: GPL-2.0
"""What a part is told, and how it says what it does."""

from __future__ import annotations

import dataclasses
from pathlib import Path


class RunError(Exception):
    """One sentence: why a run has no result."""


def say(text: str) -> None:
    print(f"ready: {text}", flush=True)


@dataclasses.dataclass
class Work:
    """`out` is where results are kept; `fresh` is set when something ran."""

    out: Path
    quick: bool = False
    again: bool = False
    only: tuple[str, ...] = ()
    seed: int = 1
    module: Path | None = None
    fresh: bool = False

    def wants(self, run: str) -> bool:
        return not self.only or run in self.only
