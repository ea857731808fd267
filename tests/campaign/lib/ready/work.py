# SPDX-License-Identifier: GPL-2.0
"""What a part is told, and how it says what it does."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lib.campaign import teller

NAME = "ready"
say = teller(NAME)


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
