# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: owners that ask for less than they were promised."""

import pathlib
import sys
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from drawn_promises import OPTIONS, PROFILE, drawn  # noqa: E402
from lib.promise import asking, neighbours  # noqa: E402
from lib.promise.runs import Runs  # noqa: E402


def with_neighbours():
    return next(one for number in range(99) if (one := drawn(number)).owners and one.neighbour != neighbours.ALONE)


def runs(neighbour_bytes_per_s: int = 2_000_000, iops: int = 10**9):
    owner = {"iops": iops, "bytes_per_s": 0, "windows_met": 1, "windows_missed": 1, "achieved_min": 1, "promised": 2}

    def run(one, more=()):
        streams = {f"a{at}": owner for at in range(len(one.owners))}
        return streams | {"b0": {"iops": 1, "bytes_per_s": neighbour_bytes_per_s * (2 if more else 1)}}
    return mock.Mock(run=run)


def case(pct, mb_s, says_depth=True, got=100.0):
    return {"asks_pct": pct, "says_depth": says_depth, "neighbours_mb_s": mb_s, "without_mb_s": 10.0, "got_pct": [got], "missed": 0}


def row(less, more, got=100.0, unsaid=1.0):
    return {"number": 1, "name": "1: some", "cases": [*(case(pct, less, got=got) for pct in asking.LESS_PCT),
                                                      case(asking.MORE_PCT, more), case(asking.UNSAID_PCT, unsaid, False)],
            "then": {"neighbours_mb_s": less, "without_mb_s": 10.0,
                     "promises": [{"met": 99, "missed": 1, "held": True}, {"met": 90, "missed": 10, "held": False}]}}


class Draw(unittest.TestCase):
    def test_the_command_has_the_rate_and_the_promise_as_it_was(self):
        one = with_neighbours()
        some = asking.asking(one, 50)
        command = Runs.words(mock.Mock(drive_words=lambda *_: []), some)
        for owner, promised in zip(some.owners, one.owners):
            self.assertEqual(owner.promise, promised.promise)
            self.assertEqual(max(promised.promise.min_iops // 2, 1), owner.rate_iops)
            self.assertTrue(any(f"rate_iops={owner.rate_iops}" in word for word in command))
        self.assertNotIn("rate_iops", one.owners[0].load(1))

    def test_who_does_not_say_its_depth_has_it_all_the_same(self):
        owner = asking.asking(with_neighbours(), 50, says_depth=False).owners[0]
        self.assertNotIn("iodepth", owner.promise.said())
        self.assertIn(f"iodepth={owner.depth}", owner.load(1))

    def test_who_asks_for_all_now_and_then_rests_in_between(self):
        some = asking.now_and_then(one := with_neighbours())
        self.assertEqual(asking.WARM_UP_S + asking.THEN_S, some.runtime_s)
        for owner, promised in zip(some.owners, one.owners):
            self.assertIn(f"rate_iops={owner.rate_iops} runtime=10000ms every=40000ms rest_iops="
                          f"{max(promised.promise.min_iops // 5, 1)}", owner.load(1))
            self.assertEqual(max(promised.promise.min_iops * 6 // 5, 1), owner.rate_iops)

    def test_only_who_has_neighbours_can_leave_them_something(self):
        some = asking.measure(mock.Mock(profile_of=lambda _: PROFILE, row=lambda one, make, more: make(one) | {"number": one.number},
                                        run=runs().run, say=lambda _: None, programs=None), OPTIONS)
        self.assertTrue(some["rows"])
        self.assertFalse([one for one in some["rows"] if one["neighbour"] == neighbours.ALONE])


class Row(unittest.TestCase):
    def test_each_case_has_what_neighbours_do_with_promises_and_without(self):
        made = asking.row(with_neighbours(), runs())
        self.assertEqual([*((pct, True) for pct in (*asking.LESS_PCT, asking.MORE_PCT)), (asking.UNSAID_PCT, False)],
                         [(one["asks_pct"], one["says_depth"]) for one in made["cases"]])
        self.assertEqual({(2.0, 4.0)}, {(one["neighbours_mb_s"], one["without_mb_s"]) for one in made["cases"]})

    def test_what_an_owner_got_is_a_part_of_what_it_asked_for(self):
        one = asking.asking(with_neighbours(), 50)
        rate = one.owners[0].rate_iops
        self.assertEqual(50.0, asking.got_pct(one, {f"a{at}": {"iops": rate / 2} for at in range(len(one.owners))})[0])


class Page(unittest.TestCase):
    def test_less_than_beside_owners_that_ask_for_more_is_counted_and_shown(self):
        rows = [row(9.6, 10.0), row(1.0, 10.0)]
        self.assertEqual(1, asking.as_much(rows, 50))
        said = asking.section({"count": 2, "rows": rows})
        self.assertIn("1: some", said)
        self.assertEqual(["50.0 %", "100.0 %", "50.0 %"], [goal[2] for goal in asking.goals({"rows": rows})])

    def test_windows_of_owners_that_ask_for_all_now_and_then_are_counted(self):
        self.assertEqual([[1, 2, 1, 200, 11, "4", "40"]], asking.lines_then([row(4.0, 10.0)]))

    def test_owners_that_do_not_get_what_they_ask_for_are_counted(self):
        self.assertEqual("50.0 %", asking.goals({"rows": [row(10, 10), row(10, 10, got=97.9)]})[1][2])

    def test_neighbours_that_do_nothing_anyway_are_left_out(self):
        none = row(0.0, 10.0)
        for one in none["cases"]:
            one["without_mb_s"] = 0.0
        self.assertEqual("100.0 %", asking.goals({"rows": [row(10, 10), none]})[0][2])


if __name__ == "__main__":
    unittest.main()
