# SPDX-License-Identifier: GPL-2.0
"""What comes so seldom that a cell of reads beside writes may not have seen it.

A drive collects when so many pages were written, whatever reads do.  Beside few writes that may be once in some
minutes, and in a minute a cell sees a drive that never stops: nothing is bad, so it has settled.  The cell with more
writes has seen it.  Example: a drive collects for 4 s whenever 6,300 pages were written.  Beside 157 writes a second
that is each 40 s, six times in a cell of 240 s.  Beside 31 it is each 200 s, 2 % of all windows, and never in
a cell of 60 s.

So each cell is asked what the one with the next more writes does, if only as few were written there: a fifth of the
writes leaves a fifth of the bad windows, and what 95 % of windows reach there, 99 % reach here.  A cell is *blind* to
that if it saw nothing bad, while the other one saw it TIMES_MIN times and more, and this one has so few writes that it
would have had it less than TIMES_EXPECTED_MIN times.  It is made longer then, as one that has not settled; and if it is as
long as it may be, the worse of the two counts.  Where more writes keep the drive busy all the time, nothing tells how
often fewer do: so the cell with the fewest is longer than others to begin with (plan.FEWEST_LONGER).

It also says what a part of its writes does.  Half of the writes leave half of the bad windows, so a promise may have to bear
as bad ones; where it has none to bear, half of the writes cost half as much, which is the line to no writes at all.

The cell with as many writes as the drive takes is not asked: its buffer is full, and what that does, fewer writes don't.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ssdqos.profiler.cell import PCT_MAX, Cell
from ssdqos.profiler.series import Series
from ssdqos.profiler.settled import TIMES_MIN, Doubt, Sums, Terms, above, bad_times
from ssdqos.qos.units import PERMILLE

# What comes three times by chance in a cell of that length does not in one of twenty such cells: exp(-3).
TIMES_EXPECTED_MIN = 3
# Parts of the device time that writes take, in percent, below what was measured.
THINNED_PCTS = (1, 3, 10)
# Of so few bad windows a load has not more than half.
LEAST_CONFIDENCE = 500
NOT_SEEN = Doubt(off_pct=0, times=0)


def thinned(confidence: int, writes: float, fewer: float) -> int:
    """With which confidence a load does what the same with `fewer` writes does with this one."""
    return max(PERMILLE - int((PERMILLE - confidence) * writes / fewer), LEAST_CONFIDENCE)


def writes_a_step(counts: Series) -> float:
    return sum(counts.writes) / len(counts) if len(counts) else 0.0


def next_more(cell: Cell, cells: Mapping[Cell, Series]) -> Series | None:
    """The same reads beside more writes, but not as many as the drive takes."""
    more = [one for one in cell.others(cells) if cell.pct < one.pct < PCT_MAX]
    return cells[min(more, key=lambda one: one.pct)] if more else None


def fewer_pcts(cell: Cell, cells: Iterable[Cell]) -> list[int]:
    """Of the cell with the fewest writes: what it is asked of loads that have fewer."""
    return [pct for pct in THINNED_PCTS if pct < cell.pct] if cell.has_fewest_writes(cells) else []


@dataclass(frozen=True)
class Backed:
    """The windows of a cell, and those of the one with more writes; counted as Sums are."""

    own: Sums
    more: Sums
    own_writes: Series
    more_writes: Series

    def there(self, confidence: int) -> int:
        """With which confidence the other cell does what this one does with `confidence`."""
        fewer = writes_a_step(self.own_writes)
        return thinned(confidence, writes_a_step(self.more_writes), fewer) if fewer else LEAST_CONFIDENCE

    def usual(self) -> int:
        return self.own.usual()

    def is_blind(self, confidence: int) -> bool:
        if bad_times(self.own, confidence) is not None:
            return False
        times = bad_times(self.more, self.there(confidence)) or 0
        expected = times * sum(self.own_writes.writes)
        return times >= TIMES_MIN and expected < TIMES_EXPECTED_MIN * sum(self.more_writes.writes)

    def count(self, confidence: int, is_careful: bool) -> int:
        found = self.own.count(confidence, is_careful)
        if not self.is_blind(confidence):
            return found
        return min(found, self.more.count(self.there(confidence), is_careful=False))


Windows = Sums | Backed


@dataclass(frozen=True)
class Thinned:
    """What reads beside `pct` of writes, and alone, show of those beside `fewer_pct`."""

    windows: Windows
    alone: Sums
    pct: int
    fewer_pct: int

    def on_line(self, confidence: int, is_careful: bool) -> int:
        """If each write costs as much as the next one."""
        alone, beside = self.alone.count(confidence, is_careful=False), self.windows.count(confidence, is_careful)
        parts = (self.pct - self.fewer_pct) * beside + self.fewer_pct * alone
        return self.pct * alone * beside // parts if parts else 0

    def count(self, confidence: int, is_careful: bool) -> int:
        found = self.windows.count(thinned(confidence, self.pct, self.fewer_pct), is_careful)
        is_bad = above(found) < self.windows.usual()
        return found if is_bad else max(found, self.on_line(confidence, is_careful))


def reads(own: Series, more: Series | None, window_ms: int) -> Windows:
    sums = Sums.of(own.reads, window_ms)
    return Backed(sums, Sums.of(more.reads, window_ms), own, more) if more else sums


def doubts(own: Series, more: Series | None, windows_ms: Iterable[int], confidences: Iterable[int]) -> dict[Terms, Doubt]:
    """Of what the cell is blind to."""
    if more is None:
        return {}
    windows = {window_ms: reads(own, more, window_ms) for window_ms in windows_ms}
    return {(window_ms, confidence): NOT_SEEN for window_ms, one in windows.items() for confidence in confidences
            if one.is_blind(confidence)}
