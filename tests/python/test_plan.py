# SPDX-License-Identifier: GPL-2.0
"""Cells of a measurement, and the plan for fio."""

from __future__ import annotations

import unittest

from ssdqos.errors import ToolError
from ssdqos.profiler import cell, estimate, plan
from ssdqos.profiler.cell import Cell, Grid
from ssdqos.profiler.plan import Conditioning

GRID = Grid((4096, 65536), (1, 8), (4096,), (70,))
BESIDE = Grid((4096,), (1, 8), (4096,), (70,), (), ((4096, 1), (4096, 8), (65536, 1)), (10, 100))


class Cells(unittest.TestCase):
    def test_names_and_back(self) -> None:
        names = [one.name for one in GRID.cells()]
        self.assertEqual(18, len(set(names)))
        self.assertIn("write-seq-64k-d8", names)
        self.assertIn("mix-rand-4k-d8-r70", names)
        self.assertEqual(GRID.cells(), [cell.parse(name) for name in names])

    def test_reads_beside_writes_are_of_what_is_measured_alone(self) -> None:
        made = [one for one in BESIDE.cells() if one.is_beside()]
        self.assertEqual([f"beside-rand-4k-d{depth}-w{pct}" for pct in (100, 10) for depth in (1, 8)],
                         [one.name for one in made])
        self.assertEqual(made, [cell.parse(one.name) for one in made])

    def test_reads_beside_writes_have_a_size_that_needs_several_chips(self) -> None:
        """On an emulated AutoSSD 16 KiB are slowed down more than 4 or 64, and most of it comes before 40 % of the writes."""
        names = {one.name for one in cell.FULL.cells()}
        self.assertLessEqual({f"beside-rand-{size}-d1-w{pct}" for size in ("4k", "16k", "64k") for pct in (20, 40)}, names)
        self.assertIn("read-rand-16k-d1", names)

    def test_writes_in_order_are_of_one_size_and_come_after_disorder(self) -> None:
        for grid in (cell.FULL, cell.QUICK):
            self.assertEqual(["stop-seq-64k-d32"], [one.name for one in grid.cells() if one.is_stop()])
        names = [step.name for step in plan.steps([cell.parse("stop-seq-64k-d32"), cell.parse("read-rand-4k-d1")], 30,
                                                  Conditioning(fill=False, warm_s=0))]
        self.assertEqual(["read-rand-4k-d1", "warm", "stop-seq-64k-d32"], names)

    def test_says_what_is_no_cell(self) -> None:
        for name in ("read-rand-4k", "mix-rand-4k-d8", "read-rand-4k-d8-r70", "trim-rand-4k-d1", "beside-rand-4k-d1",
                     "beside-rand-4k-d1-r10", "mix-rand-4k-d8-w70", "beside-rand-4k-d1-w101"):
            with self.subTest(name), self.assertRaises(ToolError):
                cell.parse(name)

    def test_sequential_writes_come_last(self) -> None:
        self.assertEqual([False] * 14 + [True] * 4, [one.leaves_order() for one in GRID.cells()])


class Plan(unittest.TestCase):
    def test_fills_overwrites_and_warms_up_first(self) -> None:
        steps = plan.steps(GRID.cells(), 30, Conditioning())
        self.assertEqual(["fill", "overwrite", "warm"], [step.name for step in steps[:3]])
        self.assertEqual(("write", "randwrite", "randwrite"), tuple(step.options["rw"] for step in steps[:3]))

    def test_each_load_in_order_meets_disorder(self) -> None:
        names = [step.name for step in plan.steps(GRID.cells(), 30, Conditioning(fill=False, warm_s=0))]
        self.assertEqual(["warm", "write-seq-4k-d1", "warm", "write-seq-4k-d8"], names[14:18])

    def test_a_cell(self) -> None:
        step = plan.cell_step(Cell("mix", "rand", 4096, 8, 70), 30, "1g")
        for word in ("--rw=randrw", "--bs=4096", "--iodepth=8", "--rwmixread=70", "--runtime=32", "--size=1g",
                     "--write_hist_log=mix-rand-4k-d8-r70", "--log_hist_msec=100"):
            self.assertIn(word, step.words())

    def test_all_that_is_written_before_a_stop_counts(self) -> None:
        step = plan.cell_step(cell.parse("stop-seq-64k-d32"), 30, "1g")
        self.assertEqual((0, 30), (step.lead_s(), step.counted_s()))
        for word in ("--rw=write", "--bs=65536", "--iodepth=32", "--runtime=31"):
            self.assertIn(word, step.words())

    def test_a_cell_with_fsync(self) -> None:
        step = plan.cell_step(cell.parse("fsync-rand-4k-d1"), 30, "1g")
        for word in ("--rw=randwrite", "--fsync=1", "--iodepth=1"):
            self.assertIn(word, step.words())

    def test_reads_beside_writes_are_two_jobs(self) -> None:
        step = plan.cell_step(cell.parse("beside-rand-4k-d1-w10"), 30, "1g")
        made = plan.beside(step, cell.parse("write-rand-16k-d32"), 5004.5)
        words = made.words()
        first, second = words[:words.index("--name=writes")], words[words.index("--name=writes"):]
        for job, wanted in ((first, ("--rw=randread", "--bs=4096", "--iodepth=1", "--runtime=36")),
                            (second, ("--rw=randwrite", "--bs=16384", "--iodepth=32", "--runtime=36",
                                      "--rate_iops=500", "--size=1g"))):
            for word in (*wanted, "--write_hist_log=beside-rand-4k-d1-w10"):
                self.assertIn(word, job)
        self.assertFalse([word for word in first if word.startswith("--rate_iops")])

    def test_all_writes_that_go_have_no_rate(self) -> None:
        step = plan.cell_step(cell.parse("beside-rand-4k-d1-w100"), 30, "1g")
        self.assertNotIn("rate_iops", plan.beside(step, cell.parse("write-rand-4k-d32"), 5000).writes)

    def test_a_plan_for_elsewhere_has_none_of_them(self) -> None:
        steps = plan.steps([cell.parse("read-rand-4k-d1"), cell.parse("beside-rand-4k-d1-w10")], 30, Conditioning())
        self.assertIn("read-rand-4k-d1 ", plan.text(steps))
        self.assertNotIn("beside", plan.text(steps))

    def test_each_step_is_told_to_people(self) -> None:
        told = {step.name: step.told() for step in plan.steps(GRID.cells(), 30, Conditioning())}
        self.assertEqual("writes with an fsync each of 4k at random, 1 at a time", told["fsync-rand-4k-d1"])

    def test_as_text_and_back(self) -> None:
        steps = plan.steps(GRID.cells(), 30, Conditioning())
        written = plan.text(steps)
        self.assertEqual(steps, plan.parse(written))
        self.assertTrue(all(line.startswith("#") or " --rw=" in line for line in written.splitlines()))

    def test_the_time_left_is_by_the_drives_own_speed(self) -> None:
        span = 100 * 10**9
        steps = plan.steps(GRID.cells()[:2], 30, Conditioning(), str(span))
        left = estimate.Remaining(steps, span)
        before = left.seconds()
        self.assertAlmostEqual(before, estimate.seconds(steps, span))
        # A tenth of the speed that was guessed.
        probe = plan.probe_step(str(span))
        left.passed(probe, 1 + 10 * plan.PROBE_BYTES / estimate.FILL_BYTES_PER_S)
        self.assertAlmostEqual(10, left.slowness)
        writing = span / estimate.FILL_BYTES_PER_S + span / estimate.OVERWRITE_BYTES_PER_S
        self.assertAlmostEqual(before + 9 * writing, left.seconds())
        left.passed(steps[0], 1 + 5 * span / estimate.FILL_BYTES_PER_S)
        left.passed(steps[1], 1 + 5 * span / estimate.OVERWRITE_BYTES_PER_S)
        left.passed(plan.warm_step(15, str(span)), 0)
        self.assertEqual(steps[2:], left.steps, "it may have to be warmed up further")
        for step in steps[3:]:
            left.passed(step, 0)
        self.assertEqual((0, []), (left.seconds(), left.steps))

    def test_cells_that_passed_say_how_long_the_others_take(self) -> None:
        steps = plan.steps(GRID.cells()[:3], 30, Conditioning(fill=False, warm_s=0))
        left = estimate.Remaining(steps, 0)
        guess = [estimate.step_s(step, 0) for step in steps]
        left.passed(steps[0], guess[0] / 50)
        self.assertAlmostEqual((guess[1] + guess[2]) / 50, left.seconds())
        more = plan.counted(steps[1], 60)
        left.passed(steps[1], guess[1] / 20, more)
        pace = (guess[0] / 50 + guess[1] / 20) / (guess[0] + guess[1])
        self.assertAlmostEqual((estimate.step_s(more, 0) + guess[2]) * pace, left.seconds())
        left.passed(steps[1], 0)
        self.assertAlmostEqual(guess[2] * pace, left.seconds(), msg="a cell that was measured before says nothing")

    def test_what_a_cell_still_lacks_is_left_too(self) -> None:
        steps = plan.steps(GRID.cells()[:2], 30, Conditioning(fill=False, warm_s=0))
        left = estimate.Remaining(steps, 0)
        more = plan.counted(steps[0], 60)
        left.passed(steps[0], 0, more)
        self.assertEqual([more, steps[1]], left.steps)
        left.passed(steps[0], 0)
        self.assertEqual(steps[1:], left.steps)

    def test_time_if_no_cell_settles(self) -> None:
        steps = plan.steps(GRID.cells()[:1], 30, Conditioning(fill=False, warm_s=5))
        for goes_on, more in ((True, [30, 60]), (False, [60, 120])):
            self.assertEqual([5, 30, *more], [step.counted_s() for step in estimate.longer(steps, 120, goes_on)])
        self.assertEqual(steps, estimate.longer(steps, 30, True))

    def test_no_probe_of_what_is_small(self) -> None:
        for span in ("100%", str(plan.PROBE_BYTES)):
            self.assertIsNone(plan.probe_step(span))

    def test_says_which_line_is_wrong(self) -> None:
        with self.assertRaisesRegex(ToolError, "plan:2"):
            plan.parse("# x\nfill rw=write\n")


if __name__ == "__main__":
    unittest.main()
