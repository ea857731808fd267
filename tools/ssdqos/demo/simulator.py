# SPDX-License-Identifier: GPL-2.0
"""Runs ssdqos-sim and reads what it has logged."""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.paths import SIMULATOR, shown
from ssdqos.demo.runs import Decision, Request, Run

COUNTERS = ("reads", "writes", "discards", "gc_blocks", "gc_moved_units", "gc_blocked_reads",
            "host_write_units", "buffer_stalls", "flash_programs")
GC_MARK = ",gc_"


@dataclass(frozen=True)
class Drive:
    """A drive that exists twice: in the kernel and in the simulator."""

    name: str
    size_mb: int
    params: dict[str, str]  # with the preset

    def table_args(self) -> str:
        return " ".join(f"{key} {value}" for key, value in self.params.items())

    def options(self) -> list[str]:
        words = ["--drive", self.params["preset"], "--size", f"{self.size_mb}m"]
        for key, value in self.params.items():
            if key != "preset":
                words += ["--set", f"{key}={value}"]
        return words


def command(drive: Drive, trace: Path, scale: float) -> list[str]:
    words = [shown(SIMULATOR), "run", *drive.options(), "--trace", shown(trace)]
    return words + ["--scale-time", f"{scale:g}"] if scale != 1 else words


def parse_request(line: str) -> Request:
    """number,arrival_ns,op,offset,size,complete_ns, and what is of no interest here"""
    _, arrival_ns, op, offset, size, complete_ns, *_ = line.split(",")
    return Request(int(arrival_ns), op, int(offset), int(size), int(complete_ns))


def parse_decision(line: str) -> Decision:
    """time_ns,event,task,op,plane,block,page,units"""
    time_ns, name, _, _, plane, block, _, free = line.split(",")
    return Decision(int(time_ns), name, int(plane), int(block), int(free))


def read_requests(path: Path) -> list[Request]:
    """In the order of arrival; the log has them in the order of completion."""
    lines = [line for line in path.read_text().splitlines() if line[:1].isdigit()]
    lines.sort(key=lambda line: int(line.partition(",")[0]))
    return [parse_request(line) for line in lines]


def run(drive: Drive, trace: Path, scale: float = 1) -> Run:
    """Replays a trace; `scale` multiplies its times."""
    with tempfile.TemporaryDirectory() as scratch:
        logs = {name: Path(scratch) / name for name in ("json", "requests", "events")}
        words = command(drive, trace.resolve(), scale)
        words[0] = str(SIMULATOR)
        words[words.index("--trace") + 1] = str(trace.resolve())
        for name, path in logs.items():
            words += [f"--{name}", str(path)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ToolError(f"the simulator failed: {done.stderr.strip()}")
        result = json.loads(logs["json"].read_text())
        with logs["events"].open() as events:
            decisions = [parse_decision(line.strip()) for line in events if GC_MARK in line]
        counters = {name: result["counters"][name] for name in COUNTERS}
        counters["waf"] = result["flash"]["waf"]
        extra = {"params": result["params"], "geometry": result["geometry"],
                 "cpu_s": result["cpu_s"]}
        return Run("sim", drive.name, read_requests(logs["requests"]), decisions, counters, extra)
