# SPDX-License-Identifier: GPL-2.0
"""What the near machine has measured: a line of key=value for each phase, and what fio says of it."""

from __future__ import annotations

import json
from pathlib import Path

NS_PER_MS = 1_000_000
P50, P99 = "50.000000", "99.000000"


def number(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def client(path: Path) -> dict:
    """As the client saw it, in milliseconds; fio says first that it was ended."""
    text = path.read_text()
    jobs = json.loads(text[text.index("{"):])["jobs"]
    found = {}
    for job, what in zip(jobs, ("read", "write"), strict=True):
        found |= {f"{what}s": job[what]["total_ios"], f"{what}_most_ms": job[what]["lat_ns"]["max"] / NS_PER_MS,
                  f"{what}_p50_ms": job[what]["clat_ns"]["percentile"][P50] / NS_PER_MS,
                  f"{what}_p99_ms": job[what]["clat_ns"]["percentile"][P99] / NS_PER_MS}
    return found | {"flush_most_ms": jobs[-1]["sync"]["lat_ns"]["max"] / NS_PER_MS}


def read(results: Path) -> list[dict]:
    path = results / "figures"
    if not path.exists():
        return []
    found = []
    for line in path.read_text().splitlines():
        one: dict = {key: number(value) for key, _, value in (word.partition("=") for word in line.split())}
        fio = results / f"{one['phase']}.json"
        found.append(one | (client(fio) if fio.exists() else {}))
    return found


def line(one: dict) -> str:
    texts = {key: f"{value:.1f}" if isinstance(value, float) else value for key, value in one.items()}
    return " ".join(f"{key}={text}" for key, text in texts.items())
