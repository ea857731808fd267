# SPDX-License-Identifier: GPL-2.0
"""What comes so seldom that a cell has not seen it: a drive that collects for 4 s whenever so many writes were written."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from fake_executor import FakeExecutor
from ssdqos.profiler import build, cell, measurement, plan, seldom
from ssdqos.profiler.checkpoint import Checkpoint
from ssdqos.profiler.series import STEP_MS, Series
from ssdqos.qos.profile_file import BesideKey, MixedKey, Profile
from ssdqos.qos.units import MS_PER_S

PER_S = MS_PER_S // STEP_MS
ALONE, GOOD, BAD = 100, 96, 5
CYCLE_WRITES, BAD_S = 6000, 4
CELL_S, MOST_S = 60, 240
# In 100 ms, by percent of what writes alone get.
WRITES = {100: 150, 20: 30, 10: 15, 2: 3, 1: 1.5}


def name_of(pct: int, depth: int = 1) -> str:
    return f"beside-rand-4k-d{depth}-w{pct}"


def collecting(writes: float, seconds: int, good: int = GOOD) -> Series:
    """Collection begins when the cycle's writes are there."""
    reads, gone, busy = [], 0, 0
    for _ in range(seconds * PER_S):
        gone += writes
        if gone >= CYCLE_WRITES:
            gone, busy = gone - CYCLE_WRITES, BAD_S * PER_S
        reads.append(BAD if busy else good)
        busy = max(busy - 1, 0)
    return Series(reads, [writes] * len(reads))


def steady(reads: int, writes: int, seconds: int = CELL_S) -> Series:
    return Series([reads] * seconds * PER_S, [writes] * seconds * PER_S)


def profile(seconds: dict[int, int], depth: int = 1, **others: Series) -> Profile:
    """Of cells beside so much of the writes, each so long."""
    cells = {f"read-rand-4k-d{depth}": steady(ALONE, 0), f"write-rand-4k-d{depth}": steady(0, WRITES[100])}
    cells |= {name_of(pct, depth): collecting(WRITES[pct], long) for pct, long in seconds.items()}
    cells |= {name.replace("_", "-"): counts for name, counts in others.items()}
    return build.build({cell.parse(name): counts for name, counts in cells.items()}, {})


def factor(made: Profile, pct: int, confidence: int, window_ms: int = 1000, size: int = 4096) -> int | None:
    return made.beside[BesideKey(pct, 1, confidence, size)][made.windows_ms.index(window_ms)]


class Costs(unittest.TestCase):
    def test_alone_a_short_cell_sees_nothing(self) -> None:
        """1 s is 1 % of it at most: here it never came."""
        self.assertEqual({1042}, {factor(profile({2: 60}), 2, confidence) for confidence in (900, 990)})

    def test_what_more_writes_have_shown_counts(self) -> None:
        """Beside 2 % it is 4 s of each 200, so 95 % of windows are good and 99 % are not."""
        made = profile({10: 240, 2: 60})
        self.assertEqual([1042, 1042, 20000], [factor(made, 2, confidence) for confidence in (900, 950, 990)])
        self.assertGreater(factor(made, 2, 990, 3000), 10_000)

    def test_who_would_have_seen_it_counts_itself(self) -> None:
        """In 800 s it would have come three times; it did not, so it does not come beside as few."""
        found = profile({10: 240}, beside_rand_4k_d1_w2=steady(GOOD, 3, 800))
        self.assertEqual(1042, factor(found, 2, 990))
        found = profile({10: 240}, beside_rand_4k_d1_w2=steady(GOOD, 3, 500))
        self.assertEqual(20000, factor(found, 2, 990))

    def test_what_came_too_seldom_there_says_nothing(self) -> None:
        """In 60 s it was twice: how often it comes is not known."""
        self.assertEqual(1042, factor(profile({20: 60, 10: 30}), 10, 990))

    def test_beside_few_writes_once_is_enough(self) -> None:
        self.assertEqual(20000, factor(profile({10: 60, 2: 60}), 2, 990))

    def test_who_has_seen_nothing_either_does_not_tell(self) -> None:
        """Beside 1 % the next one is as blind, and the one after it tells."""
        made = profile({10: 240, 2: 60, 1: 60})
        self.assertEqual([1042, 1042, 20000], [factor(made, 1, confidence) for confidence in (900, 950, 999)])

    def test_the_next_one_tells_before_others(self) -> None:
        """Beside 2 % it was seen twice in 420 s, which is more often than by the one beside 10 %."""
        made = profile({10: 240, 2: 420, 1: 60})
        self.assertEqual([1042, 20000], [factor(made, 1, confidence) for confidence in (950, 990)])
        self.assertEqual([1042, 1042], [factor(profile({10: 240, 1: 60}), 1, confidence) for confidence in (950, 990)])

    def test_as_many_writes_as_the_drive_takes_are_not_asked(self) -> None:
        full = collecting(WRITES[10], 240)
        self.assertEqual(1042, factor(profile({2: 60}, beside_rand_4k_d1_w100=full), 2, 990))

    def test_without_writes_it_is_half_of_the_windows_at_most(self) -> None:
        found = profile({10: 240}, beside_rand_4k_d1_w2=steady(GOOD, 0))
        self.assertEqual(1042, factor(found, 2, 990))

    def test_without_a_read_nothing_is_promised(self) -> None:
        self.assertIsNone(factor(profile({}, beside_rand_4k_d1_w2=steady(0, 3)), 2, 990))

    def test_many_reads_at_a_time_are_a_mixture_and_know_it_as_well(self) -> None:
        blind, told = profile({2: 60}, 8), profile({10: 240, 2: 60}, 8)
        at = told.windows_ms.index(1000)
        self.assertLess(blind.mixed[MixedKey(2, 8, 990)][at], 1100)
        self.assertGreater(told.mixed[MixedKey(2, 8, 990)][at], 5000)


class Sizes(unittest.TestCase):
    """Reads of 64 KiB, twice as slow as alone as long as nothing is collected."""

    LARGE = {pct: steady(50, writes, CELL_S) for pct, writes in WRITES.items()}

    @staticmethod
    def factors(small: dict[int, Series], large: dict[int, Series]) -> list[tuple[int | None, int | None]]:
        """With 99 %, of small reads and of large ones, by the percent of the writes."""
        others = {f"beside_rand_{size}_d1_w{pct}": counts for size, cells in (("4k", small), ("64k", large))
                  for pct, counts in cells.items()}
        found = profile({}, read_rand_64k_d1=steady(ALONE, 0), **others)
        return [tuple(factor(found, pct, 990, size=size) for size in (4096, 65536)) for pct in sorted(large)]

    def test_what_another_size_has_seen_later_counts(self) -> None:
        found = self.factors({2: collecting(WRITES[2], 420)}, {2: self.LARGE[2]})
        self.assertEqual([(20000, 20000)], found)

    def test_also_if_most_of_it_is_bad(self) -> None:
        late = Series([GOOD] * 80 * PER_S + [BAD] * 340 * PER_S, [WRITES[2]] * 420 * PER_S)
        self.assertEqual([(20000, 20000)], self.factors({2: late}, {2: self.LARGE[2]}))

    def test_what_it_has_seen_before_does_not(self) -> None:
        """Beside 20 % it is each 20 s: large reads would have met it as well."""
        self.assertEqual([(20000, 2000)], self.factors({20: collecting(WRITES[20], 240)}, {20: self.LARGE[20]}))

    def test_what_another_size_was_told_counts(self) -> None:
        """Both are too short, and large reads were not measured beside more writes."""
        small = {10: collecting(WRITES[10], 240), 2: collecting(WRITES[2], CELL_S)}
        self.assertEqual([(20000, 20000)], self.factors(small, {2: self.LARGE[2]}))

    def test_who_has_seen_it_goes_by_what_he_saw(self) -> None:
        good = collecting(WRITES[2], 240, good=50)
        large = Series([max(reads, 2 * BAD) for reads in good.reads], good.writes)
        self.assertEqual([(20000, 10000)], self.factors({2: collecting(WRITES[2], 240)}, {2: large}))

    def test_sizes_that_were_counted_alike_go_by_their_own(self) -> None:
        small = {pct: collecting(WRITES[pct], CELL_S) for pct in (1, 2)}
        self.assertEqual([(1042, 2000), (1042, 2000)], self.factors(small, {pct: self.LARGE[pct] for pct in small}))

    def test_not_beside_as_many_writes_as_the_drive_takes(self) -> None:
        late = Series([GOOD] * 80 * PER_S + [BAD] * 340 * PER_S, [WRITES[100]] * 420 * PER_S)
        self.assertEqual([(20000, 2000)], self.factors({100: late}, {100: self.LARGE[100]}))


class Drive(FakeExecutor):
    """An executor that reads beside writes as above."""

    def run(self, step: plan.Step) -> Series:
        self.note(step)
        if not step.cell.is_beside():
            return steady(0, WRITES[100], step.counted_s())
        good = ALONE - step.cell.pct // 3
        return collecting(WRITES[step.cell.pct], step.counted_s(), good)


class Lengths(unittest.TestCase):
    def ran(self, pcts: tuple[int, ...], most_s: int = MOST_S) -> list[str]:
        """Of the cells beside writes, in the order in which they were measured."""
        grid = [cell.parse("write-rand-4k-d1"), *(cell.parse(name_of(pct)) for pct in pcts)]
        drive = Drive()
        with tempfile.TemporaryDirectory() as scratch:
            run = measurement.Measurement(drive, Checkpoint(Path(scratch)), "100%", cell_most_s=most_s)
            steps = plan.steps(grid, CELL_S, plan.Conditioning(fill=False, warm_s=0), most_s=most_s)
            counted = run.run(steps)
            self.assertEqual([], run.remaining(steps, counted))
        return [name.removeprefix("beside-rand-4k-d1-") for name in drive.ran[1:]]

    def test_the_one_with_the_fewest_writes_is_longer_from_the_begin(self) -> None:
        self.assertEqual(["w2 240"], self.ran((2,)))
        self.assertEqual("w2 240", self.ran((2,), 900)[0])

    def test_but_no_longer_than_a_cell_may_be(self) -> None:
        self.assertEqual(["w2 100"], self.ran((2,), 100))
        self.assertEqual(["w2 60"], self.ran((2,), CELL_S))

    def test_more_writes_come_first_and_who_is_blind_gets_longer(self) -> None:
        """w20 sees it twice in 60 s, and w10 once, so they have not settled; w2 never does."""
        self.assertEqual(["w20 60", "w20 120", "w20 240", "w10 60", "w10 120", "w10 240", "w2 240"],
                         self.ran((2, 10, 20)))

    def test_a_cell_that_is_shorter_than_it_has_to_be_is_measured_again(self) -> None:
        step = plan.cell_step(cell.parse(name_of(2)), MOST_S, "100%")
        done = {step.cell: steady(GOOD, 3, CELL_S)}
        self.assertEqual(MOST_S, measurement.lacks_s(step, done, MOST_S))

    def test_a_blind_cell_has_not_settled(self) -> None:
        more, few = cell.parse(name_of(10)), cell.parse(name_of(2))
        cells = {more: collecting(15, 240), few: collecting(3, 60)}
        found = build.verdict(few, cells, (1000,))
        self.assertFalse(found.is_long_enough())
        self.assertEqual({(1000, 990): seldom.NOT_SEEN, (1000, 999): seldom.NOT_SEEN}, found.doubts)
        self.assertTrue(build.verdict(few, {few: cells[few]}, (1000,)).is_long_enough())


if __name__ == "__main__":
    unittest.main()
