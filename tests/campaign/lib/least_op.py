# SPDX-License-Identifier: GPL-2.0
"""The least over-provisioning with which there is a drive."""

from __future__ import annotations

from collections.abc import Callable

# What the parameter takes.
LEAST_PERMILLE, MOST_PERMILLE = 5, 4000


def least_permille(is_made: Callable[[int], bool]) -> int:
    """@is_made says whether a drive is made with so much; with more there always is one."""
    low, high = LEAST_PERMILLE, MOST_PERMILLE
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_made(middle) else (middle + 1, high)
    return low
