# SPDX-License-Identifier: GPL-2.0
"""What comes so seldom that a cell of reads beside writes may not have seen it.

A drive collects when so many pages were written, whatever reads do.  Beside few writes that may be once in some
minutes, and in a minute a cell sees a drive that never stops: nothing is bad, so it has settled.  The cells with more
writes have seen it.  Example: a drive collects for 4 s whenever 6,300 pages were written.  Beside 157 writes a second
that is each 40 s, six times in a cell of 240 s.  Beside 31 it is each 200 s, 2 % of all windows, and never in
a cell of 60 s.

So each cell is asked what those with more writes do, if only as few were written there: a fifth of the writes leaves a
fifth of the bad windows, and what 95 % of windows reach there, 99 % reach here.  A cell is *blind* to that if it saw
nothing bad, while another one saw it TIMES_MIN times and more, and this one has so few writes that it would have had it
less than TIMES_EXPECTED_MIN times.  It is made longer then, as one that has not settled; and if it is as long as it may
be, the worse of the two counts.

Promises rest on the cell with the fewest writes wherever hardly anything is written: it is longer than others to begin with
(plan.FEWEST_LONGER).  And cells with few writes (FEW_PCT) are blind to what was seen once: it is all that may be known.

The cell with as many writes as the drive takes is not asked: its buffer is full, and what that does, fewer writes don't.

Collection begins when so many pages were written, whatever the size of the reads beside.  So a cell *knows less* than one of
another size beside as many writes that was good as long as no more was written than beside this one, and was worse
later; or that was told, where this one saw nothing bad either.  The worse of the two sizes counts then.  Example: reads of 4 KiB,
counted for 240 s beside a tenth of the writes, are 4.5 times as slow for the last 40 s.  Those of 16 KiB had settled after
60 s, 1.3 times as slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate

from ssdqos.profiler.cell import PCT_MAX, Cell
from ssdqos.profiler.series import STEP_MS, Series
from ssdqos.profiler.settled import TIMES_MIN, Doubt, Sums, Terms, above, bad_times
from ssdqos.qos.units import PERMILLE

# What comes three times by chance in a cell of that length does not in one of twenty such cells: exp(-3).
TIMES_EXPECTED_MIN = 3
# Cells with so few writes may never see a thing five times, however long they are.
FEW_PCT = 2
# Of so few bad windows a load has not more than half.
LEAST_CONFIDENCE = 500
NOT_SEEN = Doubt(off_pct=0, times=0)
Counted = Callable[[Series], list[int]]


def thinned(confidence: int, writes: float, fewer: float) -> int:
    """With which confidence a load does what the same with `fewer` writes does with this one."""
    return max(PERMILLE - int((PERMILLE - confidence) * writes / fewer), LEAST_CONFIDENCE)


def writes_a_step(counts: Series) -> float:
    return sum(counts.writes) / len(counts) if len(counts) else 0.0


@dataclass(frozen=True)
class More:
    """A cell with more writes: its windows, `ratio` times the writes in the same time and `whole_ratio` in all of it."""

    windows: Sums
    ratio: float
    whole_ratio: float

    def confidence(self, confidence: int) -> int:
        """With which it does what the cell with fewer writes does with `confidence`."""
        return thinned(confidence, self.ratio, 1)

    def times(self, confidence: int) -> int:
        """Bad ones, at what the other one would have to bear."""
        return bad_times(self.windows, self.confidence(confidence)) or 0


@dataclass(frozen=True)
class Backed:
    """The windows of a cell, and of those with more writes, the next one first; counted as Sums are.

    They are made of `counts`, beside which stand the `writes` of each step.
    """

    own: Sums
    more: list[More]
    times_min: int
    window_ms: int
    counts: list[int]
    writes: list[int]

    def teller(self, confidence: int) -> More | None:
        """Who has seen what this one is blind to; None if it isn't."""
        if not self.more or bad_times(self.own, confidence) is not None:
            return None
        for one in self.more:
            if (times := one.times(confidence)) >= self.times_min:
                return one if times < TIMES_EXPECTED_MIN * one.whole_ratio else None
        return None

    def was_better(self, confidence: int, writes: float) -> bool:
        """When no more than so much was written."""
        if sum(self.writes) <= writes:
            return False
        steps = max(sum(gone <= writes for gone in accumulate(self.writes)), self.window_ms // STEP_MS)
        before = Sums.of(self.counts[:steps], self.window_ms)
        return before.count(confidence, is_careful=False) > above(self.own.count(confidence, is_careful=False))

    def count(self, confidence: int, is_careful: bool) -> int:
        found, knows = self.own.count(confidence, is_careful), self.teller(confidence)
        return min(found, knows.windows.count(knows.confidence(confidence), is_careful=False)) if knows else found


def with_more(cell: Cell, cells: Mapping[Cell, Series]) -> list[Series]:
    """The same reads beside more writes, the next ones first."""
    more = [one for one in cell.others(cells) if cell.pct < one.pct < PCT_MAX]
    return [cells[one] for one in sorted(more, key=lambda one: one.pct)]


def backed(cell: Cell, cells: Mapping[Cell, Series], window_ms: int, counted: Counted) -> Backed:
    """`counted` says what of a cell makes its windows."""
    own, counts = cells[cell], counted(cells[cell])
    more = [More(Sums.of(counted(one), window_ms), writes_a_step(one) / writes_a_step(own), sum(one.writes) / sum(own.writes))
            for one in with_more(cell, cells)] if any(own.writes) else []
    return Backed(Sums.of(counts, window_ms), more, TIMES_MIN if cell.pct > FEW_PCT else 1, window_ms, counts, own.writes)


def of_other_sizes(cell: Cell, cells: Iterable[Cell]) -> list[Cell]:
    """As many reads at a time, beside as many writes; none beside as many as the drive takes."""
    return [one for one in cells if one != cell and replace(one, bytes=cell.bytes) == cell and cell.pct < PCT_MAX]


def knows_less(own: Backed, other: Backed, confidence: int) -> bool:
    """Than one of another size."""
    if other.was_better(confidence, sum(own.writes)):
        return True
    return bad_times(own.own, confidence) is None and not own.teller(confidence) and other.teller(confidence) is not None


def reads(cell: Cell, cells: Mapping[Cell, Series], window_ms: int) -> Backed:
    return backed(cell, cells, window_ms, lambda counts: counts.reads)


def doubts(cell: Cell, cells: Mapping[Cell, Series], windows_ms: Iterable[int], confidences: Iterable[int]) -> dict[Terms, Doubt]:
    """Of what the cell is blind to."""
    if not with_more(cell, cells):
        return {}
    windows = {window_ms: reads(cell, cells, window_ms) for window_ms in windows_ms}
    return {(window_ms, confidence): NOT_SEEN for window_ms, one in windows.items() for confidence in confidences
            if one.teller(confidence)}
