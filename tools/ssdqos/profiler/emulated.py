# SPDX-License-Identifier: GPL-2.0
"""Runs the steps of a measurement in ssdqos-sim, on an emulated drive."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
from functools import cached_property
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.paths import SIMULATOR
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.plan import Step
from ssdqos.profiler.series import STEP_MS, Series
from ssdqos.qos.units import MS_PER_S, bytes_text

STATE, RESULT = "drive.state", "result.json"
UNIT_BYTES = 4096
# Enough for a mean: the emulated drive takes the same time for each, but for other work.
DISCARDS = 1000
# Nobody waits above the drive.
PLENTY = 1024
# Of a SHA-256: enough that no two builds are taken for one.
DIGEST_DIGITS = 16
# A drive that is full of data written at random.
AGED = "aged_pct=100"


def program() -> str:
    """Tells one build of the simulator from another; empty if there is none, of which the first step complains."""
    try:
        return hashlib.sha256(SIMULATOR.read_bytes()).hexdigest()[:DIGEST_DIGITS]
    except OSError:
        return ""


def call(name: str, words: list[str]) -> str:
    """What the simulator prints; raises ToolError with what it complains of."""
    try:
        done = subprocess.run([str(SIMULATOR), *words], capture_output=True, text=True, check=False)
    except OSError as error:
        raise ToolError(f"{SIMULATOR} cannot be started (make sim builds it): {error.strerror}") from error
    if done.returncode:
        raise ToolError(f"the simulator failed in {name}: {done.stderr.strip() or f'it ended with {done.returncode}'}")
    return done.stdout


class Emulated:
    """An executor: preparing steps change the drive's state, cells all start from it."""

    goes_on = False
    # One request makes a drive, and says how large it is.
    LOOK = ("run", "--load", "read number_ios=1")

    def __init__(self, preset: str, params: list[str], size_mb: int | None, directory: Path) -> None:
        self.options = ["--drive", preset, *(["--size", f"{size_mb}m"] if size_mb is not None else [])]
        for param in [AGED, *params]:
            self.options += ["--set", param]
        self.preset, self.params = preset, params
        self.directory = directory
        self.state = directory / STATE
        self.result = directory / RESULT

    def forget(self) -> None:
        self.state.unlink(missing_ok=True)

    def identity(self) -> dict[str, str]:
        made = {"model": f"emulated {self.preset}", "simulator": "ssdqos-sim"}
        if self.params:
            made["set"] = " ".join(self.params)
        return made | {"capacity_bytes": str(self.capacity_bytes)}

    @cached_property
    def capacity_bytes(self) -> int:
        """As a drive that is new says; raises ToolError with what the simulator says if there is no such drive."""
        said = call("its first look at the drive", [*self.LOOK, *self.options, "--json", "-"])
        return json.loads(said)["geometry"]["logical_units"] * UNIT_BYTES

    def mean_ns(self, cell: Cell) -> int:
        """Of a discard.  Each place is discarded once at most."""
        if cell.bytes > self.capacity_bytes:
            raise ToolError(f"{cell.name} is larger than the drive, which has {bytes_text(self.capacity_bytes)}")
        number = min(self.capacity_bytes // cell.bytes, DISCARDS)
        load = f"{cell.rw()} bs={cell.bytes} iodepth={cell.depth} number_ios={number}"
        self.simulate(cell.name, ["run", "--load", load, *self.options, "--json", str(self.result)])
        return max(round(json.loads(self.result.read_text())["latency_ns"]["discard"]["mean"]), 1)

    @staticmethod
    def load(step: Step) -> str:
        options = step.options
        words = [options["rw"], f"bs={options['bs']}", f"iodepth={options['iodepth']}",
                 f"runtime={options['runtime']}s"]
        if step.cell and step.cell.is_mix():
            words.append(f"rwmixread={options['rwmixread']}")
        return " ".join(words)

    @staticmethod
    def command(step: Step) -> list[str]:
        """With what counts the step, and its loads."""
        if not step.writes:
            return ["run", "--load", Emulated.load(step)]
        reads, writes = step.options, step.options | step.writes
        limit = [f"max_iops={writes['rate_iops']}"] if "rate_iops" in writes else []
        streams = [" ".join([f"name={op}", f'load="{one["rw"]} bs={one["bs"]} iodepth={one["iodepth"]}"', *more])
                   for op, one, more in (("read", reads, []), ("write", writes, limit))]
        return ["qos", "--stream", streams[0], "--stream", streams[1], "--runtime", f"{reads['runtime']}s",
                "--qos", f"drive_queue_depth={PLENTY}"]

    def simulate(self, name: str, words: list[str]) -> None:
        """From the drive's state on, if there is one."""
        if self.state.exists():
            words = [*words, "--load-state", str(self.state)]
        call(name, words)

    def run(self, step: Step) -> Series:
        series = self.directory / "series.csv"
        words = [*self.command(step), *self.options, "--series", str(series),
                 *([] if step.writes else ["--json", str(self.result)])]
        if step.cell is None:
            words += ["--save-state", str(self.state.with_suffix(".new"))]
        self.simulate(step.name, words)
        if step.cell is None:
            self.state.with_suffix(".new").rename(self.state)
        counted = read(series, step.lead_s(), step.counted_s())
        series.unlink()
        return counted


def read(path: Path, lead_s: int, seconds: int) -> Series:
    """A row is an interval; the first one is that of the first request."""
    lead = lead_s * MS_PER_S // STEP_MS
    steps = seconds * MS_PER_S // STEP_MS
    with path.open(newline="") as file:
        rows = [(int(row["read_n"]), int(row["write_n"])) for row in csv.DictReader(file)]
    rows += [(0, 0)] * (lead + steps - len(rows))
    reads, writes = zip(*rows[lead:lead + steps])
    return Series(list(reads), list(writes))
