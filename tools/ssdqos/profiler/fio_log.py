# SPDX-License-Identifier: GPL-2.0
"""Completions from fio's histogram logs.

Each row has the time in ms, the direction, the size, and how many requests had
which latency since the direction's row before.  fio writes it when the first
request after the end of an interval completes: that one is the last of the
row, all others completed within 100 ms after the row before.
"""

from __future__ import annotations

from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.profiler.plan import LOG_MS
from ssdqos.profiler.series import STEP_MS, Series
from ssdqos.qos.units import MS_PER_S

SUFFIX = "_clat_hist.1.log"
# Of a second job, which has another direction.
SUFFIX_2 = "_clat_hist.2.log"
DIRECTIONS = ("read", "write")
COLUMNS_BEFORE_BINS = 3


def parse(text: str, lead_s: int, seconds: int, name: str = "log") -> Series:
    """So many seconds, after those that are not counted."""
    counts = {op: [0] * (seconds * MS_PER_S // STEP_MS) for op in DIRECTIONS}
    before_ms = dict.fromkeys(DIRECTIONS, 0)
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            at_ms, direction, _, *bins = map(int, line.split(","))
            op = DIRECTIONS[direction]
        except (ValueError, IndexError) as error:
            raise ToolError(f"{name}:{number}: no row of fio's histogram log") from error
        in_time_ms = (before_ms[op] + min(at_ms, before_ms[op] + LOG_MS)) // 2
        count(counts[op], in_time_ms - lead_s * MS_PER_S, sum(bins) - 1)
        count(counts[op], at_ms - 1 - lead_s * MS_PER_S, 1)
        before_ms[op] = at_ms
    return Series(counts["read"], counts["write"])


def count(counts: list[int], at_ms: int, requests: int) -> None:
    step = at_ms // STEP_MS
    if 0 <= step < len(counts):
        counts[step] += requests


def read(directory: Path, name: str, lead_s: int, seconds: int) -> Series:
    """Of all jobs of a step."""
    second = directory / f"{name}{SUFFIX_2}"
    try:
        text = (directory / f"{name}{SUFFIX}").read_text() + (second.read_text() if second.exists() else "")
        return parse(text, lead_s, seconds, f"{name}{SUFFIX}")
    except OSError as error:
        raise ToolError(f"fio left no log: {error}") from error


def last_ms(path: Path) -> int:
    """When the last row was written."""
    *_, line = path.read_text().splitlines() or ["0"]
    return int(line.partition(",")[0])
