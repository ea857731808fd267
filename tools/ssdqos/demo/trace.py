# SPDX-License-Identifier: GPL-2.0
"""Block traces: time_us,op,offset_bytes,size_bytes, with op R, W or D."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ssdqos.errors import ToolError

HEADER = "time_us,op,offset_bytes,size_bytes"
OPERATIONS = "RWD"
# fio 3.33 leaves discards in its text logs out, with no more than a message.
FIO_ACTIONS = {"R": "read", "W": "write"}
# fio takes a first time of 0 for none.
FIO_START_US = 1000
FIO_DEVICE = "drive"
UNIT_BYTES = 4096
# fio waits for the difference between two times, and then takes so long for the
# request itself: by the machine's clock, which counts instructions.
FIO_REQUEST_US = 14
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
    if op not in OPERATIONS:
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


def first(rows: list[Row], seconds: float) -> list[Row]:
    """Those of the first seconds."""
    end_us = rows[0].time_us + seconds * US_PER_S
    return [row for row in rows if row.time_us < end_us]


def replayable(rows: list[Row]) -> list[Row]:
    """Without the discards."""
    return [row for row in rows if row.op in FIO_ACTIONS]


def write(rows: list[Row], path: Path) -> None:
    with path.open("w") as out:
        out.write(HEADER + "\n")
        out.writelines(f"{row.time_us:.15g},{row.op},{row.offset},{row.size}\n" for row in rows)


def write_fio(rows: list[Row], scale: float, path: Path) -> None:
    """The trace as fio's I/O log of version 3, its times multiplied by `scale`.

    What fio takes for requests is taken off the times between them, as soon as
    these are long enough: otherwise it comes later and later."""
    at_us, before_us, owed_us = FIO_START_US, 0, 0
    with path.open("w") as out:
        out.write(f"fio version 3 iolog\n{at_us} {FIO_DEVICE} add\n{at_us} {FIO_DEVICE} open\n")
        for row in rows:
            time_us = round((row.time_us - rows[0].time_us) * scale)
            paid_us = min(owed_us, time_us - before_us)
            at_us += time_us - before_us - paid_us
            before_us, owed_us = time_us, owed_us - paid_us + FIO_REQUEST_US
            out.write(f"{at_us} {FIO_DEVICE} {FIO_ACTIONS[row.op]} {row.offset} {row.size}\n")
        out.write(f"{at_us} {FIO_DEVICE} close\n")
