# SPDX-License-Identifier: GPL-2.0
"""Was a cell long enough?  Series with cycles that are known, and what a profile says of them."""

from __future__ import annotations

import random
import unittest

from ssdqos.profiler import build, settled, unsettled
from ssdqos.profiler.cell import parse as cell
from ssdqos.profiler.mixture import CONFIDENCES
from ssdqos.profiler.series import Series, fitting_windows, window_sums
from ssdqos.profiler.settled import Verdict
from ssdqos.qos import cost, profile_file
from ssdqos.qos.cost import Terms
from ssdqos.qos.profile_file import CostKey, Profile
from ssdqos.qos.request import RequestClass

PER_S = 10
WRITE_RAND = RequestClass("write", "rand")
# Of all 4 % is bad, of the last third much more.
LATE = [100] * 140 * PER_S + [50] * 6 * PER_S
OLD = """\
ssdqos-profile 1
meta model X
window_ms 100 1000 3000
cost read rand 4096 8 990 90000 80000 70000
cost read rand 4096 32 990 45000 40000 35000
cost read rand 65536 32 990 400000 300000 200000
cost write rand 4096 32 990 - 900000 500000
"""


def wave(seconds: int, period_s: int, bad_s: int, good: int = 100, bad: int = 10) -> list[int]:
    """`bad_s` of each period are bad, its last ones."""
    one = [good] * (period_s - bad_s) * PER_S + [bad] * bad_s * PER_S
    return (one * (seconds // period_s + 1))[:seconds * PER_S]


def noise(seconds: int, spread: int) -> list[int]:
    dice = random.Random(7)
    return [round(dice.gauss(1000, spread)) for _ in range(seconds * PER_S)]


def judged(counts: list[int]) -> Verdict:
    return settled.judge(counts, fitting_windows(20_000), CONFIDENCES)


def writes(counts: list[int]) -> dict:
    """Cells of a drive that reads evenly and writes like this."""
    return {cell("read-rand-4k-d8"): Series([50] * len(counts), [0] * len(counts)),
            cell("write-rand-4k-d8"): Series([0] * len(counts), counts)}


def row(profile: Profile, confidence: int) -> tuple[int | None, ...]:
    return profile.costs[CostKey(WRITE_RAND, 4096, 8, confidence)]


class Judging(unittest.TestCase):
    def test_what_never_changes_has_settled(self) -> None:
        self.assertEqual(Verdict(20, {}, 0), judged([70] * 20 * PER_S))
        self.assertEqual({}, judged([0] * 20 * PER_S).doubts)

    def test_little_noise_settles_at_once_and_much_of_it_later(self) -> None:
        self.assertEqual(({}, 0), (judged(noise(20, 50)).doubts, judged(noise(20, 50)).cycle_ms))
        self.assertFalse(judged(noise(20, 300)).is_long_enough())
        self.assertTrue(judged(noise(240, 300)).is_long_enough())

    def test_a_cycle_wants_to_be_seen_several_times(self) -> None:
        short, long = judged(wave(20, 7, 2)), judged(wave(120, 7, 2))
        self.assertFalse(short.is_long_enough())
        self.assertEqual(3, short.doubts[1000, 990].times)
        self.assertEqual({}, long.doubts)
        self.assertEqual((7000, 17), (long.cycle_ms, int(long.cycles())))

    def test_a_cycle_under_noise_is_found_and_no_multiple_of_it(self) -> None:
        counts = [one + more // 10 for one, more in zip(wave(120, 7, 2), noise(120, 200))]
        self.assertAlmostEqual(7000, judged(counts).cycle_ms, delta=400)

    def test_windows_that_even_a_cycle_out_are_not_in_doubt(self) -> None:
        doubts = judged(wave(20, 2, 1)).doubts
        self.assertEqual({}, {terms: doubt for terms, doubt in doubts.items() if terms[0] >= 2000})

    def test_a_rare_stop_that_each_third_has_seen_once(self) -> None:
        three = judged(wave(120, 40, 1, bad=0))
        self.assertEqual(3, three.doubts[500, 990].times)
        self.assertLessEqual(three.doubts[500, 990].off_pct, settled.TOLERANCE_PCT)
        self.assertFalse(three.is_long_enough())
        self.assertTrue(judged(wave(240, 40, 1, bad=0)).is_long_enough())
        # nothing tells 20 s without a stop from a drive that has none
        self.assertEqual({}, judged(wave(20, 40, 1, bad=0)).doubts)

    def test_what_drifts_has_not_settled(self) -> None:
        doubts = judged([100] * 10 * PER_S + [60] * 10 * PER_S).doubts
        self.assertIn((10_000, 900), doubts)
        self.assertEqual(67, doubts[100, 990].off_pct)

    def test_no_length_helps_between_good_and_bad_windows(self) -> None:
        # about every tenth window is bad: 90 % is now a good window, now a bad one
        dice = random.Random(1)
        counts = [10 if dice.random() < 0.1 else 100 for _ in range(400 * PER_S)]
        verdict = settled.judge(counts, (100,), (900,))
        self.assertGreater(verdict.doubts[100, 900].off_pct, settled.TOLERANCE_PCT)
        self.assertTrue(verdict.is_long_enough())

    def test_no_cell_is_made_longer_for_the_highest_confidence(self) -> None:
        verdict = judged([100] * 100 * PER_S + [0] + [100] * 100 * PER_S)
        self.assertEqual({999}, {confidence for _, confidence in verdict.doubts})
        self.assertTrue(verdict.is_long_enough())


class Care(unittest.TestCase):
    def test_costs_of_what_has_settled_are_those_of_all_windows(self) -> None:
        counts = wave(120, 7, 2)
        profile = build.build(writes(counts), {})
        self.assertEqual({}, unsettled.of(profile))
        for at, window_ms in enumerate(profile.windows_ms):
            sums = window_sums(counts, window_ms)
            # half of the 5 % that may be missed
            self.assertEqual(-(-window_ms * 10**6 // sums[len(sums) // 40]), row(profile, 950)[at])

    def test_half_of_the_windows_that_may_be_missed_is_left(self) -> None:
        self.assertEqual([950, 975, 995, 999], list(map(settled.spared, (900, 950, 990, 999))))
        often, seldom = ([0 if at % 25 < bad else 50 for at in range(60 * PER_S)] for bad in (2, 1))
        self.assertIsNone(row(build.build(writes(often), {}), 900)[0])
        self.assertEqual(2_000_000, row(build.build(writes(seldom), {}), 900)[0])

    def test_the_worst_third_counts_where_it_has_not(self) -> None:
        self.assertEqual(1_000_000, -(-100 * 10**6 // sorted(LATE)[len(LATE) // 10]))
        self.assertEqual(2_000_000, row(build.build(writes(LATE), {}), 900)[0])

    def test_care_does_not_go_beyond_a_higher_confidence(self) -> None:
        self.assertEqual({900: 7, 950: 7, 990: 9}, settled.capped({900: 8, 950: 7, 990: 9}, {900}))
        self.assertEqual({900: 8, 950: 7}, settled.capped({900: 8, 950: 7}, set()))
        self.assertEqual({900: 7, 950: 7, 990: None}, settled.capped({900: None, 950: 7, 990: None}, {900, 990}))

    def test_a_mixture_does_not_undo_it(self) -> None:
        mixed = {cell("mix-rand-4k-d8-r50"): Series([20] * len(LATE), [20] * len(LATE))}
        profile = build.build(writes(LATE) | mixed, {})
        # 40 ms of reads and 20 of writes at 1 ms, not 40 at the careful 2 ms, take 100 ms
        factors = {row[0] for key, row in profile.mixed.items() if key.write_pct > 10 and key.confidence == 900}
        self.assertEqual({1667}, factors)


class Words(unittest.TestCase):
    def test_name_the_cell_and_its_windows(self) -> None:
        profile = build.build(writes(wave(20, 7, 2)), {"model": "X"})
        self.assertEqual(["write-rand-4k-d8"], list(unsettled.of(profile)))
        line = unsettled.of(profile)["write-rand-4k-d8"]
        self.assertRegex(line, r"^90%:100ms-\d.* 99.9%:100ms-\d+s.* off \S+% in 20s cycle 7s$")
        self.assertIn(f"write-rand-4k-d8: {line}", "\n".join(unsettled.sentences(profile)))
        self.assertEqual(profile, profile_file.parse(profile.text()))
        self.assertNotIn("unsettled", profile.words())

    def test_ranges_have_all_measured_windows(self) -> None:
        self.assertEqual("100ms,1s-3s", unsettled.ranges([1000, 100, 3000, 2000], (100, 200, 500, 1000, 2000, 3000)))

    def test_a_cell_that_had_to_be_longer_is_named(self) -> None:
        cells = writes([70] * 200)
        cells[cell("write-rand-4k-d8")] = Series([0] * 400, [70] * 400)
        self.assertEqual("write-rand-4k-d8=40", build.build(cells, {}).meta["longer_cells_s"])
        self.assertNotIn("longer_cells_s", build.build(writes([70] * 200), {}).meta)

    def test_a_profile_that_is_older_has_no_doubts(self) -> None:
        profile = profile_file.parse(OLD)
        self.assertEqual(({}, []), (unsettled.of(profile), unsettled.sentences(profile)))
        self.assertEqual([], unsettled.doubted(profile, WRITE_RAND, 4096, Terms(1000, 990, 32)))


class Resting(unittest.TestCase):
    """On which unsettled cells an answer rests."""

    def setUp(self) -> None:
        self.profile = profile_file.parse(OLD.replace(
            "window_ms", "meta unsettled.read-rand-4k-d8 95%:3s 99%:100ms-1s off 40% in 60s\n"
                         "meta unsettled.read-rand-64k-d32 99%:1s off 30% in 60s\nwindow_ms"))

    def doubted(self, size: int, window_ms: int, depth: int, confidence: int = 990) -> list[str]:
        return unsettled.doubted(self.profile, RequestClass("read", "rand"), size, Terms(window_ms, confidence, depth))

    def test_depths_and_sizes_around_it(self) -> None:
        self.assertEqual([], self.doubted(4096, 1000, 32))
        self.assertEqual(["read-rand-4k-d8"], self.doubted(4096, 1000, 8))
        self.assertEqual(["read-rand-4k-d8"], self.doubted(4096, 999, 16))
        self.assertEqual(["read-rand-64k-d32"], self.doubted(16384, 2000, 32))

    def test_the_measured_window_and_confidence_that_count(self) -> None:
        self.assertEqual([], self.doubted(4096, 3000, 8))
        self.assertEqual(["read-rand-4k-d8"], self.doubted(4096, 2999, 8, 900))
        with self.assertRaisesRegex(cost.NoCost, "shorter"):
            self.doubted(4096, 50, 8)


if __name__ == "__main__":
    unittest.main()
