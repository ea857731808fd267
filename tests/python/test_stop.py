# SPDX-License-Identifier: GPL-2.0
"""For how long a drive stands still when it is written in order."""

from __future__ import annotations

import unittest

from ssdqos.profiler import cell, plan, stop
from ssdqos.profiler.measurement import lacks_s
from ssdqos.profiler.series import Series

CELL = cell.parse("stop-seq-64k-d32")


def longest(*writes: int) -> tuple[int, int] | None:
    return stop.longest({CELL: Series([0] * len(writes), list(writes))})


class Stops(unittest.TestCase):
    def test_the_longest_counts_and_what_was_written_before(self) -> None:
        self.assertEqual((500, 20 * 64), longest(5, 5, 0, 0, 9, 11, 0, 0, 0, 7, 0, 0, 8))

    def test_of_those_that_are_as_long_the_one_that_comes_sooner(self) -> None:
        self.assertEqual((400, 3 * 64), longest(10, 0, 0, 3, 0, 0, 5, 0, 0, 2))

    def test_a_slow_request_is_none(self) -> None:
        self.assertIsNone(longest(5, 0, 5, 0, 5))

    def test_before_the_first_write_and_after_the_last_there_is_none(self) -> None:
        self.assertIsNone(longest(0, 0, 0, 5, 0, 0, 0))

    def test_without_a_cell_there_is_none(self) -> None:
        self.assertIsNone(stop.longest({}))

    def test_a_longer_cell_would_show_a_drive_in_order(self) -> None:
        step = plan.cell_step(CELL, 30, "1g")
        self.assertEqual(30, lacks_s(step, {}, 240))
        self.assertEqual(0, lacks_s(step, {step.cell: Series([0] * 300, [5, 0, 0] * 100)}, 240))


if __name__ == "__main__":
    unittest.main()
