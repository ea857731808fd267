# SPDX-License-Identifier: GPL-2.0
"""Runs of the simulator, several at a time, kept by what was run; and which rungs it has."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import functools
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from lib import campaign, side_by_side
from lib.errors import RunError
from lib.kept import Kept, command
from lib.least_op import least_permille
from lib.simulator import ROOT
from lib.ttflash import played
from lib.ttflash.flash import MOST_OFF_PCT, PRESET, Flash
from lib.ttflash.loads import Cut, Made
from lib.ttflash.rungs import RUNGS, Rung

NAME = "ttflash"
SEEDS, QUICK_SEEDS = 5, 1
SAID_EVERY = 10
LATENCIES = ("n", "mean", "p50", "p90", "p99", "p999", "p9999", "max")
FLASH = ("waf", "erases", "copybacks", "gc_blocked_read_pct", "queue_blocked_read_pct", "reconstructed_reads",
         "free_blocks_min", "wear_min", "wear_max", "wear_plane_pct", "wear_group_pct")
TIMES = ("requests", "stuck", "wrapped", "cut", "virtual_s", "cpu_s", "setup_cpu_s")
# Of each interval of a run that is looked at in time; small are reads of 64 KiB and less, which all of them are here.
SERIES = {"time_s": "time_s", "n": "read_small_n", "mean_ns": "read_small_mean_ns", "free": "free_blocks"}
# A drive that is made to see whether a rung is known is small.
PROBE = Flash(raw_gib=2)
PROBE_LOAD = "read number_ios=1"


@dataclasses.dataclass(frozen=True)
class Run:
    """Of @load, which are the simulator's words for it, on a drive of this rung.

    One with an interval is looked at in time.  @size_bytes and @op_permille are for a drive that is made otherwise than
    of all of the flash; 0 is as the flash has it.  @more is what differs from the rung otherwise.
    """

    flash: Flash
    rung: str
    load: tuple[str, ...]
    seed: int
    interval_ms: int = 0
    size_bytes: int = 0
    op_permille: int = 0
    more: tuple[tuple[str, object], ...] = ()

    def sets(self) -> dict[str, object]:
        rung = RUNGS[self.rung]
        return {**self.flash.sets(rung), **({"op_permille": self.op_permille} if self.op_permille else {}), **rung.sets,
                **dict(self.more), "seed": self.seed}

    def words(self) -> list[str]:
        words = ["run", "--drive", PRESET, "--size", str(self.size_bytes or self.flash.size_bytes())]
        for key, value in self.sets().items():
            words += ["--set", f"{key}={value}"]
        words += ["--series-interval", f"{self.interval_ms}ms"] if self.interval_ms else []
        return [*words, *self.load]

    def command(self) -> str:
        return command([word.replace(f"{ROOT}/", "") for word in self.words()])


def series_of(path: Path) -> dict[str, list[float]]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[column] or 0) for row in rows] for name, column in SERIES.items()}


def keep(run: Run, found: dict, series: Path) -> dict:
    """What parts and pages need; refuses a drive that has not the flash it should have."""
    geometry = found["geometry"]
    physical = geometry["physical_units"] * played.UNIT_BYTES
    wanted = run.flash.bytes(RUNGS[run.rung])
    if not run.op_permille and run.flash.off_pct(RUNGS[run.rung], physical) > MOST_OFF_PCT:
        raise RunError(f"{run.command()}: the drive has {physical} bytes of flash instead of {wanted:.0f}")
    kept = {name: {key: found["latency_ns"][name][key] for key in LATENCIES} for name in ("read", "write")}
    kept |= {key: found[key] for key in TIMES} | {key: found["flash"][key] for key in FLASH}
    kept["blocks"] = geometry["planes"] * geometry["blocks_per_plane"]
    kept["counters"] = {key: value for key, value in found["counters"].items() if value}
    return kept | ({"series": series_of(series)} if run.interval_ms else {})


def count(text: str) -> int:
    """Of seeds."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seeds")
    return int(text)


def clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def refuse_failed(what: str, found: Sequence[dict | RunError]) -> None:
    failed = [one for one in found if isinstance(one, RunError)]
    if failed:
        raise RunError(f"{what}: {len(failed)} of {len(found)} runs failed, the first: {failed[0]}")


class Runs(Kept):
    """Makes runs, or finds them."""

    def __init__(self, simulator: Path, quick: bool, again: bool, seed: int, count: int = 0, name: str = NAME) -> None:
        """@name says where they are kept."""
        super().__init__(name, simulator, again)
        self.quick = quick
        self.seeds = range(seed, seed + (count or (QUICK_SEEDS if quick else SEEDS)))
        self._refusals: dict[str, str] = {}

    # ---- loads ----

    def load_words(self, load: Cut | Made, seed: int, size_bytes: int, more: str = "") -> tuple[str, ...]:
        """Of a cut: a file that is made of it."""
        if isinstance(load, Made):
            return "--load", load.text(seed, self.quick, more)
        loops = load.quick_loops if self.quick else load.loops
        file = played.write(load.path(), campaign.runs_of(NAME) / "traces", loops, seed, size_bytes)
        return ("--trace", str(file), *(("--scale-time", str(load.slower)) if load.slower != 1 else ()))

    # ---- rungs ----

    def refusal(self, rung: Rung) -> str:
        """What the simulator says against a rung; nothing if it has it."""
        words = ["run", "--drive", PRESET, "--size", str(PROBE.size_bytes()), "--load", PROBE_LOAD]
        for key, value in {**rung.sets, "op_permille": PROBE.op_permille(rung)}.items():
            words += ["--set", f"{key}={value}"]
        done = subprocess.run([str(self.simulator), *words], capture_output=True, text=True, check=False)
        return (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[0] if done.returncode else ""

    def missing(self, names: Sequence[str]) -> dict[str, str]:
        """Rungs that the simulator does not have, and what it says of each."""
        for name in names:
            if name not in self._refusals:
                self._refusals[name] = self.refusal(RUNGS[name])
                if self._refusals[name]:
                    self.say(f"rung {name} is missing: {self._refusals[name]}")
        return {name: self._refusals[name] for name in names if self._refusals[name]}

    def there(self, names: Sequence[str]) -> list[str]:
        """Those that it has; without any there is nothing to measure."""
        missing = self.missing(names)
        if len(missing) == len(names):
            raise RunError(f"the simulator has no rung of {', '.join(names)}")
        return [name for name in names if name not in missing]

    # ---- drives ----

    def makes(self, run: Run) -> bool:
        """Whether there is such a drive; without its load."""
        words = run.words()
        words[words.index("--load") + 1] = "read number_ios=1"
        return self.programs.run([str(self.simulator), *words]).returncode == 0

    def least_permille(self, run: Run) -> int:
        """Of over-provisioning, with which there is one."""
        return least_permille(lambda permille: self.makes(dataclasses.replace(run, op_permille=permille)))

    # ---- runs ----

    def run(self, run: Run) -> dict:
        return self.result(run.words(), functools.partial(keep, run), series=bool(run.interval_ms))

    def tried(self, run: Run) -> dict | RunError:
        """What was kept of it, or why there is nothing."""
        try:
            return self.run(run)
        except RunError as error:
            self.say(str(error))
            return error

    def all(self, what: str, wanted: Sequence[Run]) -> list[dict]:
        """In their order, on all processors; says how far it is.

        One that fails does not keep others from being made, so that they are there next time.
        """
        missing = sum(self.again or not self.path_of(run.words()).exists() for run in wanted)
        self.say(f"{what}: {len(wanted)} runs, {missing} of them to make")
        begun, found = time.monotonic(), []
        for at, one in enumerate(side_by_side.made(wanted, self.tried, self.programs), start=1):
            found.append(one)
            if missing and (at % SAID_EVERY == 0 or at == len(wanted)):
                self.say(f"{what}: {at} of {len(wanted)} runs, {clock(time.monotonic() - begun)} passed")
        refuse_failed(what, found)
        return found
