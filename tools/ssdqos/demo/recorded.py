# SPDX-License-Identifier: GPL-2.0
"""Reads what the kernel has recorded of a replay on one drive."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ssdqos.demo.runs import Decision, Request, Run
from ssdqos.demo.simulator import COUNTERS
from ssdqos.errors import ToolError

SECTOR_BYTES = 512
COMPLETED = re.compile(
    r"ssdqos_flash_request_completed: dev=\S+ seq=(\d+) op=(\w+) sector=(\d+) nr_sectors=(\d+) "
    r"fua=(\d) arrival_ns=(\d+) complete_ns=(\d+)")
DECIDED = re.compile(
    r"ssdqos_flash_gc_decided: dev=\S+ time_ns=(\d+) decision=(\w+) plane=(\d+) block=(\d+) "
    r"valid_units=\d+ free_blocks=(\d+)")
OP_LETTERS = {"read": "R", "write": "W", "discard": "D", "flush": "F"}
FUA_WRITE = "U"
LOST_FIELDS = ("overrun", "commit overrun", "dropped events")


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
