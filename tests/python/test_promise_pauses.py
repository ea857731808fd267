# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: owners that come and go."""

import pathlib
import subprocess
import sys
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from drawn_promises import PROFILE  # noqa: E402
from lib.promise import pauses  # noqa: E402
from lib.promise import draw as drawn  # noqa: E402
from lib.promise.runs import Runs  # noqa: E402
from ssdqos.paths import SIMULATOR  # noqa: E402

DRAWS = 120
WINDOWS, MOST_S = 40, 200


def scenario(number: int, seed: int = 1):
    return pauses.scenario(seed, number, mock.Mock(profile_of=lambda _: PROFILE), WINDOWS, MOST_S)


class Draw(unittest.TestCase):
    def test_a_seed_and_a_number_give_the_same(self):
        self.assertEqual(scenario(5), scenario(5))
        self.assertNotEqual(scenario(5).owners, scenario(5, seed=2).owners)

    def test_each_owner_comes_and_goes_in_its_own_time(self):
        owners = [owner for number in range(DRAWS) for owner in scenario(number).owners]
        for owner in owners:
            self.assertTrue(pauses.ON_MS[0] <= owner.on_ms <= pauses.ON_MS[1], owner)
            self.assertTrue(owner.on_ms < owner.every_ms <= 11 * owner.on_ms, owner)
            self.assertIn(f"runtime={owner.on_ms}ms every={owner.every_ms}ms", owner.load(1))
        self.assertEqual(len(owners), len({(owner.on_ms, owner.every_ms) for owner in owners}))

    def test_what_is_promised_is_as_drawn(self):
        plain = drawn.scenario(1, 7, lambda _: PROFILE, WINDOWS, MOST_S)
        one = scenario(7)
        self.assertEqual(plain.drive, one.drive)
        self.assertEqual([owner.promise for owner in plain.owners], [owner.promise for owner in one.owners])
        self.assertNotIn("every=", plain.owners[0].load(1))

    def test_neighbours_are_of_each_kind(self):
        kind, stranger, at_once = scenario(6), scenario(7), scenario(8)
        self.assertEqual(drawn.scenario(1, 6, lambda _: PROFILE, WINDOWS, MOST_S).neighbour, kind.neighbour)
        self.assertTrue(stranger.neighbour.endswith("drawn"))
        self.assertTrue(at_once.neighbour.endswith("at once"))
        self.assertTrue(all(load.startswith("randwrite") and "runtime=1s every=" in load for load, _ in at_once.streams))

    def test_each_is_there_for_its_windows_or_the_run_is_as_long_as_it_may_be(self):
        lengths = set()
        for number in range(DRAWS):
            one = scenario(number)
            runs_s = one.runtime_s - drawn.WARM_UP_S
            for owner in one.owners:
                there_ms = runs_s * 1000 * owner.on_ms / owner.every_ms
                self.assertTrue(there_ms >= WINDOWS * owner.promise.window_ms or runs_s == MOST_S, one.name)
            lengths.add(runs_s)
        self.assertGreater(len(lengths), 10)
        self.assertEqual(MOST_S, max(lengths))

    @unittest.skipUnless(SIMULATOR.exists(), "make sim builds what this runs")
    def test_the_simulator_takes_them(self):
        loads = [load for number in range(DRAWS) for load in [*(owner.load(1) for owner in scenario(number).owners),
                                                              *(load for load, _ in scenario(number).streams)]]
        words = [word for at, load in enumerate(loads) for word in ("--stream", f'name=b{at} load="{load}"')]
        done = subprocess.run([str(SIMULATOR), "qos", "--drive", "ttflash", "--size", "1024m", "--runtime", "1ms", "--verify", "off",
                               *words], capture_output=True, text=True, check=False)
        self.assertEqual("", done.stderr)


class Part(unittest.TestCase):
    def test_a_row_says_when_each_was_there(self):
        one = next(one for number in range(DRAWS) if len((one := scenario(number)).owners) == 1)
        run = {"a0": {"windows_met": 30, "windows_missed": 10, "promised": 100, "achieved_min": 40}}
        row = pauses.row(one, mock.Mock(run=lambda _: run))
        owner = one.owners[0]
        self.assertEqual([[owner.on_ms, owner.every_ms - owner.on_ms]], row["there_away_ms"])
        self.assertFalse(row["promises"][0]["held"])
        said = pauses.section({"count": 1, "windows": WINDOWS, "most_s": MOST_S, "rows": [row]})
        self.assertIn("Of 1 promises 0 hold", said)
        self.assertIn(row["streams"][0].split()[0] if row["streams"] else "nothing", said)

    def test_the_command_has_the_pauses(self):
        one = scenario(8)
        command = Runs.words(mock.Mock(drive_words=lambda *_: []), one)
        for owner in one.owners:
            self.assertTrue(any(f"every={owner.every_ms}ms" in word for word in command))


if __name__ == "__main__":
    unittest.main()
