# SPDX-License-Identifier: GPL-2.0
"""Runs of the simulator, kept by what was run and from which state on."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import shlex
import subprocess
from pathlib import Path

from lib import campaign
from lib.errors import RunError
from lib.simulator import PLAIN_CONTROLLER
from lib.steady.state import look

NAME = "steady"
MIB = 1 << 20
UNIT_BYTES = 4096
INTERVAL_S = 1
PARTS_OF_ALL = {"p50": .5, "p90": .9, "p99": .99, "p999": .999}
# Columns of --requests.
ARRIVAL, OP, COMPLETE = 1, 2, 5


@dataclasses.dataclass(frozen=True)
class Drive:
    """What is compared: @rate requests a second are well below what it can take."""

    name: str
    title: str
    preset: str
    rate: int
    size: int = 512 * MIB
    bs: int = UNIT_BYTES
    sets: tuple[tuple[str, object], ...] = ()
    in_step: bool = False

    def blocks(self) -> int:
        """Of the size of a request."""
        return self.size // self.bs

    def settings(self) -> dict[str, object]:
        plain = PLAIN_CONTROLLER if self.preset == "autossd" else {}
        return {**plain, **dict(self.sets)}


@dataclasses.dataclass(frozen=True)
class Run:
    """Of @number requests; @start is the key of a run whose end it goes on from.

    Of one that `ends` its state is kept; one that `looks` is only about that.
    """

    drive: Drive
    number: int
    seed: int
    start: str = ""
    aged: bool = False
    fill: bool = False
    measured: bool = False
    ends: bool = False
    looks: bool = False

    def words(self) -> list[str]:
        drive = self.drive
        sets = {**drive.settings(), "seed": self.seed if self.aged else 1}
        if self.aged:
            sets |= {"aged_pct": 100, "aged_bs": drive.bs}
        words = ["run", "--drive", drive.preset, "--size", str(drive.size)]
        for key, value in sets.items():
            words += ["--set", f"{key}={value}"]
        load = "write bs=128k" if self.fill else (
            f"randrw rwmixread=50 bs={drive.bs} arrival=poisson rate_iops={drive.rate} "
            f"number_ios={self.number} seed={self.seed}")
        return [*words, "--load", load]

    def command(self) -> str:
        return "./run sim " + shlex.join(self.words())


def latencies(path: Path) -> dict[str, float]:
    """Percentiles of reads, in us."""
    with path.open(encoding="ascii") as lines:
        found = sorted(int(row[COMPLETE]) - int(row[ARRIVAL]) for row in csv.reader(lines) if row[OP] == "R")
    return {key: found[int(len(found) * part)] / 1000 for key, part in PARTS_OF_ALL.items()}


def collections(path: Path) -> list[int]:
    """Blocks collected in each interval; the last one is not whole."""
    with path.open(encoding="ascii") as lines:
        return [int(row["gc_blocks"]) for row in csv.DictReader(lines)][:-1]


class Runs:
    """Makes runs, or finds them."""

    def __init__(self, simulator: Path, quick: bool, again: bool) -> None:
        self.simulator, self.quick, self.again = simulator, quick, again
        self.fresh = False
        self._digest = hashlib.sha256(simulator.read_bytes()).hexdigest()
        self._place = campaign.runs_of(NAME)
        self.say = campaign.teller(NAME)

    def key(self, run: Run) -> str:
        words = [self._digest, *run.words(), run.start, str(run.ends), str(run.looks), str(run.measured)]
        return hashlib.sha256("\0".join(words).encode()).hexdigest()[:24]

    def state(self, key: str) -> Path:
        return self._place / f"{key}.state"

    def run(self, run: Run) -> dict:
        """Figures of a run; of one that looks, only what was seen at its end."""
        key = self.key(run)
        path = self._place / f"{key}.json"
        if self.again or not path.exists() or (run.ends and not self.state(key).exists()
                                               and not self._gone(key)):
            self._make(run, key, path)
        return json.loads(path.read_text()) | {"key": key}

    def drop(self, key: str) -> None:
        """Nothing goes on from there any more."""
        if self.state(key).exists():
            self.state(key).unlink()
            self._dropped(key).touch()

    def _dropped(self, key: str) -> Path:
        return self._place / f"{key}.dropped"

    def _gone(self, key: str) -> bool:
        return self._dropped(key).exists()

    def _make(self, run: Run, key: str, path: Path) -> None:
        self._place.mkdir(parents=True, exist_ok=True)
        files = {name: self._place / f"{key}.{name}" for name in ("new", "requests", "series")}
        words = [*run.words(), "--json", str(files["new"])]
        if run.start:
            words += ["--load-state", str(self.state(run.start))]
        if run.ends or run.looks:
            words += ["--save-state", str(self.state(key))]
        if run.measured:
            words += ["--requests", str(files["requests"]), "--series", str(files["series"]),
                      "--series-interval", f"{INTERVAL_S}s"]
        done = subprocess.run([str(self.simulator), *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RunError(f"{shlex.join(words)}: {done.stderr.strip()}")
        result = self._figures(run, key, files)
        files["new"].write_text(json.dumps(result))
        files["new"].rename(path)
        for name in ("requests", "series"):
            files[name].unlink(missing_ok=True)
        if run.looks and not run.ends:
            self.state(key).unlink()
        self.fresh = True

    def _figures(self, run: Run, key: str, files: dict[str, Path]) -> dict:
        found = json.loads(files["new"].read_text())
        if run.looks:
            return look(self.state(key))
        if not run.measured:
            return {}
        counters = found["counters"]
        writes = counters["host_write_units"]
        programs = counters["flash_programs"] + counters["flash_copybacks"]
        return {"collected": 1000 * counters["gc_blocks"] / writes,
                "waf": programs * (found["geometry"]["page_bytes"] // UNIT_BYTES) / writes,
                "series": collections(files["series"]), **latencies(files["requests"])}
