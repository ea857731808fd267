# SPDX-License-Identifier: GPL-2.0
"""Runs of `ssdqos-sim qos`, kept by what was run."""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
from pathlib import Path

from lib import campaign
from lib.errors import RunError
from lib.promise import drives, neighbours
from lib.promise.draw import WARM_UP_S, Scenario
from lib.promise.drives import Drive
from ssdqos.qos.profile_file import Profile

NAME = "promise"
KEPT = ("iops", "bytes_per_s", "promised", "achieved_min", "achieved_mean", "kept", "windows_met", "windows_missed",
        "windows_idle", "reads", "writes", "read_bytes", "write_bytes")


class Runs:
    """Makes runs and profiles, or finds them."""

    def __init__(self, simulator: Path, again: bool, options: tuple[str, ...] = ()) -> None:
        self.simulator, self.again, self.options = simulator, again, options
        self.fresh = False
        self.say = campaign.teller(NAME)
        self._place = campaign.runs_of(NAME)
        self._digest = hashlib.sha256(simulator.read_bytes()).hexdigest()
        self._profiles: dict[Path, Profile] = {}

    def profile_of(self, drive: Drive) -> Profile:
        path = drives.profile_path(drive, self._place)
        if path not in self._profiles:
            if not path.exists():
                self.say(f"profile of {drive.preset}, {drive.scheduler}")
            self._profiles[path] = drives.profile_of(drive, self._place)
        return self._profiles[path]

    def words(self, scenario: Scenario) -> list[str]:
        """Owners are a0, a1, ...; neighbours b0, b1, ..."""
        made = ["qos", *scenario.drive.words(), "--profile",
                str(drives.profile_path(scenario.drive, self._place)), "--runtime", f"{scenario.runtime_s}s",
                "--warm-up", f"{WARM_UP_S}s", "--verify", "off", *self.options]
        for at, owner in enumerate(scenario.owners):
            keys = " ".join(f"{key}={value}" for key, value in owner.promise.keys().items() if value != "0")
            made += ["--stream", f'name=a{at} load="{owner.load(100 + at)}" {keys}']
        for at, (load, more) in enumerate(neighbours.KINDS[scenario.neighbour](scenario.runtime_s)):
            made += ["--stream", f'name=b{at} load="{load} seed={200 + at}" {more}'.rstrip()]
        return made

    def command(self, scenario: Scenario) -> str:
        return "ssdqos-sim " + shlex.join(self.words(scenario))

    def run(self, scenario: Scenario, more: tuple[str, ...] = ()) -> dict[str, dict]:
        """By stream: what KEPT has."""
        words = [*self.words(scenario), *more]
        text = drives.profile_path(scenario.drive, self._place).read_text()
        name = hashlib.sha256("\0".join([self._digest, text, *KEPT, *words]).encode()).hexdigest()[:24]
        path = self._place / f"{name}.json"
        if self.again or not path.exists():
            self._make(words, path)
        return json.loads(path.read_text())

    def _make(self, words: list[str], path: Path) -> None:
        result = path.with_suffix(".new")
        done = subprocess.run([str(self.simulator), *words, "--json", str(result)], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise RunError(f"{shlex.join(words)}: {done.stderr.strip()}")
        found = json.loads(result.read_text())["streams"]
        result.write_text(json.dumps({name: {key: stream[key] for key in KEPT} for name, stream in found.items()}))
        result.rename(path)
        self.fresh = True
