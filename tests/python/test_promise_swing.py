# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: the part swing."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools"), str(TOP / "tests/python")]

from drawn_promises import PROFILE  # noqa: E402
from lib.promise import neighbours, swing  # noqa: E402
from lib.promise.draw import WARM_UP_S  # noqa: E402


def intervals(*megabytes: float, requests: int = 100) -> list[list[int]]:
    return [[requests, int(each * 1e6)] for each in megabytes]


def one(outside: float, without: float = 0.0, coarse: bool = False) -> dict:
    side = {"p5": 1.0, "p50": 2.0, "p95": 3.0}
    return {"name": "1: x", "drive": "x, fifo", "neighbour": "writes",
            "with": {**side, "outside_pct": outside, "coarse": coarse, "intervals": 1},
            "without": {**side, "outside_pct": without, "coarse": False, "intervals": 1}}


class Swing(unittest.TestCase):
    def test_neighbours_last_and_write_several_at_a_time(self):
        kinds = swing.writers()
        self.assertIn("writes of 4 KiB, depth 256", kinds)
        self.assertIn("metadata and bulk", kinds)
        for name in ("writes with fsync", "four journals", "reads of 1 MiB", "trim storm", "trickle of writes",
                     "writes on and off, 1 s", "nothing"):
            self.assertIn(name, neighbours.KINDS)
            self.assertNotIn(name, kinds)

    def test_the_run_is_long_enough_to_settle(self):
        made = swing.case(1, 3, mock.Mock(profile_of=lambda _: PROFILE), 20)
        self.assertEqual(made.runtime_s, WARM_UP_S + swing.SETTLE_S + 20)
        self.assertIn(made.neighbour, swing.writers())

    def test_only_neighbours_count_and_only_when_settled(self):
        begin = WARM_UP_S + swing.SETTLE_S
        with tempfile.TemporaryDirectory() as tmp:
            path = pathlib.Path(tmp) / "series"
            path.write_text("time_s,a0_n,a0_bytes,b0_n,b0_bytes,b1_n,b1_bytes,burst_n,burst_bytes\n"
                            f"{begin:.3f},1,1,1,1,1,1,0,0\n{begin + 0.1:.3f},9,99,2,20,3,30,7,70\n")
            self.assertEqual(swing.of_neighbours({}, path), [[5, 50]])

    def test_outside_is_beyond_half_and_double_of_the_median(self):
        found = swing.spread(intervals(1, 1, 1, 0.5, 2, 0.4, 2.1, 1, 1, 1))
        self.assertEqual((found["p50"], found["outside_pct"]), (10.0, 20.0))
        self.assertEqual((found["p5"], found["p95"]), (4.0, 21.0))

    def test_few_requests_say_nothing(self):
        self.assertTrue(swing.spread(intervals(1, 1, 1, requests=swing.LEAST_REQUESTS - 1))["coarse"])
        self.assertFalse(swing.spread(intervals(1, 1, 1, requests=swing.LEAST_REQUESTS))["coarse"])
        self.assertEqual([row[3] for row in swing.goals({"rows": [one(50.0, coarse=True)]})], ["met", "met"])

    def test_who_has_few_requests_is_judged_by_the_second(self):
        few, many = intervals(*[2, 0] * 10, requests=2), intervals(*[1, 0] * 10)
        with_, without = swing.spreads(few, many)
        self.assertEqual([(10.0, 0.0, swing.LONG, False), (5.0, 0.0, swing.LONG, False)],
                         [tuple(side[key] for key in ("p50", "outside_pct", "intervals", "coarse")) for side in (with_, without)])
        self.assertEqual([1, 1], [side["intervals"] for side in swing.spreads(many, few)])
        self.assertTrue(swing.spreads(intervals(*[1] * 20, requests=0), many)[0]["coarse"])

    def test_the_rest_of_a_second_is_left_out(self):
        self.assertEqual([[10, 10]], swing.joined([[1, 1]] * 19, 10))

    def test_a_swing_is_the_drives_own_if_it_swings_without_too(self):
        for rows, verdicts in (([one(swing.MOST_OUTSIDE_PCT)], ["met", "met"]),
                               ([one(30.0, without=40.0)], ["above", "met"]),
                               ([one(30.0, without=1.0)], ["above", "above"])):
            self.assertEqual([row[3] for row in swing.goals({"rows": rows})], verdicts)
        self.assertIn("30.0", swing.section({"rows": [one(30.0, without=40.0)]}))


if __name__ == "__main__":
    unittest.main()
