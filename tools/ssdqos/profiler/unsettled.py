# SPDX-License-Identifier: GPL-2.0
"""What a profile says of its own doubts: a line of meta for each cell that had not settled.

    meta unsettled.write-rand-4k-d32 95%:100ms,1s 99%:100ms-2s off 31% in 480s cycle 7s

Such costs are of the worst third of the cell: less is promised, and perhaps not too little.  See settled.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from ssdqos.errors import ToolError
from ssdqos.profiler.cell import Cell, parse
from ssdqos.profiler.mixture import is_deep
from ssdqos.profiler.settled import Verdict
from ssdqos.qos import admission, cost, mixture
from ssdqos.qos.admission import DriveSettings, Sums
from ssdqos.qos.cost import Terms
from ssdqos.qos.profile_file import ANY_BYTES, CostKey, Profile
from ssdqos.qos.promise import Promise
from ssdqos.qos.request import RequestClass
from ssdqos.qos.units import ms_text, percent_text

KEY = "unsettled."
# Beyond it, it is no matter by how much; a third that promises nothing is as far off.
OFF_MAX_PCT = 900


def short(text: str) -> str:
    """Without spaces: the words of a line are told apart by them."""
    return text.replace(" ", "")


def ranges(windows_ms: Iterable[int], measured_ms: tuple[int, ...]) -> str:
    """100ms,1s-3s: a range has all windows that were measured."""
    runs: list[list[int]] = []
    for at in sorted(measured_ms.index(window) for window in windows_ms):
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    ends = [[short(ms_text(measured_ms[at])) for at in dict.fromkeys((run[0], run[-1]))] for run in runs]
    return ",".join("-".join(pair) for pair in ends)


def words(verdict: Verdict, measured_ms: tuple[int, ...]) -> str:
    made = []
    for confidence in sorted({confidence for _, confidence in verdict.doubts}):
        found = [window for window, other in verdict.doubts if other == confidence]
        made.append(f"{short(percent_text(confidence))}:{ranges(found, measured_ms)}")
    off = [doubt.off_pct for doubt in verdict.doubts.values()]
    is_far = None in off or max(off) > OFF_MAX_PCT
    made.append(f"off {f'>{OFF_MAX_PCT}' if is_far else max(off)}% in {verdict.seconds}s")
    if verdict.cycle_ms:
        made.append(f"cycle {short(ms_text(verdict.cycle_ms))}")
    return " ".join(made)


def meta(verdicts: dict[Cell, Verdict], measured_ms: tuple[int, ...]) -> dict[str, str]:
    return {KEY + cell.name: words(verdict, measured_ms) for cell, verdict in verdicts.items() if verdict.doubts}


def of(profile: Profile) -> dict[str, str]:
    """By the cell's name; empty for a profile that is older."""
    return {key.removeprefix(KEY): value for key, value in profile.meta.items() if key.startswith(KEY)}


def covers(line: str, profile: Profile, window_ms: int, confidence: int) -> bool:
    """Is this window, with this confidence, among those of a line?"""
    at = {short(ms_text(window)): at for at, window in enumerate(profile.windows_ms)}
    for word in line.split():
        level, colon, listed = word.partition(":")
        if not colon or level != short(percent_text(confidence)):
            continue
        for run in listed.split(","):
            first, _, last = run.partition("-")
            if first in at and at[first] <= profile.windows_ms.index(window_ms) <= at.get(last or first, -1):
                return True
    return False


def keys_of(profile: Profile, request: RequestClass, size: int, terms: Terms) -> list[CostKey]:
    """The measured costs that the one of a promise is made of: sizes and depths around its own."""
    made: dict[CostKey, None] = {}
    for depth in (cost.below, cost.above):
        best = (cost.best_keys(profile, request, terms, depth)
                or cost.best_keys(profile, cost.other_pattern(request), terms, depth))
        sizes = sorted(best)
        near = [max((one for one in sizes if one <= size), default=sizes[0]),
                min((one for one in sizes if one >= size), default=sizes[-1])] if sizes else []
        made |= dict.fromkeys(best[one] for one in near)
    return list(made)


def doubted(profile: Profile, request: RequestClass, size: int, terms: Terms) -> list[str]:
    """The unsettled cells that the cost of a promise rests on; NoCost where its window was not measured."""
    lines = of(profile)
    window_ms = profile.windows_ms[cost.column(profile, terms.window_ms)]
    names = {Cell(key.request.op, key.request.pattern, key.bytes, key.depth).name: key.confidence
             for key in keys_of(profile, request, size, terms)}
    return [name for name, confidence in names.items()
            if name in lines and covers(lines[name], profile, window_ms, confidence)]


def cells_of(profile: Profile) -> dict[Cell, str]:
    """Cells that had not settled, and their lines; what a newer tool measures is passed over."""
    made = {}
    for name, line in of(profile).items():
        try:
            made[parse(name)] = line
        except ToolError:
            continue
    return made


def covers_any(line: str, profile: Profile, terms: Terms, confidence: int) -> bool:
    """Of the windows of which the worst one counts."""
    return any(covers(line, profile, profile.windows_ms[at], confidence) for at in mixture.columns(profile, terms))


def mixed(profile: Profile, sums: Sums) -> list[str]:
    """The unsettled cells that a mixture rests on: at one depth the worst of all its mixtures counts."""
    if not profile.mixed or not any(0 < pct < admission.PERCENT for pct in sums.mixed_pcts()):
        return []
    best = mixture.best_key(profile.mixed, sums.terms())
    most = max(key.depth for key in profile.costs)
    return [cell.name for cell, line in cells_of(profile).items()
            if cell.depth == best.depth and (cell.is_mix() or is_deep(cell, most))
            and covers_any(line, profile, sums.terms(), best.confidence)]


def beside(profile: Profile, sums: Sums) -> list[str]:
    """The unsettled cells that say what reads of clients with few requests at a time cost beside the writes."""
    if not profile.beside:
        return []
    lines, made = cells_of(profile), []
    for _, terms, size in sums.shallow():
        for keys in mixture.beside_keys(profile, terms, size):
            pcts = mixture.nearest({key.write_pct for key in keys}, sums.beside_pct())
            made += [cell.name for cell, line in lines.items()
                     if cell.is_beside() and cell.depth == keys[0].depth and cell.pct in pcts
                     and keys[0].bytes in (cell.bytes, ANY_BYTES) and covers_any(line, profile, terms, keys[0].confidence)]
    return made


def rests_on(profile: Profile, promises: list[Promise], settings: DriveSettings) -> list[str]:
    """The unsettled cells that decide whether promises fit together; NoCost where one of them can't be had."""
    sums = admission.sums_of(profile, promises, settings)
    costs = [name for one in promises if one.needs_profile()
             for name in doubted(profile, one.request, one.block_bytes, admission.terms(one, settings))]
    return list(dict.fromkeys([*costs, *mixed(profile, sums), *beside(profile, sums)]))


def sentences(profile: Profile) -> list[str]:
    """For people: what was not settled, and what that means; none if all was."""
    lines = of(profile)
    if not lines:
        return []
    listed = [f"  {name}: {line}" for name, line in lines.items()]
    return [f"Cells that have not settled: {len(lines)}. Their thirds differ, or what is bad was seen too seldom, for "
            "windows of these lengths and confidences:", *listed,
            "There the worst third counts, so less is promised; whether it is little enough is not known. "
            "Longer cells (--cell-most), longer windows or a lower confidence are surer."]

