# SPDX-License-Identifier: GPL-2.0
"""What mixtures of reads and writes show in windows.

The work of a window is what its requests cost alone, in windows of the same
length and with the same confidence.  A mixture that does less work than its
windows are long takes so much more of the device time.

A mixture of small requests says little of one of large ones, and neither of what
lies between: each size has a line through its own mixtures, and the worst of the
lines counts.  Neither says what small writes do to large reads, so reads beside a
rate of small writes are such a line as well, with as many at a time as there are.
Example: 684 writes of 4 KiB take 9 % of a drive, and reads of 64 KiB get 85 % then.

A drive that stops now and then for its writes stops less often with fewer of
them.  So a mixture with a tenth of the writes has a tenth as many bad windows:
what it does with a confidence is what the measured one does with less.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from ssdqos.profiler import seldom, series
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.seldom import Backed
from ssdqos.profiler.series import Series
from ssdqos.profiler.settled import Verdict
from ssdqos.qos import mixture
from ssdqos.qos.profile_file import CostKey, MixedKey, Profile
from ssdqos.qos.request import OPS
from ssdqos.qos.units import NS_PER_MS, PERMILLE, ceil_div

CONFIDENCES = (900, 950, 990, 999)
# A mixture that was cheaper than its parts is no promise for the mixtures of another day.
FACTOR_MIN = 1000
# Parts of the device time that writes take, in percent, below what was measured.
THINNED_PCTS = (1, 3, 10)

Rows = dict[MixedKey, tuple[int | None, ...]]


def charge(row: tuple[int | None, ...], at: int) -> int | None:
    """Where nothing can be promised, what longer windows say."""
    return next((ns for ns in row[at:] if ns), None)


def alone(cell: Cell, profile: Profile, op: str) -> Cell:
    """What a mixture's reads, or writes, are alone; beside reads go the smallest writes, with the most at a time."""
    writes = [key for key in profile.costs if key.request == cell.of("write")]
    if op == "write" and cell.is_beside() and writes:
        smallest = min(writes, key=lambda key: (key.bytes, -key.depth))
        return Cell(op, cell.pattern, smallest.bytes, smallest.depth)
    return Cell(op, cell.pattern, cell.bytes, cell.depth)


def costs_at(cell: Cell, profile: Profile, at: int, confidence: int) -> dict[str, int] | None:
    made = {}
    for op in OPS:
        single = alone(cell, profile, op)
        row = profile.costs.get(CostKey(single.of(op), single.bytes, single.depth, confidence))
        ns = charge(row, at) if row else None
        if ns is None:
            return None
        made[op] = ns
    return made


def works_ns(mixed: Series, costs: dict[str, int]) -> list[int]:
    return [reads * costs["read"] + writes * costs["write"] for reads, writes in zip(mixed.reads, mixed.writes)]


def works(cell: Cell, cells: dict[Cell, Series], costs: dict[str, int], window_ms: int) -> Backed:
    return seldom.backed(cell, cells, window_ms, lambda counts: works_ns(counts, costs))


def write_pct(cell: Cell, mixed: Series, profile: Profile, singles: dict[Cell, Series]) -> int:
    """Percent of the time that writes would take alone."""
    times = {op: sum(mixed.of(op)) * series.mean_ns(singles[alone(cell, profile, op)].of(op)) for op in OPS}
    return round(100 * times["write"] / sum(times.values()))


def factor(found: Backed, window_ms: int, confidence: int, is_careful: bool) -> int | None:
    work_ns = found.count(confidence, is_careful)
    return max(ceil_div(PERMILLE * window_ms * NS_PER_MS, work_ns), FACTOR_MIN) if work_ns else None


def rows_of(cell: Cell, cells: dict[Cell, Series], profile: Profile, measured_pct: int,
            verdict: Verdict) -> dict[MixedKey, list[int | None]]:
    """Of the measured part of writes, and of smaller ones."""
    made: dict[MixedKey, list[int | None]] = {}
    pcts = [pct for pct in THINNED_PCTS if pct < measured_pct] + [measured_pct]
    for at, window_ms in enumerate(profile.windows_ms):
        in_doubt = verdict.in_doubt(window_ms)
        costs = {confidence: costs_at(cell, profile, at, confidence) for confidence in CONFIDENCES}
        found = {confidence: works(cell, cells, one, window_ms) for confidence, one in costs.items() if one}
        for pct in pcts:
            factors = {confidence: factor(found[confidence], window_ms, seldom.thinned(confidence, measured_pct, pct),
                                          confidence in in_doubt) if confidence in found else None
                       for confidence in CONFIDENCES}
            for confidence, permille in factors.items():
                made.setdefault(MixedKey(pct, cell.depth, confidence), []).append(permille)
    return made


def worse(one: int | None, other: int | None) -> int | None:
    return max(one, other) if one and other else None


def of_size(found: list[tuple[int, Cell]], cells: dict[Cell, Series], profile: Profile, verdicts: dict[Cell, Verdict]) -> Rows:
    """Of mixtures of one size and depth, with the part of their writes.

    What was measured counts; of what was thinned the mixture with the fewest writes.
    """
    made: Rows = {}
    least = min(pct for pct, _ in found)
    for pct, cell in sorted(found, key=lambda one: one[0]):
        for key, row in rows_of(cell, cells, profile, pct, verdicts[cell]).items():
            if key.write_pct == pct or pct == least:
                made[key] = tuple(map(worse, made[key], row)) if key in made else tuple(row)
    return made


def on_line(rows: Rows, key: MixedKey, at: int) -> int | None:
    """Of one window, on the line through the rows of a size."""
    line = mixture.ALONE | {one.write_pct: row[at] or mixture.NEVER for one, row in rows.items()
                            if one.confidence == key.confidence}
    factor_found = mixture.between(line, key.write_pct)
    return None if factor_found >= mixture.NEVER else factor_found


def worst_of_sizes(sizes: list[Rows], windows: int) -> Rows:
    """Wherever one was measured: a size that is kind to others does not make up for one that isn't."""
    keys = sorted({key for rows in sizes for key in rows})
    return {key: tuple(reduce(worse, [on_line(rows, key, at) for rows in sizes]) for at in range(windows)) for key in keys}


def deepest(cells: Iterable[Cell]) -> int:
    """The most at a time that was measured alone; 0 if nothing was."""
    return max((cell.depth for cell in cells if cell.is_single()), default=0)


def is_deep(cell: Cell, most: int) -> bool:
    """Reads beside writes of a client that waits for no single one: what they show is a mixture."""
    return cell.is_beside() and cell.depth == most > 1


def mixed(cells: dict[Cell, Series], profile: Profile, verdicts: dict[Cell, Verdict]) -> Rows:
    """By the part of writes; at each depth the worst of the lines that were measured there."""
    singles = {cell: counts for cell, counts in cells.items() if cell.is_single()}
    most = deepest(cells)
    found: dict[int, dict[tuple[str, int], list[tuple[int, Cell]]]] = {}
    for cell, counts in cells.items():
        if not (cell.is_mix() or is_deep(cell, most)):
            continue
        if all(alone(cell, profile, op) in singles for op in OPS):
            pct = write_pct(cell, counts, profile, singles)
            if 0 < pct < 100:
                found.setdefault(cell.depth, {}).setdefault((cell.op, cell.bytes), []).append((pct, cell))
    made: Rows = {}
    for lines in found.values():
        made |= worst_of_sizes([of_size(some, cells, profile, verdicts) for some in lines.values()], len(profile.windows_ms))
    return dict(sorted(made.items()))
