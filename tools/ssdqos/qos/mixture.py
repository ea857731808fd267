# SPDX-License-Identifier: GPL-2.0
"""What reads and writes together cost more: dm-ssdqos/core/qos/mix.c in Python, in the same integers."""

from __future__ import annotations

from collections.abc import Iterable

from ssdqos.qos.cost import Terms
from ssdqos.qos.profile_file import BesideKey, MixedKey, Profile
from ssdqos.qos.units import PERMILLE

# What cannot be promised at all does not fit, whatever is asked for.
NEVER = 1_000_000
ENDS = {0: PERMILLE, 100: PERMILLE}
ALONE = {0: PERMILLE}


def between(points: dict[int, int], write_pct: int) -> int:
    """Linear between two points, the outermost one's value beyond."""
    rows = sorted(points.items())
    if write_pct <= rows[0][0]:
        return rows[0][1]
    for (low, low_factor), (high, high_factor) in zip(rows, rows[1:]):
        if write_pct == high:
            return high_factor
        if write_pct < high:
            if NEVER in (low_factor, high_factor):
                return NEVER
            return (low_factor * (high - write_pct) + high_factor * (write_pct - low)) // (high - low)
    return rows[-1][1]


def order(key: MixedKey, terms: Terms) -> tuple[bool, int, bool, int]:
    """The first one is best: the largest depth that is not above, the least confidence not below."""
    deep, low = key.depth > terms.depth, key.confidence < terms.confidence
    return deep, key.depth if deep else -key.depth, low, -key.confidence if low else key.confidence


def column(profile: Profile, window_ms: int) -> int:
    """The longest measured window that is not longer, else the shortest."""
    return max((at for at, measured in enumerate(profile.windows_ms) if measured <= window_ms), default=0)


def columns(profile: Profile, terms: Terms) -> range:
    """Of the windows of which the worst one counts."""
    first = column(profile, terms.window_ms)
    return range(first, max(first, column(profile, terms.longest_ms)) + 1)


def best_key(rows: Iterable[MixedKey], terms: Terms) -> MixedKey:
    """Of the depth and the confidence that hold."""
    return min(rows, key=lambda key: order(key, terms))


def alike(rows: Iterable[MixedKey], best: MixedKey) -> list[MixedKey]:
    return [key for key in rows if (key.depth, key.confidence) == (best.depth, best.confidence)]


def measured(rows: dict[MixedKey, tuple[int | None, ...]], profile: Profile, terms: Terms) -> dict[int, int]:
    """By the part of writes; the rows of the depth and the confidence that hold, and the worst of the windows."""
    return {key.write_pct: max(min(rows[key][at] or NEVER, NEVER) for at in columns(profile, terms))
            for key in alike(rows, best_key(rows, terms))}


def points(profile: Profile, terms: Terms) -> dict[int, int]:
    """Permille of the single costs, by the part of writes, as measured."""
    if not profile.mixed:
        return profile.mix or ENDS
    found = ALONE | measured(profile.mixed, profile, terms)
    # A few reads may cost as much as many: only writes alone are cheap.
    return found | {99: found[max(found)], 100: PERMILLE}


def nearest(sizes: set[int], size: int) -> set[int]:
    """The measured sizes around one; the outermost one beyond."""
    return {max((one for one in sizes if one <= size), default=min(sizes)),
            min((one for one in sizes if one >= size), default=max(sizes))}


def beside_keys(profile: Profile, terms: Terms, size: int) -> list[list[BesideKey]]:
    """Of each of the measured sizes around one."""
    found: dict[int, list[BesideKey]] = {}
    for key in alike(profile.beside, best_key(profile.beside, terms)):
        found.setdefault(key.bytes, []).append(key)
    return [found[one] for one in nearest(set(found), size)]


def beside(profile: Profile, terms: Terms, size: int) -> list[dict[int, int]]:
    """Permille of what reads of that size cost alone, by what writes take of the device time; as measured.

    Between two sizes both lines are there, and the worse counts.
    """
    if not profile.beside:
        return [ALONE]
    return [ALONE | measured({key: profile.beside[key] for key in keys}, profile, terms)
            for keys in beside_keys(profile, terms, size)]


def factor(profile: Profile, terms: Terms, write_pct: int) -> int:
    return between(points(profile, terms), write_pct)
