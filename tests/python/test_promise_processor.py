#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise/processor.py: what the processor had to do."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/campaign"), str(ROOT / "tools")]

from lib.promise import processor  # noqa: E402  (after the path that it is found on)

MS = 1_000_000


def lines(*runs_ms: float) -> str:
    """Of 10 ms each, in which tasks ran so long."""
    made, ran = [f"{5000 * MS} {700 * MS}\n"], 700.0
    for at, run_ms in enumerate(runs_ms, start=1):
        ran += run_ms
        made.append(f"{(5000 + 10 * at) * MS} {int(ran * MS)}\n")
    return "".join(made)


class TestUse(unittest.TestCase):
    def test_half_to_do_and_half_of_the_time_it_was_full(self):
        """As beside a drive that stops half of the time: a mean would not tell."""
        use = processor.parse(lines(10, 9.6, 0.1, 0, 10, 0.2, 10.1, 0))
        self.assertEqual((use.ran_pct, use.full_pct), (50.0, 50.0))
        self.assertEqual(use.text(), "50, 50")
        self.assertFalse(use.is_seldom_full)

    def test_as_much_work_that_nobody_has_to_wait_for(self):
        use = processor.parse(lines(*[5] * 8))
        self.assertEqual((use.ran_pct, use.full_pct), (50.0, 0.0))
        self.assertTrue(use.is_seldom_full)


if __name__ == "__main__":
    unittest.main()
