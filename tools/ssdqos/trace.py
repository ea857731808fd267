# SPDX-License-Identifier: GPL-2.0
"""Block traces: time_us,op,offset_bytes,size_bytes, with op R, W or D."""

from __future__ import annotations

import gzip
import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ssdqos.errors import ToolError

HEADER = "time_us,op,offset_bytes,size_bytes"
# struct blk_io_trace: magic and version, sequence, time, sector, bytes, action,
# pid, device, cpu, error, length of what follows.
BLKTRACE_RECORD = struct.Struct("=IIQQIIIIIHH")
BLKTRACE_MAGIC = 0x65617407
BLKTRACE_QUEUED = 1 | 1 << (16 + 4)
# Bits of read, write and discard; a discard is a write as well.
BLKTRACE_ACTIONS = {"R": 1 << 16, "W": 1 << (16 + 1), "D": 1 << (16 + 1) | 1 << (16 + 13)}
# Any will do; fio takes a first time of 0 for none.
BLKTRACE_START_NS = 1_000_000
BLKTRACE_PID = 1
BLKTRACE_DEVICE = 253 << 20
SECTOR_BYTES = 512
UNIT_BYTES = 4096
DISCARD_BYTES = 4 << 20
NS_PER_US = 1000
US_PER_S = 1_000_000


@dataclass(frozen=True)
class Row:
    time_us: float
    op: str
    offset: int
    size: int


@dataclass(frozen=True)
class Summary:
    """What to know about a trace before believing a result."""

    requests: dict[str, int]
    bytes: dict[str, int]
    duration_s: float
    span_bytes: int
    touched_bytes: int
    unwritten_reads: int  # reads of something that the trace has not written before


def parse_row(line: str) -> Row:
    time_us, op, offset, size = line.split(",")
    if op not in BLKTRACE_ACTIONS:
        raise ValueError(f"operation {op!r} is not R, W or D")
    return Row(float(time_us), op, int(offset), int(size))


def read(path: Path) -> list[Row]:
    rows: list[Row] = []
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt") as file:
            for number, line in enumerate(file, start=1):
                if line.strip() in ("", HEADER):
                    continue
                rows.append(parse_row(line.strip()))
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error}") from error
    except ValueError as error:
        raise ToolError(f"{path}:{number}: {error}") from error
    if not rows:
        raise ToolError(f"{path} has no requests")
    return rows


def summarise(rows: list[Row]) -> Summary:
    size: Counter[str] = Counter()
    written: set[int] = set()
    touched: set[int] = set()
    unwritten_reads = 0
    for row in rows:
        size[row.op] += row.size
        units = range(row.offset // UNIT_BYTES, (row.offset + row.size - 1) // UNIT_BYTES + 1)
        if row.op == "D":
            continue
        touched.update(units)
        if row.op == "W":
            written.update(units)
        elif not written.issuperset(units):
            unwritten_reads += 1
    return Summary(dict(Counter(row.op for row in rows)), dict(size),
                   (rows[-1].time_us - rows[0].time_us) / US_PER_S,
                   max(row.offset + row.size for row in rows),
                   len(touched) * UNIT_BYTES, unwritten_reads)


def split_discards(rows: list[Row]) -> list[Row]:
    """Cuts large discards: each request of fio has a buffer as large as the
    largest of all, even if that carries no data."""
    cut: list[Row] = []
    for row in rows:
        if row.op != "D":
            cut.append(row)
            continue
        for offset in range(row.offset, row.offset + row.size, DISCARD_BYTES):
            size = min(DISCARD_BYTES, row.offset + row.size - offset)
            cut.append(Row(row.time_us, row.op, offset, size))
    return cut


def write(rows: list[Row], path: Path) -> None:
    with path.open("w") as out:
        out.write(HEADER + "\n")
        out.writelines(f"{row.time_us:.15g},{row.op},{row.offset},{row.size}\n" for row in rows)


def write_blktrace(rows: list[Row], scale: float, path: Path) -> None:
    """The trace as blktrace would record it, its times multiplied by `scale`:
    of the formats that fio replays, the only one with discards."""
    first_us = rows[0].time_us
    with path.open("wb") as out:
        for number, row in enumerate(rows):
            time_ns = BLKTRACE_START_NS + round((row.time_us - first_us) * scale * NS_PER_US)
            out.write(BLKTRACE_RECORD.pack(
                BLKTRACE_MAGIC, number, time_ns, row.offset // SECTOR_BYTES, row.size,
                BLKTRACE_QUEUED | BLKTRACE_ACTIONS[row.op], BLKTRACE_PID, BLKTRACE_DEVICE, 0, 0, 0))
