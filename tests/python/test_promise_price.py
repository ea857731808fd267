# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: the part price, and static limits."""

import dataclasses
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools"), str(TOP / "tests/python")]

from drawn_promises import PROFILE, OnASmallDrive, owner  # noqa: E402
from lib.promise import draw, neighbours, price, static_limit  # noqa: E402
from lib.promise.static_limit import Point  # noqa: E402
from ssdqos.qos import admission  # noqa: E402


class StaticLimit(unittest.TestCase):
    def test_what_is_held_is_there_in_the_windows_of_the_confidence(self):
        counts = [100] * 17 + [50, 40, 30]
        self.assertEqual(static_limit.held(owner(500, 900), counts), 100)
        self.assertEqual(static_limit.held(owner(500, 950), counts), 80)
        self.assertEqual(static_limit.held(owner(500, 990), counts), 60)

    def test_windows_of_the_warm_up_and_cut_ones_do_not_count(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch, "series")
            path.write_text("time_s,a0_n,a0_bytes\n3.0,1,0\n6.0,2,0\n9.0,3,0\n12.0,4,0\n13.0,5,0\n")
            found = static_limit.windows_of({"streams": {"a0": {"requests": 7}}}, path, 3000)
        self.assertEqual(found, {"windows": [3, 4], "requests": {"a0": 7}})

    def test_who_comes_and_goes_is_limited_by_the_rate_while_it_is_there(self):
        load = "write bs=4k start=0s runtime=10s every=20s"
        self.assertEqual(static_limit.rates([(load, "")], {"b0": 1500}, 25), {load: 150})

    def test_the_neighbours_part_counts_each_load_alike(self):
        streams = [("write", ""), ("read", ""), ("read", "")]
        self.assertEqual(static_limit.part_of(streams, {"b0": 1, "b1": 30, "b2": 30}, {"b0": 2, "b1": 40, "b2": 40}),
                         0.625)

    def test_the_reference_is_the_limit_with_the_same_for_the_neighbours(self):
        points = [Point(1.0, 1.0, 100), Point(0.5, 0.5, 300), Point(0.0, 0.0, 1000)]
        self.assertEqual(static_limit.at(points, 0.5), 300)
        self.assertEqual(static_limit.at(points, 0.25), 650)
        self.assertEqual(static_limit.at(points, 1.2), 100)
        self.assertEqual(static_limit.at(points, -0.1), 1000)

    def test_a_wider_limit_that_gives_more_is_the_better_one(self):
        points = [Point(1.0, 1.0, 100), Point(0.5, 0.5, 900), Point(0.0, 0.0, 500)]
        self.assertEqual(static_limit.at(points, 0.25), 900)


class Price(unittest.TestCase):
    def runs(self) -> mock.Mock:
        return mock.Mock(profile_of=lambda _: PROFILE)

    def test_a_case_asks_for_the_highest_rate_that_is_admitted(self):
        made = [one for number in range(60) if (one := price.case(1, number, self.runs(), 20, 40))]
        self.assertTrue(made)
        for one in made:
            promise = one.owners[0].promise
            self.assertTrue(admission.admit(PROFILE, [], promise, draw.SETTINGS).fits)
            more = dataclasses.replace(promise, min_iops=promise.min_iops + 1)
            self.assertFalse(admission.admit(PROFILE, [], more, draw.SETTINGS).fits)
            self.assertNotEqual(one.neighbour, neighbours.ALONE)

    def test_each_case_has_a_drive_of_its_own_age(self):
        seeds = {one.drive.seed for number in range(20) if (one := price.case(1, number, self.runs(), 20, 40))}
        self.assertGreater(len(seeds), 10)

    def row(self, admitted: int, got: float) -> dict:
        one = next(one for number in range(60) if (one := price.case(1, number, self.runs(), 20, 40)))
        promise = dataclasses.replace(one.owners[0].promise, min_iops=admitted)
        one = dataclasses.replace(one, owners=(dataclasses.replace(one.owners[0], promise=promise),))
        points = [Point(1.0, 1.0, 50), Point(0.5, 0.5, 100), Point(0.0, 0.0, 200)]
        with mock.patch.object(static_limit, "search", lambda *_: (points, 0.5, got)):
            return price.row(one, None, ())

    def test_admitting_too_little_and_keeping_too_little_both_show(self):
        low, high, broken = self.row(79, 300.0), self.row(80, 300.0), self.row(160, 70.0)
        self.assertEqual((low["admitted_pct"], low["largest_pct"]), (79.0, 39.5))
        self.assertEqual((broken["admitted_pct"], broken["kept_pct"]), (160.0, 70.0))
        self.assertEqual([row[3] for row in price.goals({"rows": [high]})], ["met", "met"])
        self.assertEqual([row[3] for row in price.goals({"rows": [high, low]})], ["below", "below"])
        self.assertEqual([row[3] for row in price.goals({"rows": [high, broken]})], ["met", "below"])
        self.assertIn("70", price.section({"windows": 40, "most_s": 50, "rows": [high, broken]}))


class InTheSimulator(OnASmallDrive):
    def test_price(self):
        found = self.again(price, QUICK_CASES=3, QUICK_WINDOWS=1, QUICK_MOST_S=4)
        parts = [{factor: part for factor, part, _ in row["points"]} for row in found["rows"]]
        self.assertTrue(any(part[0.0] < part[1.0] for part in parts), "limits hold neighbours back")
        self.assertIn("kept/equal", price.section(found))


if __name__ == "__main__":
    unittest.main()
