# SPDX-License-Identifier: GPL-2.0
"""Runs of the simulator whose results are kept, by program and arguments."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from lib import campaign
from lib.errors import RunError
from lib.side_by_side import Programs

KEY_DIGITS = 24


def digest(words: Sequence[str]) -> str:
    """Of a run: the name by which it is kept."""
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:KEY_DIGITS]


class Kept:
    """Makes runs, or finds them."""

    def __init__(self, name: str, simulator: Path, again: bool) -> None:
        self.simulator, self.again = simulator, again
        self.fresh = False
        self.programs = Programs()
        self.say = campaign.teller(name)
        self._place = campaign.runs_of(name)
        self._digest = hashlib.sha256(simulator.read_bytes()).hexdigest()

    def result(self, words: Sequence[str], keep: Callable[[dict, Path], dict], series: bool = False) -> dict:
        """What `keep` makes of the JSON of a run, and of its series if there is one."""
        path = self.path_of(words)
        if self.again or not path.exists():
            self._make(words, keep, path, series)
        return json.loads(path.read_text())

    def path_of(self, words: Sequence[str]) -> Path:
        """Where what is kept of a run is, or will be."""
        return self._place / f"{digest([self._digest, *words])}.json"

    def _make(self, words: Sequence[str], keep: Callable[[dict, Path], dict], path: Path, series: bool) -> None:
        self._place.mkdir(parents=True, exist_ok=True)
        new, rows = path.with_suffix(".new"), path.with_suffix(".csv")
        files = ["--json", str(new), *(["--series", str(rows)] if series else [])]
        done = self.programs.run([str(self.simulator), *words, *files])
        if done.returncode:
            raise RunError(f"{command(words)}: {done.stderr.strip()}")
        new.write_text(json.dumps(keep(json.loads(new.read_text()), rows)))
        rows.unlink(missing_ok=True)
        new.rename(path)
        self.fresh = True


def command(words: Sequence[str]) -> str:
    """What a user types."""
    return "./run sim " + shlex.join(words)
