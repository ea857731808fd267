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
            at_ms, direction, _, *bins = whole_numbers(line)
            op = DIRECTIONS[direction]
            if not bins:
                raise ValueError("no bins")
        except (ValueError, IndexError) as error:
            raise no_row(name, number) from error
        in_time_ms = (before_ms[op] + min(at_ms, before_ms[op] + LOG_MS)) // 2
        count(counts[op], in_time_ms - lead_s * MS_PER_S, sum(bins) - 1)
        count(counts[op], at_ms - 1 - lead_s * MS_PER_S, 1)
        before_ms[op] = at_ms
    return Series(counts["read"], counts["write"])


def whole_numbers(line: str) -> list[int]:
    """From 0 on; raises ValueError for others."""
    made = [int(word) for word in line.split(",")]
    if min(made) < 0:
        raise ValueError(f"{min(made)} is below 0")
    return made


def no_row(name: str, number: int) -> ToolError:
    return ToolError(f"{name}:{number}: no row of fio's histogram log")


def count(counts: list[int], at_ms: int, requests: int) -> None:
    step = at_ms // STEP_MS
    if 0 <= step < len(counts):
        counts[step] += requests


def read(directory: Path, name: str, lead_s: int, seconds: int) -> Series:
    """Of all jobs of a step."""
    first, second = directory / f"{name}{SUFFIX}", directory / f"{name}{SUFFIX_2}"
    return parse(text_of(first) + (text_of(second) if second.exists() else ""), lead_s, seconds, first.name)


def text_of(path: Path) -> str:
    try:
        return path.read_text()
    except UnicodeDecodeError as error:
        raise ToolError(f"{path} is no log of fio: it is no text") from error
    except OSError as error:
        raise ToolError(f"fio left no log: {error}") from error


def last_ms(path: Path) -> int:
    """When the last row was written."""
    lines = text_of(path).splitlines() or ["0"]
    try:
        return whole_numbers(lines[-1])[0]
    except ValueError as error:
        raise no_row(path.name, len(lines)) from error
