# SPDX-License-Identifier: GPL-2.0
"""A profile from counted cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise

from ssdqos.errors import ToolError
from ssdqos.profiler import beside, fit, gaps, mixture, seldom, series, settled, stop, unsettled
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.mixture import CONFIDENCES, FACTOR_MIN
from ssdqos.profiler.seldom import Backed
from ssdqos.profiler.series import Series
from ssdqos.profiler.settled import SURE, Sums, Verdict
from ssdqos.qos.profile_file import MIXES_MAX, BesideKey, CostKey, Fit, Profile, check
from ssdqos.qos.request import CLASSES, OPS, PATTERNS, RequestClass
from ssdqos.qos.units import MS_PER_S, PERMILLE

# Which column of the costs the models are fitted to.
FIT_WINDOW_MS = MS_PER_S
FIT_CONFIDENCE = 990
# The ends of the mixture are no mixture.
PURE = {0: PERMILLE, 100: PERMILLE}


def windows(cells: dict[Cell, Series]) -> tuple[int, ...]:
    """Those for which every cell is long enough."""
    shortest = min(counts.duration_ms() for counts in cells.values())
    if not (fitting := series.fitting_windows(shortest)):
        raise ToolError(f"cells of {shortest} ms are too short for a profile")
    return fitting


def verdict(cell: Cell, cells: Mapping[Cell, Series], windows_ms: tuple[int, ...]) -> Verdict:
    """Beside writes it is reads that count, and what the cell with more writes has seen."""
    counts = cells[cell]
    found = settled.judge(counts.reads if cell.is_beside() else counts.total(), windows_ms, CONFIDENCES)
    blind = seldom.doubts(cell, cells, windows_ms, CONFIDENCES)
    return replace(found, doubts=blind | found.doubts)


def costs_of(columns: Iterable[tuple[int, Sums | Backed]], found: Verdict = SURE) -> dict[int, tuple[int | None, ...]]:
    """By confidence, from each window's length and sums; with care where the verdict has doubts."""
    made = []
    for window_ms, sums in columns:
        in_doubt = found.in_doubt(window_ms)
        made.append(settled.capped({confidence: series.count_cost_ns(
            sums.count(confidence, confidence in in_doubt), window_ms) for confidence in CONFIDENCES}, in_doubt))
    return {confidence: tuple(column[confidence] for column in made) for confidence in CONFIDENCES}


def cell_costs(counts: list[int], windows_ms: tuple[int, ...],
               found: Verdict = SURE) -> dict[int, tuple[int | None, ...]]:
    return costs_of(((window_ms, Sums.of(counts, window_ms)) for window_ms in windows_ms), found)


def shallow(cells: dict[Cell, Series], profile: Profile, verdicts: dict[Cell, Verdict]) -> dict[BesideKey, tuple[int | None, ...]]:
    """How much slower reads beside writes are for clients that wait for each read."""
    most = mixture.deepest(cells)
    backed = {cell: [seldom.reads(cell, cells, window_ms) for window_ms in profile.windows_ms]
              for cell in cells if cell.is_beside() and not mixture.is_deep(cell, most)}

    def others(cell: Cell, confidence: int, at: int) -> list[Cell]:
        return [one for one in seldom.of_other_sizes(cell, backed)
                if seldom.knows_less(backed[cell][at], backed[one][at], confidence)]

    found = {cell: costs_of(zip(profile.windows_ms, columns), verdicts[cell]) for cell, columns in backed.items()}
    return beside.rows(found, profile.costs, others)


def costs(singles: dict[Cell, Series], windows_ms: tuple[int, ...],
          verdicts: dict[Cell, Verdict]) -> dict[CostKey, tuple[int | None, ...]]:
    return {CostKey(cell.of(cell.op), cell.bytes, cell.depth, confidence): row
            for cell, counts in singles.items()
            for confidence, row in cell_costs(counts.of(cell.op), windows_ms, verdicts.get(cell, SURE)).items()}


def write_ns(cell: Cell, singles: dict[Cell, Series]) -> int:
    """What the write of a cell with fsync takes alone, at the depth that is nearest; 0 if it was not measured."""
    alike = sorted(one.depth for one in singles
                   if (one.op, one.pattern, one.bytes) == ("write", cell.pattern, cell.bytes))
    return int(series.mean_ns(singles[Cell("write", cell.pattern, cell.bytes, alike[0])].writes)) if alike else 0


def flushes(cells: dict[Cell, Series], windows_ms: tuple[int, ...],
            verdicts: dict[Cell, Verdict]) -> dict[int, tuple[int | None, ...]]:
    """By confidence: what a write and its fsync take, without the write."""
    made: dict[int, tuple[int | None, ...]] = {}
    for cell, counts in cells.items():
        if not cell.is_fsync():
            continue
        alone_ns = write_ns(cell, cells)
        for confidence, both in cell_costs(counts.writes, windows_ms, verdicts[cell]).items():
            made[confidence] = tuple(max(ns - alone_ns, 1) if ns else None for ns in both)
    return made


def mix_row(cell: Cell, mixed: Series, singles: dict[Cell, Series]) -> tuple[int, int] | None:
    """Percent of the time that writes would take alone, and the mixture's time against both alone.

    None where the same requests were not measured alone.
    """
    alone_ms = {}
    for op in OPS:
        single = singles.get(Cell(op, cell.pattern, cell.bytes, cell.depth))
        if single is None:
            return None
        alone_ms[op] = sum(mixed.of(op)) * series.mean_ns(single.of(op)) / 1e6
    both_ms = sum(alone_ms.values())
    if not both_ms:
        raise ToolError(f"{cell.name}: no request completed")
    return (round(100 * alone_ms["write"] / both_ms),
            max(round(PERMILLE * mixed.duration_ms() / both_ms), FACTOR_MIN))


def fewer(rows: dict[int, int], most: int) -> dict[int, int]:
    """Of two that are next to each other in percent the worse stays, until there are no more than so many; the ends stay."""
    while len(rows) > most:
        pcts = sorted(rows)[1:-1]
        low, high = min(pairwise(pcts), key=lambda pair: pair[1] - pair[0])
        rows = {pct: factor for pct, factor in rows.items() if pct != (low if rows[low] <= rows[high] else high)}
    return rows


def mix(cells: dict[Cell, Series]) -> dict[int, int]:
    """The worst of the mixtures that come to the same percentage, as many as the kernel takes."""
    singles = {cell: counts for cell, counts in cells.items() if cell.is_single()}
    rows = [row for cell, counts in cells.items() if cell.is_mix() and (row := mix_row(cell, counts, singles))]
    made = dict(PURE) if rows else {}
    for pct, factor in rows:
        if pct not in PURE:
            made[pct] = max(factor, made.get(pct, 0))
    return fewer(dict(sorted(made.items())), MIXES_MAX)


def by_size(profile: Profile, request: RequestClass, depth: int) -> tuple[int, dict[int, int]]:
    """Costs in 99 % of windows of one length: 1 s, or the next at which all sizes can be promised."""
    rows = {key.bytes: row for key, row in sorted(profile.costs.items())
            if (key.request, key.depth, key.confidence) == (request, depth, FIT_CONFIDENCE)}
    begin = max((at for at, window in enumerate(profile.windows_ms) if window <= FIT_WINDOW_MS), default=0)
    columns = range(begin, len(profile.windows_ms))
    column = next((at for at in columns if all(row[at] for row in rows.values())), columns[-1])
    return profile.windows_ms[column], {size: row[column] for size, row in rows.items() if row[column]}


def fits(profile: Profile) -> list[Fit]:
    """At the greatest depth."""
    depth = max(key.depth for key in profile.costs)
    return [made for request in CLASSES for made in fit.fits(request, by_size(profile, request, depth)[1])]


def lengths(cells: dict[Cell, Series]) -> dict[str, str]:
    """Meta: seconds of cells that had to be longer than others."""
    least = min(counts.seconds() for counts in cells.values())
    longer = [f"{cell.name}={counts.seconds()}" for cell, counts in cells.items() if counts.seconds() > least]
    return {"longer_cells_s": " ".join(longer)} if longer else {}


def discard_rows(discards_ns: dict[Cell, int]) -> dict[str, dict[int, int]]:
    """By order and size."""
    return {pattern: rows for pattern in PATTERNS
            if (rows := {cell.bytes: ns for cell, ns in sorted(discards_ns.items(), key=lambda pair: pair[0].bytes)
                         if cell.pattern == pattern})}


def build(cells: dict[Cell, Series], meta: dict[str, str], discards_ns: dict[Cell, int] | None = None,
          name: str = "the profile") -> Profile:
    """Raises ToolError where the cells make no profile that the kernel would take; `name` is what the sentence calls it."""
    if not cells:
        raise ToolError("no cell was measured")
    stops = {cell: counts for cell, counts in cells.items() if cell.is_stop()}
    cells = {cell: counts for cell, counts in cells.items() if not cell.is_stop()}
    singles = {cell: counts for cell, counts in cells.items() if cell.is_single()}
    windows_ms = windows(cells)
    verdicts = {cell: verdict(cell, cells, windows_ms) for cell in cells}
    profile = Profile(meta | gaps.META | lengths(cells) | unsettled.meta(verdicts, windows_ms), windows_ms)
    # What a mixture costs beyond its parts goes by the parts as they were measured: it may not undo the care.
    profile.costs = costs(singles, windows_ms, {})
    profile.mixed = mixture.mixed(cells, profile, verdicts)
    profile.beside = shallow(cells, profile, verdicts)
    profile.costs = costs(singles, windows_ms, verdicts)
    profile.mix = mix(cells)
    profile.flush = flushes(cells, windows_ms, verdicts)
    profile.stop = stop.longest(stops)
    profile.discards = discard_rows(discards_ns or {})
    check(profile, name)
    profile.fits = fits(profile)
    return profile
