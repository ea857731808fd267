# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: owners that pause beside backlogs."""

import pathlib
import sys
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from drawn_promises import PROFILE, cases_asked  # noqa: E402
from lib.promise import backlogs, with_without  # noqa: E402
from lib.promise.runs import Runs  # noqa: E402

DRAWS = 60
RUNS = mock.Mock(profile_of=lambda _: PROFILE)


def scenarios(seed: int = 1):
    return [one for number in range(DRAWS) if (one := backlogs.scenario(seed, number, RUNS)).owners]


def run(met: int, wrote: int) -> dict:
    return {"a0": {"windows_met": met, "windows_missed": 40 - met, "promised": 100, "achieved_min": 40, "write_bytes": 0},
            "b0": {"write_bytes": wrote}}


class Draw(unittest.TestCase):
    def test_a_seed_and_a_number_give_the_same(self):
        self.assertEqual(scenarios(), scenarios())
        self.assertNotEqual(scenarios(), scenarios(seed=2))

    def test_owners_pause_and_others_write_at_once(self):
        for one in scenarios():
            owner, = one.owners
            self.assertIn(f"runtime={owner.on_ms}ms every={owner.every_ms}ms", owner.load(1))
            self.assertIn(owner.on_ms // 1000, backlogs.THERE_S)
            self.assertIn((owner.every_ms - owner.on_ms) // 1000, backlogs.AWAY_S)
            (load, _), = one.streams
            self.assertRegex(load, r"^randwrite bs=\d+ iodepth=\d+ runtime=1s every=\d+s$")

    def test_everything_is_drawn(self):
        owners = [owner for one in scenarios() for owner in one.owners]
        self.assertEqual(set(backlogs.DEPTHS), {owner.depth for owner in owners})
        self.assertGreater(len({owner.promise.window_ms for owner in owners}), 1)
        self.assertGreater(len({owner.promise.confidence_permille for owner in owners}), 1)
        self.assertGreater(len({one.drive.name for one in scenarios()}), 4)


class Part(unittest.TestCase):
    def row(self, with_rule: dict, without: dict) -> dict:
        return backlogs.row(scenarios()[0], mock.Mock(run=lambda _, more: without if more else with_rule))

    def test_each_runs_with_the_rule_and_without(self):
        self.assertEqual([(), ("--qos", "drive_away=off")], cases_asked(backlogs.row, scenarios()[0], run(40, 1)))

    def test_both_are_in_the_table(self):
        rows = [self.row(run(40, 7_000_000_000), run(30, 9_000_000_000))]
        self.assertEqual([1, "1", 0, "7"], [with_without.line(rows, with_without.WITH)[at] for at in (1, 2, -2, -1)])
        self.assertEqual([1, "0", 10, "9"], [with_without.line(rows, with_without.WITHOUT)[at] for at in (1, 2, -2, -1)])
        said = backlogs.section({"count": 1, "rows": rows})
        self.assertIn("Not kept, without", said)
        self.assertNotIn("Not kept, with the rule", said)
        self.assertEqual(2, len(backlogs.goals({"rows": rows})))

    def test_owners_without_a_window_are_counted(self):
        rows = [self.row(run(40, 0), run(40, 0)), self.row(*[run(40, 0) | {"a0": {"windows_met": 0, "windows_missed": 0,
                                                                                "write_bytes": 0}}] * 2)]
        self.assertIn("\n1 of them it is never there", backlogs.section({"count": 2, "rows": rows}))

    def test_the_command_has_the_pauses(self):
        one = scenarios()[0]
        command = Runs.words(mock.Mock(drive_words=lambda *_: []), one)
        self.assertTrue(any(f"every={one.owners[0].every_ms}ms" in word for word in command))


if __name__ == "__main__":
    unittest.main()
