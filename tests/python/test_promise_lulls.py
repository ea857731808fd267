# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: neighbours that behave, and then do not."""

import pathlib
import random
import re
import sys
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from drawn_promises import PROFILE, cases_asked  # noqa: E402
from lib.promise import any_neighbours, lulls  # noqa: E402
from lib.promise.runs import Runs  # noqa: E402

DRAWS = 60
RUNS = mock.Mock(profile_of=lambda _: PROFILE)
TIMES = re.compile(r" start=(\d+)ms runtime=(\d+)ms every=(\d+)ms")


def scenarios(seed: int = 1):
    return [one for number in range(DRAWS) if (one := lulls.scenario(seed, number, RUNS)).owners]


def run(met: int, wrote: int) -> dict:
    """Of any number of owners."""
    owner = {"windows_met": met, "windows_missed": 40 - met, "promised": 100, "achieved_min": 40, "write_bytes": 0}
    return {f"a{at}": owner for at in range(8)} | {"b0": {"write_bytes": wrote}}


class Draw(unittest.TestCase):
    def test_a_seed_and_a_number_give_the_same(self):
        self.assertEqual(scenarios(), scenarios())
        self.assertNotEqual(scenarios(), scenarios(seed=2))

    def test_all_neighbours_of_a_scenario_come_at_once_after_a_lull(self):
        for one in scenarios():
            longest_ms = max(owner.promise.window_ms for owner in one.owners)
            found = {TIMES.search(load).groups() for load, _ in one.streams}
            self.assertEqual(1, len(found), one.streams)
            off_ms, on_ms, every_ms = map(int, found.pop())
            self.assertEqual(every_ms, on_ms + off_ms)
            for range_, ms in ((lulls.ON_PCT, on_ms), (lulls.OFF_PCT, off_ms)):
                self.assertTrue(range_[0] * longest_ms <= 100 * ms <= range_[1] * longest_ms, (range_, ms))

    def test_nobody_has_other_times(self):
        for one in scenarios():
            for load, _ in one.streams:
                self.assertEqual(1, load.count("every="), load)

    def test_streams_are_drawn_alike_but_for_their_times(self):
        load, _ = any_neighbours.stream(random.Random("lull 7"), ["runtime=1s"])
        self.assertTrue(load.endswith(" runtime=1s"), load)
        like, _ = any_neighbours.stream(random.Random("lull 7"))
        self.assertEqual(load.split()[:2], like.split()[:2])

    def test_many_kinds_are_drawn(self):
        loads = {load.split()[0] for one in scenarios() for load, _ in one.streams}
        self.assertGreater(len(loads), 5)
        self.assertGreater(len({len(one.streams) for one in scenarios()}), 2)


class Part(unittest.TestCase):
    def test_each_runs_with_the_rule_and_without(self):
        self.assertEqual([(), ("--qos", "drive_catch_up=off")], cases_asked(lulls.row, scenarios()[0], run(40, 1)))

    def test_the_page_has_both(self):
        row = lulls.row(scenarios()[0], mock.Mock(run=lambda _, more: run(30, 9) if more else run(40, 7)))
        said = lulls.section({"count": 1, "rows": [row]})
        self.assertIn("Not kept, without", said)
        self.assertNotIn("Not kept, with the rule", said)
        self.assertEqual(2, len(lulls.goals({"rows": [row]})))

    def test_the_command_has_the_lulls(self):
        one = scenarios()[0]
        command = Runs.words(mock.Mock(drive_words=lambda *_: []), one)
        self.assertTrue(any(TIMES.search(word) for word in command))


class Page(unittest.TestCase):
    def test_who_may_miss_each_such_window_proves_little(self):
        of = [{"confidence_pct": pct, "held": held} for pct, held in ((90, True), (99, True), (99, False))]
        self.assertIn("of the 2 promises\nof 99 % 1 hold", lulls.strict_text(of))


if __name__ == "__main__":
    unittest.main()
