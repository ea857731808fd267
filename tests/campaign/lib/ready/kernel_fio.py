# SPDX-License-Identifier: GPL-2.0
"""Latencies out of fio's JSON."""

from __future__ import annotations

import json
from pathlib import Path

PERCENTILES = {"p50": "50.000000", "p99": "99.000000", "p999": "99.900000"}


def read(path: Path, op: str) -> dict:
    """Requests, MB and percentiles in ms of the only job; op is read or write."""
    # fio says first that it was asked to end.
    _, brace, rest = path.read_text().partition("{")
    done = json.loads(brace + rest)["jobs"][0][op]
    found = {"requests": done["total_ios"], "mb": round(done["io_bytes"] / 1e6, 2),
             "mean_ms": round(done["clat_ns"]["mean"] / 1e6, 4)}
    for name, key in PERCENTILES.items():
        found[f"{name}_ms"] = round(done["clat_ns"]["percentile"][key] / 1e6, 4)
    return found
