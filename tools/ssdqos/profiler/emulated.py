# SPDX-License-Identifier: GPL-2.0
"""Runs the steps of a measurement in ssdqos-sim, on an emulated drive."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.paths import SIMULATOR
from ssdqos.profiler.plan import Step
from ssdqos.profiler.series import STEP_MS, Series
from ssdqos.qos.units import MS_PER_S

STATE, RESULT = "drive.state", "result.json"
UNIT_BYTES = 4096
# Nobody waits above the drive.
PLENTY = 1024
# A drive that is full of data written at random.
AGED = "aged_pct=100"


class Emulated:
    """An executor: preparing steps change the drive's state, cells all start from it."""

    goes_on = False

    def __init__(self, preset: str, params: list[str], size_mb: int, directory: Path) -> None:
        self.options = ["--drive", preset, *(["--size", f"{size_mb}m"] if size_mb else [])]
        for param in [AGED, *params]:
            self.options += ["--set", param]
        self.preset, self.params = preset, params
        self.directory = directory
        self.state = directory / STATE
        self.result = directory / RESULT

    def identity(self) -> dict[str, str]:
        made = {"model": f"emulated {self.preset}", "simulator": "ssdqos-sim"}
        if self.params:
            made["set"] = " ".join(self.params)
        if self.result.exists():
            units = json.loads(self.result.read_text())["geometry"]["logical_units"]
            made["capacity_bytes"] = str(units * UNIT_BYTES)
        return made

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

    def run(self, step: Step) -> Series:
        series = self.directory / "series.csv"
        words = [str(SIMULATOR), *self.command(step), *self.options, "--series", str(series),
                 *([] if step.writes else ["--json", str(self.result)])]
        if self.state.exists():
            words += ["--load-state", str(self.state)]
        if step.cell is None:
            words += ["--save-state", str(self.state.with_suffix(".new"))]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        except OSError as error:
            raise ToolError(f"{SIMULATOR} cannot be started (make sim builds it): {error.strerror}") from error
        if done.returncode:
            raise ToolError(f"the simulator failed in {step.name}: {done.stderr.strip()}")
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
