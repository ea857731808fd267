# SPDX-License-Identifier: GPL-2.0
"""The device time of a request, looked up in a profile as the kernel does."""

from __future__ import annotations

from dataclasses import dataclass

from ssdqos.errors import ToolError
from ssdqos.qos.profile_file import CostKey, Profile
from ssdqos.qos.request import RequestClass
from ssdqos.qos.units import ceil_div, ms_text, percent_text, size_text


class NoCost(ToolError):
    """The profile promises nothing for this."""


@dataclass(frozen=True)
class Choice:
    """The rows and the column of a profile that hold for a promise."""

    request: RequestClass
    depth: int
    confidence: int
    window_ms: int


def choose(profile: Profile, request: RequestClass, window_ms: int, confidence: int,
           queue_depth: int) -> Choice:
    """Always the measured one that promises less: shorter window, greater confidence."""
    keys = [key for key in profile.costs if key.request == request]
    if not keys:
        raise NoCost(f"the profile has no {request}")
    windows = [window for window in profile.windows_ms if window <= window_ms]
    if not windows:
        raise NoCost(f"a window of {ms_text(window_ms)} is shorter than the shortest one that was "
                     f"measured, {ms_text(profile.windows_ms[0])}")
    confidences = [key.confidence for key in keys if key.confidence >= confidence]
    if not confidences:
        raise NoCost(f"a confidence of {percent_text(confidence)} was not measured for {request}")
    depths = [key.depth for key in keys if key.depth <= queue_depth]
    if not depths:
        raise NoCost(f"{request} was not measured at a queue depth of {queue_depth} or less")
    return Choice(request, max(depths), min(confidences), max(windows))


def points(profile: Profile, choice: Choice) -> dict[int, int | None]:
    """Cost by size, in the order of sizes."""
    column = profile.windows_ms.index(choice.window_ms)
    sizes = sorted(key.bytes for key in profile.costs
                   if (key.request, key.depth, key.confidence)
                   == (choice.request, choice.depth, choice.confidence))
    return {size: profile.costs[CostKey(choice.request, size, choice.depth, choice.confidence)][column]
            for size in sizes}


def promised(cost: int | None, choice: Choice, size: int) -> int:
    if cost is None:
        raise NoCost(f"{choice.request} of {size_text(size)} had windows of "
                     f"{ms_text(choice.window_ms)} without any request: nothing can be promised")
    return cost


def cost_ns(profile: Profile, choice: Choice, size: int) -> int:
    """Linear between two sizes, in proportion above the largest, the smallest one's below."""
    by_size = points(profile, choice)
    sizes = list(by_size)
    if not sizes:
        raise NoCost(f"the profile has no {choice.request} at depth {choice.depth} and "
                     f"{percent_text(choice.confidence)}")
    if size <= sizes[0]:
        return promised(by_size[sizes[0]], choice, sizes[0])
    if size >= sizes[-1]:
        return ceil_div(promised(by_size[sizes[-1]], choice, sizes[-1]) * size, sizes[-1])
    above = next(at for at, known in enumerate(sizes) if known >= size)
    low, high = sizes[above - 1], sizes[above]
    high_ns = promised(by_size[high], choice, high)
    if high == size:
        return high_ns
    low_ns = promised(by_size[low], choice, low)
    return low_ns + ceil_div((high_ns - low_ns) * (size - low), high - low)
