# SPDX-License-Identifier: GPL-2.0
"""Cost as a function of size: base + per KiB, or the greater of both.

Relative errors are made small, so that small requests count as much as large ones.
"""

from __future__ import annotations

from ssdqos.qos.profile_file import Fit
from ssdqos.qos.request import RequestClass

KIB = 1 << 10
SIZES_MIN = 2


def proportion(points: dict[float, float]) -> float:
    """The slope of a line through nought."""
    return (sum(x / y for x, y in points.items()) / sum((x / y) ** 2 for x, y in points.items())
            if points else 0.0)


def level(points: dict[float, float]) -> float:
    """The height of a flat line."""
    return (sum(1 / y for y in points.values()) / sum(1 / y ** 2 for y in points.values())
            if points else 0.0)


def additive(points: dict[float, float]) -> tuple[float, float]:
    """Base and slope, neither of them negative."""
    one, x1, x2, y1, xy = (sum(term(x, y) / y ** 2 for x, y in points.items()) for term in (
        lambda x, y: 1, lambda x, y: x, lambda x, y: x * x, lambda x, y: y, lambda x, y: x * y))
    slope = (one * xy - x1 * y1) / (one * x2 - x1 * x1)
    base = (y1 - slope * x1) / one
    if base < 0:
        return 0.0, proportion(points)
    return (level(points), 0.0) if slope < 0 else (base, slope)


def greater(points: dict[float, float]) -> tuple[float, float]:
    """Base and slope, where the larger of the two counts: the best of all places to part."""
    ordered = sorted(points.items())
    candidates = [(level(dict(ordered[:at])), proportion(dict(ordered[at:]))) for at in range(len(ordered) + 1)]
    return min(candidates, key=lambda pair: residual(points, [max(pair[0], pair[1] * x) for x in points]))


def residual(points: dict[float, float], fitted: list[float]) -> float:
    """Mean of the relative errors."""
    return sum(abs(made - y) / y for made, y in zip(fitted, points.values())) / len(points)


def fits(request: RequestClass, costs: dict[int, int]) -> list[Fit]:
    """Both models; `costs` has ns by bytes."""
    points = {size / KIB: float(ns) for size, ns in costs.items()}
    if len(points) < SIZES_MIN:
        return []
    made = []
    for model, solve, join in (("additive", additive, lambda a, b: a + b), ("max", greater, max)):
        base, slope = solve(points)
        error = residual(points, [join(base, slope * x) for x in points])
        made.append(Fit(model, request, round(base), round(slope), round(100 * error)))
    return made
