# SPDX-License-Identifier: GPL-2.0
"""Owners' windows, from fio's log of completions."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lib.edf import completions
from lib.promise import guest
from lib.promise.draw import KIB, Owner
from lib.promise.guest import Times

PERCENT = 100


@dataclasses.dataclass(frozen=True)
class Windows:
    """`least_pct` is the worst one, of what was promised."""

    met: int
    counted: int
    least_pct: float
    iops: float


def read(directory: Path, at: int, owner: Owner, times: Times) -> Windows:
    promise = owner.promise
    with (directory / f"a{at}_iops.1.log").open() as lines:
        intervals = completions.parse(lines)
    count = guest.windows(owner, times)
    amounts = completions.windows(intervals, promise.window_ms, count)
    wanted = promise.min_iops * promise.window_ms / guest.MS_PER_S
    met = round(count * completions.met_pct(amounts, wanted) / PERCENT)
    return Windows(met, count, round(PERCENT * min(amounts) / wanted, 1),
                   round(sum(amounts) * guest.MS_PER_S / promise.window_ms / count, 1))


def terms(owner: Owner) -> dict:
    """What was promised, as lib/promise/matrix.py has it."""
    promise = owner.promise
    return {"class": f"{promise.request.op} {promise.block_bytes // KIB}k", "depth": owner.depth,
            "iops": promise.min_iops, "window_ms": promise.window_ms,
            "confidence_pct": promise.confidence_permille / 10}
