# SPDX-License-Identifier: GPL-2.0
"""Rows of figures and peers: what a client was promised and what it got."""

from __future__ import annotations

import math
from pathlib import Path

from lib.edf import completions, fio
from lib.edf.clients import Client

PERMILLE = 1000
PPM = 1_000_000
HEAD = ["client", "promised", "achieved", "met %", "least window", "p99.9 ms"]


def promised(client: Client, scale_permille: int) -> int:
    """As the guest computes it."""
    return client.iops * scale_permille // PERMILLE


def client_row(directory: Path, client: Client, rate: int, window_ms: int, count: int) -> dict:
    """Everything about one client in one run; `rate` is its promise."""
    outcome = fio.read(directory, client)
    amounts = completions.windows(outcome.intervals, window_ms, count)
    wanted = rate * window_ms / 1000
    return {"client": client.name, "title": client.title(), "promised_iops": rate,
            "iops": round(outcome.iops, 1), "mb_s": round(outcome.mb_s, 2),
            "windows": count, "met_pct": round(completions.met_pct(amounts, wanted), 2),
            "least_pct_of_promise": round(100 * min(amounts) / wanted, 1) if wanted else 0,
            "p50_ms": round(outcome.p50_ms, 2), "p99_ms": round(outcome.p99_ms, 2),
            "p999_ms": round(outcome.p999_ms, 2),
            "windows_iops": [round(amount * 1000 / window_ms) for amount in amounts]}


def cells(row: dict) -> list[str]:
    return [row["title"], f"{row['promised_iops']:,}", f"{row['iops']:,.0f}",
            f"{row['met_pct']:.1f}", f"{row['least_pct_of_promise']:.0f} %",
            f"{row['p999_ms']:,.0f}"]


def reserved_pct(status: dict[str, dict[str, str]]) -> float:
    """Of device time, mix correction included; the drive says the same to all."""
    used = [int(words["used_ppm"]) for words in status.values() if "used_ppm" in words]
    return 100 * used[0] / PPM if used else math.nan


def kernel_windows(status: dict[str, dict[str, str]]) -> dict[str, dict[str, int]]:
    keys = ("util_ppm", "windows_met", "windows_missed", "windows_idle")
    return {name: {key: int(words.get(key, 0)) for key in keys} for name, words in status.items()}
