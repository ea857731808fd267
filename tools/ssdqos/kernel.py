# SPDX-License-Identifier: GPL-2.0
"""Runs the demo's drives in a virtual machine and reads what it brings back."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.paths import GUEST_DIR, TOP_DIR, VM, shown
from ssdqos.runs import Decision, Request, Run
from ssdqos.simulator import COUNTERS

SECTOR_BYTES = 512
GUEST_MEMORY_MB = 2048
GUEST_LIMIT_S = 300
LOG_TAIL_LINES = 30
COMPLETED = re.compile(
    r"ssdqos_flash_request_completed: dev=\S+ seq=(\d+) op=(\w+) sector=(\d+) nr_sectors=(\d+) "
    r"fua=(\d) arrival_ns=(\d+) complete_ns=(\d+)")
DECIDED = re.compile(
    r"ssdqos_flash_gc_decided: dev=\S+ time_ns=(\d+) decision=(\w+) plane=(\d+) block=(\d+) "
    r"valid_units=\d+ free_blocks=(\d+)")
OP_LETTERS = {"read": "R", "write": "W", "discard": "D", "flush": "F"}
FUA_WRITE = "U"
LOST_FIELDS = ("overrun", "commit overrun", "dropped events")


def command(kernel: str, seed: int, out: Path, includes: dict[str, Path],
            drives: list[str]) -> list[str]:
    words = [shown(VM), "run", "--kernel", kernel, "--virtual", "--seed", str(seed),
             "--mem", str(GUEST_MEMORY_MB), "--timeout", str(GUEST_LIMIT_S), "--out", shown(out)]
    for guest_path, path in includes.items():
        words += ["--include", f"{shown(path)}:{guest_path}"]
    return words + [shown(GUEST_DIR / f"{drive}.sh") for drive in drives]


def boot(words: list[str], log: Path) -> None:
    """Runs the machine; its progress goes to the terminal, its results to `log`."""
    with log.open("w") as out:
        done = subprocess.run(words, stdout=out, cwd=TOP_DIR, check=False)
    if done.returncode:
        tail = "\n".join(log.read_text().splitlines()[-LOG_TAIL_LINES:])
        raise ToolError(f"the virtual machine failed, all of it in {shown(log)}:\n{tail}")


def parse_trace(text: str) -> tuple[list[Request], list[Decision]]:
    """Requests in the order of arrival, decisions in the order of time."""
    requests: list[tuple[int, Request]] = []
    decisions: list[Decision] = []
    for line in text.splitlines():
        if match := COMPLETED.match(line):
            seq, op, sector, sectors, fua, arrival_ns, complete_ns = match.groups()
            letter = FUA_WRITE if op == "write" and fua == "1" else OP_LETTERS[op]
            requests.append((int(seq), Request(int(arrival_ns), letter, int(sector) * SECTOR_BYTES,
                                               int(sectors) * SECTOR_BYTES, int(complete_ns))))
        elif match := DECIDED.match(line):
            time_ns, name, plane, block, free = match.groups()
            decisions.append(Decision(int(time_ns), name, int(plane), int(block), int(free)))
    requests.sort(key=lambda pair: pair[0])
    return [request for _, request in requests], decisions


def parse_status(text: str) -> dict[str, float]:
    values = dict(word.split("=", 1) for word in text.split() if "=" in word)
    return {name: float(values[name]) for name in (*COUNTERS, "waf", "late_sum_ns", "time_ns")}


def lost_events(text: str) -> int:
    """From the statistics of the ring buffers, one after the other."""
    lost = 0
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name in LOST_FIELDS:
            lost += int(value)
    return lost


def parse_fio(text: str) -> dict[str, dict[str, float]]:
    """Latency as the program saw it, in ns."""
    job = json.loads(text[text.index("{"):])["jobs"][0]
    return {op: {key: value for key, value in job[op]["clat_ns"].get("percentile", {}).items()}
            for op in ("read", "write")}


def read_run(drive: str, results: Path) -> Run:
    requests, decisions = parse_trace((results / f"{drive}.trace").read_text())
    lost = lost_events((results / f"{drive}.lost").read_text())
    if lost:
        raise ToolError(f"the kernel lost {lost} trace events of drive {drive}: the ring buffer "
                        "of tests/demo/libdemo.sh is too small for this trace")
    if not requests:
        raise ToolError(f"the trace of drive {drive} has no requests")
    extra = {"lost_events": lost,
             "table": (results / f"{drive}.table").read_text().strip(),
             "latency": (results / f"{drive}.latency").read_text(),
             "fio_ns": parse_fio((results / f"{drive}.fio.json").read_text())}
    return Run("kernel", drive, requests, decisions,
               parse_status((results / f"{drive}.status").read_text()), extra)
