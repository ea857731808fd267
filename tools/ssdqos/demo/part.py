# SPDX-License-Identifier: GPL-2.0
"""What a part of the demo is."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from ssdqos.demo.picture import Picture
from ssdqos.demo.table import Table

Say = Callable[[str], None]


class Part(Protocol):
    """A module.  What it has found is words and numbers, which are kept as JSON.

    NAME is what a user calls it; TITLE and ABOUT are for somebody who knows
    nothing yet."""

    NAME: str
    TITLE: str
    ABOUT: str

    def run(self, args: argparse.Namespace, data: Path, say: Say) -> dict:
        """Makes the figures; files are kept in `data`.  Under "commands" is what makes them again."""

    def tables(self, found: dict) -> list[Table]:
        """The figures."""

    def pictures(self, found: dict, data: Path) -> list[Picture]:
        """And how they look."""

    def notes(self, found: dict) -> list[str]:
        """Sentences that belong to the figures."""

    def wrong(self, found: dict) -> str:
        """What was to be shown and is not true; empty if all is well."""
