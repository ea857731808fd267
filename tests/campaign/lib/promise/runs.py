# SPDX-License-Identifier: GPL-2.0
"""Runs of `ssdqos-sim qos`, kept by what was run."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shlex
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from lib import campaign, side_by_side
from lib.errors import RunError
from lib.kept import digest
from lib.promise import drives, neighbours
from lib.promise.draw import WARM_UP_S, Owner, Scenario
from lib.promise.drives import Drive
from ssdqos.qos.profile_file import Profile

NAME = "promise"
KEPT = ("iops", "bytes_per_s", "promised", "achieved_min", "achieved_mean", "kept", "windows_met", "windows_missed",
        "windows_idle", "requests", "reads", "writes", "read_bytes", "write_bytes")
# In a row of a page: a digest of what it is of.
OF = "of"
SAID_EVERY = 8


@dataclasses.dataclass(frozen=True)
class Kept:
    """What is kept of a run: `read` makes it of the result and of the files that the options write, one each."""

    name: str
    read: Callable[..., Any]
    options: tuple[tuple[str, ...], ...] = ()


def of_streams(result: dict) -> dict[str, dict]:
    return {name: {key: one[key] for key in KEPT} for name, one in result["streams"].items()}


STREAMS = Kept(f"streams {' '.join(KEPT)}", of_streams)


def stream(name: str, load: str, more: str = "") -> list[str]:
    return ["--stream", f'name={name} load="{load}" {more}'.rstrip()]


def promise_words(owner: Owner) -> str:
    return " ".join(f"{key}={value}" for key, value in owner.promise.said().items())


def owner_load(scenario: Scenario, at: int) -> str:
    later = f" start={scenario.owners_begin_s}s" if scenario.owners_begin_s else ""
    return scenario.owners[at].load(100 + at) + later


def neighbour_load(load: str, at: int) -> str:
    return f"{load} seed={200 + at}"


class Runs:
    """Makes runs and profiles, or finds them."""

    def __init__(self, simulator: Path, again: bool, options: tuple[str, ...] = (), place: Path | None = None,
                 given: Path | None = None) -> None:
        """`given` is a folder of profiles that were measured before."""
        self.simulator, self.again, self.options, self.given = simulator, again, options, given
        self.fresh = False
        self.say = campaign.teller(NAME)
        self.programs = side_by_side.Programs()
        self._known: dict[str, dict] = {}
        self.place = place or campaign.runs_of(NAME)
        self._digest = hashlib.sha256(simulator.read_bytes()).hexdigest()
        self._profiles: dict[Path, Profile] = {}

    def profile_of(self, drive: Drive) -> Profile:
        path = drives.profile_path(drive, self.place)
        if path not in self._profiles:
            if self.given:
                drives.take(path, self.given)
            if not path.exists():
                self.say(f"profile of {drive.kind}")
            self._profiles[path] = drives.profile_of(drive, self.place, self.simulator)
        return self._profiles[path]

    def drive_words(self, drive: Drive, runtime_s: int) -> list[str]:
        """All but the streams; a burst is one, too."""
        made = ["qos", *drive.words(), "--profile", str(drives.profile_path(drive, self.place)),
                "--runtime", f"{runtime_s}s", "--warm-up", f"{WARM_UP_S}s", "--verify", "off", *self.options]
        return made + (stream(neighbours.BURST_NAME, f"{neighbours.BURST} runtime={neighbours.BURST_S}s seed={neighbours.BURST_SEED}")
                       if drive.burst else [])

    def words(self, scenario: Scenario) -> list[str]:
        """Owners are a0, a1, ...; neighbours b0, b1, ..."""
        made = self.drive_words(scenario.drive, scenario.runtime_s)
        for at, owner in enumerate(scenario.owners):
            made += stream(f"a{at}", owner_load(scenario, at), promise_words(owner))
        for at, (load, more) in enumerate(scenario.beside()):
            made += stream(f"b{at}", neighbour_load(load, at), more)
        return made

    def know(self, rows: Iterable[dict]) -> None:
        """Those of the page that this program has made, if they say what of."""
        self._known = {row[OF]: row for row in rows if OF in row}

    def known(self, scenario: Scenario, more: Sequence[str] = ()) -> dict | None:
        """What the page has of the same one: its runs may have been on another machine.  `more` is what else decides."""
        return self._known.get(self._of(scenario, more))

    def row(self, scenario: Scenario, make: Callable[[Scenario], dict], more: Sequence[str] = ()) -> dict:
        """What the page has, or `make` says of it."""
        of = self._of(scenario, more)
        return self._known.get(of) or {**make(scenario), OF: of}

    def _of(self, scenario: Scenario, more: Sequence[str]) -> str:
        path = drives.profile_path(scenario.drive, self.place)
        return digest([path.read_text(), *(word for word in self.words(scenario) if word != str(path)), *more])

    def command(self, scenario: Scenario) -> str:
        return "ssdqos-sim " + shlex.join(self.words(scenario))

    def run(self, scenario: Scenario, more: tuple[str, ...] = ()) -> dict[str, dict]:
        """By stream: what KEPT has."""
        return self.streams(scenario.drive, [*self.words(scenario), *more])

    def streams(self, drive: Drive, words: list[str]) -> dict[str, dict]:
        """Likewise, of a run of these words."""
        return self.keep(drive, words, STREAMS)

    def keep(self, drive: Drive, words: list[str], kept: Kept) -> Any:
        """What is kept of a run of these words."""
        text = drives.profile_path(drive, self.place).read_text()
        key = [self._digest, text, kept.name, *chain(*kept.options), *words]
        path = self.place / f"{digest(key)}.json"
        if self.again or not path.exists():
            self._make(words, kept, path)
        return json.loads(path.read_text())

    def _make(self, words: list[str], kept: Kept, path: Path) -> None:
        own = threading.get_ident()
        result = path.with_suffix(f".{own}.new")
        beside = [path.with_suffix(f".{own}.{at}.csv") for at in range(len(kept.options))]
        files = chain(*([*option, str(file)] for option, file in zip(kept.options, beside)))
        done = self.programs.run([str(self.simulator), *words, *files, "--json", str(result)])
        if done.returncode:
            raise RunError(f"{shlex.join(words)}: {done.stderr.strip()}")
        found = kept.read(json.loads(result.read_text()), *beside)
        for file in beside:
            file.unlink(missing_ok=True)
        result.write_text(json.dumps(found))
        result.rename(path)
        self.fresh = True


def rows_said(runs: Runs, scenarios: list[Scenario], row: Callable[[Scenario], Any],
              said: Callable[[list], str]) -> list:
    """One of each scenario, on all processors; now and then says how it goes."""
    rows = []
    for at, made in enumerate(side_by_side.made(scenarios, row, runs.programs), start=1):
        rows.append(made)
        if at % SAID_EVERY == 0 or at == len(scenarios):
            runs.say(f"{at} of {len(scenarios)} scenarios; {said(rows)}")
    return rows


def rows_known(runs: Runs, scenarios: list[Scenario], row: Callable[[Scenario], dict], said: Callable[[list], str],
               more: Sequence[str] = ()) -> list[dict]:
    """Likewise, but those that the page has are taken from it."""
    return rows_said(runs, scenarios, lambda one: runs.row(one, row, more), said)
