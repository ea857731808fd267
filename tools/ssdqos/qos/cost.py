# SPDX-License-Identifier: GPL-2.0
"""The device time of a request, looked up in a profile: dm-ssdqos/core/qos/profile.c in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ssdqos.errors import ToolError
from ssdqos.qos.profile_file import NS_MAX, CostKey, Profile
from ssdqos.qos.request import PATTERNS, RequestClass
from ssdqos.qos.units import ceil_div, ms_text, size_text

# 512 bytes, 1 KiB, ... 16 MiB
SIZES = tuple(512 << shift for shift in range(16))
# Long enough for the number of requests in it to be exact.
RATE_NS = 10 ** 14


class NoCost(ToolError):
    """The profile promises nothing for this."""


@dataclass(frozen=True)
class Terms:
    """What a cost is asked for, besides the class and the size of the request.

    Of mixtures, `longest_ms` is the longest window of the promises, if that is another one.
    """

    window_ms: int
    confidence: int  # permille
    depth: int
    longest_ms: int = 0


DepthOrder = Callable[[CostKey, Terms], tuple[bool, int]]


def column(profile: Profile, window_ms: int) -> int:
    """The longest measured window that is not longer."""
    fitting = [at for at, measured in enumerate(profile.windows_ms) if measured <= window_ms]
    if not fitting:
        raise NoCost(f"a window of {ms_text(window_ms)} is shorter than the shortest one that was "
                     f"measured, {ms_text(profile.windows_ms[0])}")
    return fitting[-1]


def below(key: CostKey, terms: Terms) -> tuple[bool, int]:
    """The first one is best: the largest depth that is not above, else the smallest."""
    beyond_it = key.depth > terms.depth
    return beyond_it, key.depth if beyond_it else -key.depth


def above(key: CostKey, terms: Terms) -> tuple[bool, int]:
    """The smallest depth that is not below, else the largest."""
    beyond_it = key.depth < terms.depth
    return beyond_it, -key.depth if beyond_it else key.depth


def confidence(key: CostKey, terms: Terms) -> tuple[bool, int]:
    """The least one that is not below, else the largest."""
    low = key.confidence < terms.confidence
    return low, -key.confidence if low else key.confidence


def best_keys(profile: Profile, request: RequestClass, terms: Terms, depth: DepthOrder) -> dict[int, CostKey]:
    """By size."""
    best: dict[int, CostKey] = {}
    for key in sorted((key for key in profile.costs if key.request == request),
                      key=lambda key: (depth(key, terms), confidence(key, terms)), reverse=True):
        best[key.bytes] = key
    return best


def to_zero(low: int, low_ns: int | None, depth: int) -> int | None:
    """Below all depths that were measured, rounded up: the rate is on a straight line to none at all with no requests."""
    ns = None if low_ns is None else ceil_div(low_ns * low, depth)
    return None if ns is None or ns > NS_MAX else ns


def at_depth(low: int, low_ns: int | None, high: int, high_ns: int | None, depth: int) -> int | None:
    """Rounded up; the rate is on a straight line between two depths."""
    if low > depth:
        return to_zero(low, low_ns, depth)
    if low >= high:
        return low_ns
    if low_ns is None or high_ns is None:
        return None
    rate = (RATE_NS // low_ns * (high - depth) + RATE_NS // high_ns * (depth - low)) // (high - low)
    return ceil_div(RATE_NS, rate)


def known(profile: Profile, request: RequestClass, terms: Terms) -> dict[int, int | None]:
    """Costs of the measured sizes."""
    at = column(profile, terms.window_ms)
    low, high = (best_keys(profile, request, terms, side) for side in (below, above))
    return {size: at_depth(low[size].depth, profile.costs[low[size]][at],
                           high[size].depth, profile.costs[high[size]][at], terms.depth) for size in sorted(low)}


def between(low: int, low_ns: int | None, high: int, high_ns: int | None, at: int) -> int | None:
    """Rounded down; what cannot be promised spreads."""
    if low_ns is None or high_ns is None:
        return None
    return low_ns + (high_ns - low_ns) * (at - low) // (high - low)


def beyond(from_ns: int | None, from_size: int, size: int) -> int | None:
    """Above the largest measured size, cost goes with the size."""
    if from_ns is None or from_ns * (size // from_size) > NS_MAX:
        return None
    return from_ns * (size // from_size)


def at_power_of_two(points: dict[int, int | None], size: int) -> int | None:
    sizes = list(points)
    if size in points:
        return points[size]
    if size <= sizes[0]:
        return points[sizes[0]]
    if size >= sizes[-1]:
        return beyond(points[sizes[-1]], sizes[-1], size)
    above = next(at for at, measured in enumerate(sizes) if measured >= size)
    low, high = sizes[above - 1], sizes[above]
    return between(low, points[low], high, points[high], size)


def other_pattern(request: RequestClass) -> RequestClass:
    return RequestClass(request.op, PATTERNS[1 - PATTERNS.index(request.pattern)])


@dataclass(frozen=True)
class Source:
    """From which rows of a profile a cost comes: the sizes and depths that it lies between."""

    pattern: str
    bytes: int
    bytes_to: int
    window_ms: int
    depth: int
    depth_to: int
    confidence: int  # the least of them


def source(profile: Profile, request: RequestClass, size: int, terms: Terms) -> Source:
    """For what lookup() finds a cost of."""
    if not any(key.request == request for key in profile.costs):
        request = other_pattern(request)
    low, high = (best_keys(profile, request, terms, side) for side in (below, above))
    sizes = sorted(low)
    under = max((one for one in sizes if one <= size), default=sizes[0])
    over = min((one for one in sizes if one >= size), default=sizes[-1])
    rows = [side[one] for side in (low, high) for one in (under, over)]
    return Source(request.pattern, under, over, profile.windows_ms[column(profile, terms.window_ms)],
                  min(row.depth for row in rows), max(row.depth for row in rows),
                  min(row.confidence for row in rows))


def lookup(profile: Profile, request: RequestClass, size: int, terms: Terms) -> int:
    """In ns. A class that was not measured costs what the other pattern does."""
    points = known(profile, request, terms) or known(profile, other_pattern(request), terms)
    if not points:
        raise NoCost(f"the profile has no cost of a {request.op}")
    size = min(max(size, SIZES[0]), SIZES[-1])
    low = 1 << (size.bit_length() - 1)
    ns = at_power_of_two(points, low)
    if size != low:
        ns = between(low, ns, low * 2, at_power_of_two(points, low * 2), size)
    if ns is None:
        window_ms = profile.windows_ms[column(profile, terms.window_ms)]
        raise NoCost(f"{request} of {size_text(size)} had windows of {ms_text(window_ms)} without any "
                     "request: nothing can be promised")
    return ns
