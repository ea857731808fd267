# SPDX-License-Identifier: GPL-2.0
"""Counts by 100 ms, from fio's log and from the simulator, and costs made of them by hand."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.profiler import build, emulated, fio_log, series
from ssdqos.profiler.cell import parse as cell
from ssdqos.profiler.fit import fits
from ssdqos.profiler.series import Series
from ssdqos.qos.profile_file import CostKey, MixedKey
from ssdqos.qos.request import RequestClass

READ_RAND, WRITE_RAND = RequestClass("read", "rand"), RequestClass("write", "rand")


class Windows(unittest.TestCase):
    def test_slide_by_100_ms(self) -> None:
        self.assertEqual([3, 5, 5, 7], series.window_sums([1, 2, 3, 2, 5], 200))
        self.assertEqual([], series.window_sums([1, 2], 300))

    def test_count_that_so_many_windows_reach(self) -> None:
        sums = list(range(1000))
        self.assertEqual([100, 50, 10, 1], [series.promised_count(sums, c) for c in (900, 950, 990, 999)])
        self.assertEqual(7, series.promised_count([7, 8, 9], 990))

    def test_a_cost_that_the_kernel_does_not_take_is_none(self) -> None:
        """One request in windows of 5 s: more than 32 bits of nanoseconds."""
        self.assertEqual([4_000_000_000, None, None], [series.count_cost_ns(1, ms) for ms in (4000, 5000, 30_000)])
        self.assertEqual(2_500_000_000, series.count_cost_ns(2, 5000))

    def test_cost_is_rounded_up(self) -> None:
        self.assertEqual(33333334, series.count_cost_ns(3, 100))
        self.assertIsNone(series.count_cost_ns(0, 100))


class FioLog(unittest.TestCase):
    def test_counts_each_row_in_its_100_ms(self) -> None:
        text = "".join(f"{end}, 0, 4096, 0, 4, 1\n{end}, 1, 4096, 2, 0\n" for end in range(101, 3100, 100))
        counts = fio_log.parse(text, 1, 1)
        self.assertEqual([5] * 10, counts.reads)
        self.assertEqual([2] * 10, counts.writes)

    def test_a_stall_is_a_stall(self) -> None:
        # ten requests by 1.101 s, then nothing until one at 1.551 s ends the row
        counts = fio_log.parse("1001, 1, 4096, 10\n1101, 1, 4096, 10\n1551, 1, 4096, 4\n1601, 1, 4096, 7\n", 1, 1)
        self.assertEqual([9 + 1, 1 + 3, 0, 0, 0, 1 + 6, 1, 0, 0, 0], counts.writes)

    def test_what_is_no_row(self) -> None:
        for bad in ("1001", "1, 7, 4096, 1", "a, 0, 1, 2"):
            with self.subTest(bad), self.assertRaisesRegex(ToolError, "log:1"):
                fio_log.parse(bad + "\n", 1, 1)


class Simulated(unittest.TestCase):
    def test_rows_are_intervals(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "series"
            path.write_text("time_s,read_n,write_n\n" + "".join(f"{5 + at / 10},{at},1\n" for at in range(15)))
            counts = emulated.read(path, 1, 1)
        self.assertEqual([10, 11, 12, 13, 14, 0, 0, 0, 0, 0], counts.reads)
        self.assertEqual([1] * 5 + [0] * 5, counts.writes)


class Built(unittest.TestCase):
    """Reads: 50 in each 100 ms.  Writes: 20, but nothing in each tenth."""

    def setUp(self) -> None:
        self.cells = {cell("read-rand-4k-d8"): Series([50] * 100, [0] * 100),
                      cell("write-rand-4k-d8"): Series([0] * 120, ([20] * 9 + [0]) * 12),
                      cell("mix-rand-4k-d8-r50"): Series([9] * 100, [9] * 100)}

    def test_a_flush_is_what_a_write_lacks(self) -> None:
        # 10 in 100 ms with an fsync each, 50 without
        cells = self.cells | {cell("write-rand-4k-d1"): Series([0] * 100, [50] * 100),
                              cell("fsync-rand-4k-d1"): Series([0] * 100, [10] * 100)}
        made = build.build(cells, {}).flush
        self.assertEqual([900, 950, 990, 999], list(made))
        self.assertEqual((8_000_000,) * len(made[990]), made[990])

    def test_a_flush_of_nothing_costs_something(self) -> None:
        cells = self.cells | {cell("fsync-rand-4k-d1"): Series([0] * 100, [100] * 100)}
        self.assertEqual({1}, {ns for row in build.build(cells, {}).flush.values() for ns in row})
        self.assertEqual({}, build.build(self.cells, {}).flush)

    def test_costs_by_hand(self) -> None:
        profile = build.build(self.cells, {"model": "X"})
        self.assertEqual((100, 200, 500, 1000, 2000, 3000, 5000), profile.windows_ms)
        self.assertEqual((2_000_000,) * 7, profile.costs[CostKey(READ_RAND, 4096, 8, 990)])
        # 12 of 120 windows of 100 ms have none, and 20 * 9 of 10 complete in each second
        writes = profile.costs[CostKey(WRITE_RAND, 4096, 8, 990)]
        self.assertEqual((None, 10_000_000, 6_250_000, 5_555_556, 5_555_556, 5_555_556, 5_555_556), writes)
        # of the tenth that a promise may miss, half is not spent
        self.assertIsNone(profile.costs[CostKey(WRITE_RAND, 4096, 8, 900)][0])

    def test_mix_by_hand(self) -> None:
        # alone 900 reads take 1.8 s and 900 writes 5 s, 73.5 % of both; together they took 10 s of 6.8 s
        self.assertEqual({0: 1000, 74: 1471, 100: 1000}, build.build(self.cells, {}).mix)

    def test_mix_of_what_was_not_measured_alone_is_none(self) -> None:
        del self.cells[cell("mix-rand-4k-d8-r50")]
        self.cells[cell("mix-rand-8k-d8-r50")] = Series([9] * 100, [9] * 100)
        self.assertEqual({}, build.build(self.cells, {}).mix)

    def test_the_worst_of_like_mixtures_counts(self) -> None:
        self.cells[cell("read-rand-8k-d8")] = self.cells[cell("read-rand-4k-d8")]
        self.cells[cell("write-rand-8k-d8")] = self.cells[cell("write-rand-4k-d8")]
        self.cells[cell("mix-rand-8k-d8-r50")] = Series([6] * 100, [6] * 100)
        self.assertEqual({0: 1000, 74: 2206, 100: 1000}, build.build(self.cells, {}).mix)

    def test_a_size_that_is_kind_does_not_make_up_for_another_one(self) -> None:
        """4 KiB take 47 % longer with 74 % of writes; 8 KiB no longer at all with 45 %, where 4 KiB may take 28 %."""
        small = max(key.write_pct for key in build.build(self.cells, {}).mixed)
        self.cells[cell("read-rand-8k-d8")] = Series([40] * 100, [0] * 100)
        self.cells[cell("write-rand-8k-d8")] = Series([0] * 120, [18] * 120)
        self.cells[cell("mix-rand-8k-d8-r70")] = Series([35] * 100, [13] * 100)
        made = build.build(self.cells, {}).mixed
        between = [key.write_pct for key in made if 10 < key.write_pct < small]
        self.assertTrue(between)
        for pct in between:
            self.assertGreater(made[MixedKey(pct, 8, 990)][-1], 1200)

    def test_no_more_mixtures_than_the_kernel_takes(self) -> None:
        """The whole grid has 18 of them."""
        rows = {0: 1000, 5: 1010, 50: 1200, 52: 1300, 60: 1250, 63: 1240, 100: 1000}
        self.assertEqual(rows, build.fewer(rows, 7))
        self.assertEqual({0: 1000, 5: 1010, 52: 1300, 60: 1250, 100: 1000}, build.fewer(rows, 5))

    def test_writes_in_order_say_for_how_long_the_drive_stops(self) -> None:
        short = {cell("stop-seq-64k-d32"): Series([0] * 9, [5, 5, 0, 0, 0, 5, 5, 5, 5])}
        made = build.build(self.cells | short, {})
        self.assertEqual((500, 640), made.stop)
        self.assertEqual(build.build(self.cells, {}).windows_ms, made.windows_ms)
        self.assertIsNone(build.build(self.cells, {}).stop)

    def test_a_cheap_mixture_is_no_promise(self) -> None:
        self.cells[cell("mix-rand-4k-d8-r50")] = Series([90] * 100, [90] * 100)
        self.assertEqual({0: 1000, 74: 1000, 100: 1000}, build.build(self.cells, {}).mix)

    def test_windows_are_as_long_as_the_shortest_cell_allows(self) -> None:
        self.cells[cell("read-seq-4k-d8")] = Series([5] * 20, [0] * 20)
        self.assertEqual((100, 200, 500, 1000), build.build(self.cells, {}).windows_ms)

    def test_models_are_of_windows_that_can_be_promised(self) -> None:
        # a second of nothing in each third: 1 s and 2 s can't be promised in 99 % of windows
        stalls = ([0] * 20 + [30] * 10) * 10
        cells = {cell("read-rand-4k-d8"): Series([50] * 300, [0] * 300),
                 cell("write-seq-4k-d8"): Series([0] * 300, stalls),
                 cell("write-seq-8k-d8"): Series([0] * 300, stalls)}
        profile = build.build(cells, {})
        window_ms, costs = build.by_size(profile, RequestClass("write", "seq"), 8)
        self.assertEqual((3000, {4096: 10_000_000, 8192: 10_000_000}), (window_ms, costs))
        self.assertEqual({RequestClass("write", "seq")}, {fit.request for fit in profile.fits})

    def test_says_what_is_missing(self) -> None:
        with self.assertRaisesRegex(ToolError, "no cost of a write"):
            build.build({cell("read-rand-4k-d8"): Series([5] * 20, [0] * 20)}, {})
        with self.assertRaisesRegex(ToolError, "no cell"):
            build.build({}, {})


class Fits(unittest.TestCase):
    def test_finds_the_model_that_made_the_costs(self) -> None:
        sizes = [1024 << at for at in range(2, 11)]
        additive, greater = fits(READ_RAND, {size: 50_000 + 700 * size // 1024 for size in sizes})
        self.assertEqual(("additive", 50_000, 700, 0), (additive.model, additive.base_ns, additive.per_kib_ns,
                                                        additive.residual_pct))
        self.assertGreater(greater.residual_pct, 5)
        additive, greater = fits(READ_RAND, {size: max(50_000, 700 * size // 1024) for size in sizes})
        self.assertEqual(("max", 50_000, 700, 0), (greater.model, greater.base_ns, greater.per_kib_ns,
                                                   greater.residual_pct))
        self.assertGreater(additive.residual_pct, 5)

    def test_no_part_is_negative(self) -> None:
        for costs in ({4096: 1000, 65536: 100_000}, {4096: 100_000, 65536: 1000}):
            for fit in fits(READ_RAND, costs):
                self.assertGreaterEqual(min(fit.base_ns, fit.per_kib_ns), 0)

    def test_one_size_makes_no_line(self) -> None:
        self.assertEqual([], fits(READ_RAND, {4096: 5}))


if __name__ == "__main__":
    unittest.main()
