# SPDX-License-Identifier: GPL-2.0
"""Was a cell long enough for what a profile says of it?

A cost is the window divided by the requests that, say, 99 % of windows reach.
It is worth something if another day would have shown it again.  Drives have
cycles: a buffer fills and drains, blocks are collected in waves, some stop for
a second every minute.  A cost from two cycles is chance.  Two questions to the
cell itself, for each window and confidence:

1. Do its parts agree?  Windows are sorted by when they begin into three thirds;
   each has a cost.  If the greatest is above the least by more than
   TOLERANCE_PCT, the cell has not settled.  For independent thirds with a
   standard deviation s, the range is 1.7 s on average and the whole is off by
   s / sqrt(3): a range of 20 % leaves the whole off by 7 %.

2. Was what is bad seen often enough?  A cost of 99 % is made by the worst
   windows, and windows overlap: a single stop of the drive makes a hundred bad
   ones.  So times are counted, not windows: a bad time begins with a window that is
   as bad as the cost says (within tolerance) and ends with one that is at least
   halfway back to the median.  What happens k times by chance has a frequency known to
   1 / sqrt(k); with fewer than TIMES_MIN it may as well be half or the double.
   Where the median window costs as much as the worst ones (within tolerance)
   nothing is bad, and there is nothing to be seen.

Example: a drive stops for a second each 40 s.  In 120 s each third has one stop
and they agree, but it was seen three times; 240 s are enough.  In 20 s there may
be no stop at all: nothing tells it from a drive that never stops.

Thirds were taken and no bootstrap: they show what drifts, which mixing blocks
would hide, they need no length of a block, which is what is sought, and no dice.

What has not settled is promised with care: the worst third counts, or the whole
where that is worse, but no more than what a higher confidence costs.

Whatever has settled or not, a profile spends half of the windows that a promise may miss:
with 99 % it promises what 99.5 % of the measured windows reach.  The other half
is left to what is not in it: others' requests, and learning (core/qos/budget.c).  Whether a cell
has settled is asked with the confidence itself.

The dominant cycle, the first peak of the autocorrelation, is for people: it says
why a cell has not settled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import mul

from ssdqos.profiler import series
from ssdqos.profiler.series import STEP_MS
from ssdqos.qos.units import MS_PER_S, PERMILLE, ceil_div

PARTS = 3
PERCENT = 100
# Of the windows that a promise may miss, a profile spends one part of so many.
MISSED_PARTS = 2
TOLERANCE_PCT = 20
TIMES_MIN = 5
# Thirds that differ though so many times were seen are in a gap between good and bad windows, where a
# little more of the bad ones makes the cost another: no length helps.  Known to a fifth.
TIMES_ENOUGH = 25
# Longer cells are for these: bad times of 99.9 % come once in a thousand windows, and hours would be needed.
LENGTHENED_FOR_MAX = 990
# Autocorrelation is of so many points at most: a cycle that is too short for them was seen often enough.
POINTS_MAX = 600
# Below it a peak is noise: 600 independent points stay within 0.08 in 95 % of cases, and real cycles are no clocks.
PEAK_MIN = 0.25
# Peaks at twice and three times a cycle are as high as its own, give or take noise.
NEAR_PCT = 80

Terms = tuple[int, int]  # window in ms, confidence in permille


@dataclass(frozen=True)
class Doubt:
    """`off_pct` is how much the worst third costs more than the best one; None if it promises nothing."""

    off_pct: int | None
    times: int | None  # None: nothing is bad

    def is_of_length(self) -> bool:
        """Would a longer cell know more?"""
        return (self.times or 0) < TIMES_ENOUGH


@dataclass(frozen=True)
class Verdict:
    """`cycle_ms` is 0 where no cycle is seen."""

    seconds: int
    doubts: dict[Terms, Doubt]
    cycle_ms: int = 0

    def is_long_enough(self) -> bool:
        """Neither 99.9 % counts, nor of what is in doubt at any length."""
        return not any(confidence <= LENGTHENED_FOR_MAX and found.is_of_length()
                       for (_, confidence), found in self.doubts.items())

    def in_doubt(self, window_ms: int) -> set[int]:
        """Confidences."""
        return {confidence for window, confidence in self.doubts if window == window_ms}

    def cycles(self) -> float:
        return self.seconds * MS_PER_S / self.cycle_ms if self.cycle_ms else 0.0


SURE = Verdict(0, {})


def spared(confidence: int) -> int:
    """The one with which half of the windows that may be missed are."""
    return confidence + (PERMILLE - confidence) // MISSED_PARTS


@dataclass(frozen=True)
class Sums:
    """Of all windows of one length: in order of time, and each list of `parts` and `whole` least first."""

    in_time: list[int]
    whole: list[int]
    parts: list[list[int]]

    @classmethod
    def of(cls, counts: list[int], window_ms: int) -> Sums:
        made = series.sums_in_time(counts, window_ms)
        ends = [len(made) * at // PARTS for at in range(PARTS + 1)]
        return cls(made, sorted(made), [sorted(made[begin:end]) for begin, end in pairwise(ends) if end > begin])

    def count(self, confidence: int, is_careful: bool) -> int:
        """Requests that can be promised: careful is what the worst third says, or the whole where that is worse."""
        found = [self.whole, *self.parts] if is_careful else [self.whole]
        return min(series.promised_count(one, spared(confidence)) for one in found)


def above(count: int, pct: int = TOLERANCE_PCT) -> float:
    return count * (PERCENT + pct) / PERCENT


def off_pct(sums: Sums, confidence: int) -> int | None:
    counts = [series.promised_count(one, confidence) for one in sums.parts]
    if not any(counts):
        return 0
    return ceil_div(max(counts) * PERCENT, min(counts)) - PERCENT if min(counts) else None


def bad_times(sums: Sums, confidence: int) -> int | None:
    """None if nothing is bad."""
    bad, usual = above(series.promised_count(sums.whole, confidence)), sums.whole[len(sums.whole) // 2]
    if usual <= bad:
        return None
    times, is_bad = 0, False
    for one in sums.in_time:
        if is_bad:
            is_bad = one < (bad + usual) / 2
        elif one <= bad:
            is_bad = True
            times += 1
    return times


def doubt(sums: Sums, confidence: int) -> Doubt | None:
    off, times = off_pct(sums, confidence), bad_times(sums, confidence)
    if off is None or off > TOLERANCE_PCT or (times is not None and times < TIMES_MIN):
        return Doubt(off, times)
    return None


def autocorrelation(points: list[float], lags: Iterable[int]) -> list[float]:
    """Of points around nought."""
    whole = sum(map(mul, points, points)) / len(points)
    return [sum(map(mul, points, points[lag:])) / (len(points) - lag) / whole for lag in lags]


def cycle_ms(counts: list[int]) -> int:
    """The first lag behind the first dip below nought that comes near the highest peak; 0 if there is none."""
    step = ceil_div(len(counts), POINTS_MAX)
    points = [sum(counts[at:at + step]) for at in range(0, len(counts) - step + 1, step)]
    mean = sum(points) / len(points)
    around = [point - mean for point in points]
    if len(points) < 2 * PARTS or not any(around):
        return 0
    found = autocorrelation(around, range(len(points) // 2 + 1))
    dip = next((lag for lag, value in enumerate(found) if value < 0), len(found))
    highest = max(found[dip:], default=0)
    if highest < PEAK_MIN:
        return 0
    near = next(lag for lag in range(dip, len(found)) if found[lag] >= highest * NEAR_PCT / PERCENT)
    peak = max(range(near, min(2 * near, len(found))), key=lambda lag: found[lag])
    return peak * step * STEP_MS


def judge(counts: list[int], windows_ms: Iterable[int], confidences: Iterable[int]) -> Verdict:
    doubts: dict[Terms, Doubt] = {}
    confidences = tuple(confidences)
    for window_ms in windows_ms:
        sums = Sums.of(counts, window_ms)
        for confidence in confidences:
            if found := doubt(sums, confidence):
                doubts[window_ms, confidence] = found
    return Verdict(len(counts) * STEP_MS // MS_PER_S, doubts, cycle_ms(counts))


def capped(values: dict[int, int | None], in_doubt: set[int]) -> dict[int, int | None]:
    """Costs or factors by confidence.  What 99 % of windows reach, 95 % reach, too: care need not go beyond."""
    made: dict[int, int | None] = {}
    beyond: int | None = None
    for confidence in sorted(values, reverse=True):
        value = values[confidence]
        if confidence in in_doubt and beyond:
            value = min(value, beyond) if value else beyond
        made[confidence] = beyond = value
    return dict(sorted(made.items()))
