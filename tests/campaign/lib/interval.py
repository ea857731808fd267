# SPDX-License-Identifier: GPL-2.0
"""What a few seeds say of a mean: 95 % of Student's distribution."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

# By the number of values.
T_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
# Of more values than that: the normal distribution's, which is a little too narrow for a few dozen of them.
T_95_MANY = 1.96


def half_width(values: Sequence[float]) -> float:
    """Of the interval around the mean; nothing is known of a single value."""
    if len(values) < 2:
        return 0.0
    return T_95.get(len(values), T_95_MANY) * statistics.stdev(values) / math.sqrt(len(values))


def text(values: Sequence[float], digits: int) -> str:
    """Mean and 95 % interval of the mean."""
    return f"{statistics.mean(values):.{digits}f} ± {half_width(values):.{digits}f}"


def left_out(statistic: Callable[[Sequence], float], items: Sequence) -> tuple[float, float]:
    """What it is of all items, and half of its interval, from what it is without each of them in turn (the jackknife).

    Of a mean that is `half_width`; it also serves for what is not one, such as a quantile of all items together.
    """
    value, count = statistic(items), len(items)
    if count < 2:
        return value, 0.0
    without = [statistic([*items[:at], *items[at + 1:]]) for at in range(count)]
    middle = statistics.mean(without)
    deviation = math.sqrt((count - 1) / count * sum((one - middle) ** 2 for one in without))
    return value, T_95.get(count, T_95_MANY) * deviation
