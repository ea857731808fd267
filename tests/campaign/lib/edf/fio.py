# SPDX-License-Identifier: GPL-2.0
"""What a client did, from the files that fio left behind."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from lib.edf import completions
from lib.edf.clients import Client

NS_PER_MS = 1_000_000


@dataclasses.dataclass(frozen=True)
class Outcome:
    """Totals of a run, and its completions in intervals of about 100 ms."""

    iops: float
    mb_s: float
    p50_ms: float
    p99_ms: float
    p999_ms: float
    intervals: list[completions.Interval]


def read(directory: Path, client: Client) -> Outcome:
    job = json.loads((directory / f"{client.name}.json").read_text())["jobs"][0]
    done = job[client.op]
    p50, p99, p999 = (done["clat_ns"]["percentile"][key] / NS_PER_MS
                      for key in ("50.000000", "99.000000", "99.900000"))
    with (directory / f"{client.name}_iops.1.log").open() as lines:
        intervals = completions.parse(lines)
    return Outcome(done["iops"], done["bw_bytes"] / 1e6, p50, p99, p999, intervals)


def read_status(path: Path) -> dict[str, dict[str, str]]:
    return parse_status(path.read_text())


def parse_status(text: str) -> dict[str, dict[str, str]]:
    """Lines "NAME 0 SECTORS ssdqos KEY=VALUE ...", by name."""
    found = {}
    for line in text.splitlines():
        name, *words = line.split()
        found[name] = dict(word.split("=", 1) for word in words if "=" in word)
    return found
