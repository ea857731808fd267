# SPDX-License-Identifier: GPL-2.0
"""A measurement of discards and what follows from it, in lines of text."""

from __future__ import annotations

from ssdqos.qos.units import size_text
from ssdqos.trim.measurement import ORDERS, Cell, Measurement, Times
from ssdqos.trim.plan import DEPTHS
from ssdqos.trim.proposal import Proposal, ms
from ssdqos.trim.runner import Report

COLUMN, SIZE_COLUMN, MIB_COLUMN, BESIDE_COLUMN = 27, 5, 14, 50
NOTHING = "-"


def beside_text(cell: Cell | None) -> str:
    return f"beside discards of {cell.told()}" if cell else "alone"


def median_text(times: Times) -> str:
    return f"median {ms(times.p50_ns)}, p99 {ms(times.p99_ns)}" if times.n else "none was done in time"


def part(report: Report) -> str:
    what = f"reads {beside_text(report.cell)}" if report.is_reads else f"discards of {report.cell.told()}"
    return f"{what}: {median_text(report.times)}"


def columns() -> list[tuple[str, int]]:
    return [(order, depth) for order in ORDERS for depth in DEPTHS]


def discard_lines(found: Measurement) -> list[str]:
    """A size each: median and 99th percentile."""
    made = [f"{'size':<{SIZE_COLUMN}}" + "".join(f"{f'{order}, {depth} at a time':>{COLUMN}}"
                                                 for order, depth in columns()) + f"{'per MiB':>{MIB_COLUMN}}"]
    for size in sorted({one.cell.bytes for one in found.discards}):
        line = f"{size_text(size):<{SIZE_COLUMN}}"
        for order, depth in columns():
            one = found.find(Cell(size, order, depth))
            line += f"{f'{ms(one.times.p50_ns)} / {ms(one.times.p99_ns)}' if one else NOTHING:>{COLUMN}}"
        one = found.find(Cell(size))
        made.append(line + f"{ms(one.ns_per_mib()) if one else NOTHING:>{MIB_COLUMN}}")
    return made


def read_lines(found: Measurement) -> list[str]:
    return [f"  {beside_text(one.beside):<{BESIDE_COLUMN}}{median_text(one.times)}" for one in found.reads]


def lines(found: Measurement, made: Proposal, name: str) -> list[str]:
    return ["Discards, median / p99; per MiB: ascending, one at a time", *discard_lines(found),
            f"writing takes {ms(found.write_ns_per_mib)} per MiB", "",
            "Reads of 4 KiB, one at a time", *read_lines(found), "",
            "Proposal", *(f"  {one.key}={one.value}: {one.why}" for one in made.settings), "", made.command(name)]
