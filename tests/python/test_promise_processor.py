#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise/processor.py: what the processor had left."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/campaign"), str(ROOT / "tools")]

from lib.promise import processor  # noqa: E402  (after the path that it is found on)


class TestLeft(unittest.TestCase):
    def test_of_all_and_of_the_least_second(self):
        left = processor.parse("100.00 40.00\n101.00 40.50\n102.00 40.60\n104.00 41.60\n")
        self.assertEqual((left.mean_pct, left.least_pct), (40.0, 10.0))
        self.assertEqual(left.text(), "40, 10")

    def test_clocks_that_are_read_one_after_the_other(self):
        """The kernel reads idle time after the time since boot, so a second may have more of it than it has."""
        self.assertEqual(processor.parse("100.00 40.00\n101.00 41.01\n").mean_pct, 100)


if __name__ == "__main__":
    unittest.main()
