# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: neighbours that are drawn stream by stream."""

import pathlib
import random
import re
import subprocess
import sys
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from drawn_promises import PROFILE  # noqa: E402
from lib.promise import any_neighbours, attack, neighbours, strangers  # noqa: E402
from lib.promise.runs import Runs  # noqa: E402
from ssdqos.paths import SIMULATOR  # noqa: E402

DRAWS = 200


def loads() -> list[str]:
    return [load for number in range(DRAWS) for load, _ in any_neighbours.drawn(1, number)]


def value(load: str, key: str) -> str | None:
    found = re.search(rf"\b{key}=(\S+)", load)
    return found[1] if found else None


class Draw(unittest.TestCase):
    def test_a_seed_and_a_number_give_the_same_neighbours(self):
        self.assertEqual(any_neighbours.drawn(1, 5), any_neighbours.drawn(1, 5))
        self.assertNotEqual(any_neighbours.drawn(1, 5), any_neighbours.drawn(2, 5))

    def test_everything_is_drawn(self):
        made = loads()
        self.assertEqual(set(any_neighbours.KINDS), {load.split()[0] for load in made})
        self.assertEqual(set(any_neighbours.STREAMS), {len(any_neighbours.drawn(1, number)) for number in range(DRAWS)})
        for key in ("iodepth", "rate_iops", "arrival", "burst", "random_distribution", "offset", "every", "rwmixread"):
            self.assertTrue(any(value(load, key) for load in made), key)
        words = {word.split("=")[0] for number in range(DRAWS) for _, more in any_neighbours.drawn(1, number) for word in more.split()}
        self.assertEqual({"urgent", "weight"}, words)

    def test_small_numbers_are_as_likely_as_great_ones(self):
        dice = random.Random("magnitudes")
        made = [any_neighbours.magnitude(dice, 1, 256) for _ in range(4000)]
        self.assertAlmostEqual(0.5, sum(one <= 16 for one in made) / len(made), delta=0.05)
        self.assertTrue(all(1 <= one <= 256 for one in made))

    def test_who_comes_at_a_rate_asks_for_no_more_than_there_can_be(self):
        for load in loads():
            if rate := value(load, "rate_iops"):
                self.assertLessEqual(int(rate) * int(value(load, "bs") or 0), any_neighbours.RATES_MOST_BYTES, load)

    def test_who_comes_and_goes_is_away_for_a_while(self):
        for load in loads():
            if every := value(load, "every"):
                self.assertGreater(int(every.removesuffix("ms")), int((value(load, "runtime") or "").removesuffix("ms")), load)

    @unittest.skipUnless(SIMULATOR.exists(), "make sim builds what this runs")
    def test_the_simulator_takes_them(self):
        streams = [stream for number in range(DRAWS) for stream in any_neighbours.drawn(1, number)]
        words = [word for at, (load, more) in enumerate(streams) for word in ("--stream", f'name=b{at} load="{load}" {more}')]
        done = subprocess.run([str(SIMULATOR), "qos", "--drive", "ttflash", "--size", "1024m", "--runtime", "1ms", "--verify", "off",
                               *words], capture_output=True, text=True, check=False)
        self.assertEqual("", done.stderr)


class Part(unittest.TestCase):
    def scenario(self, number: int):
        runs = mock.Mock(profile_of=lambda _: PROFILE)
        return strangers.scenario(1, number, runs, windows=40, most_s=20)

    def test_only_the_neighbours_are_others(self):
        one = self.scenario(3)
        self.assertEqual(any_neighbours.drawn(1, 3), one.beside())
        self.assertEqual(f"{len(one.streams)} drawn", one.neighbour)
        plain = strangers.drawn.scenario(1, 3, lambda _: PROFILE, 40, 20)
        self.assertEqual((plain.drive, plain.share_pct), (one.drive, one.share_pct))
        self.assertEqual(neighbours.KINDS[plain.neighbour], plain.beside())

    def test_half_of_the_owners_go_in_order(self):
        owners = [owner for number in range(99) for owner in self.scenario(number).owners]
        ordered = [owner for owner in owners if owner.promise.request.pattern == "seq"]
        self.assertAlmostEqual(0.5, len(ordered) / len(owners), delta=0.1)
        self.assertEqual({"read", "write"}, {owner.load(1).split()[0] for owner in ordered})
        self.assertEqual({"randread", "randwrite"}, {owner.load(1).split()[0] for owner in owners if owner not in ordered})

    def test_they_are_in_the_command(self):
        one = self.scenario(3)
        command = Runs.words(mock.Mock(drive_words=lambda *_: []), one)
        for load, _ in one.streams:
            self.assertTrue(any(load in word for word in command), load)

    def test_what_broke_a_promise_is_said(self):
        rows = [{"number": number, "streams": [f"write bs={number}"], "promises": [{"held": number != 7}]} for number in (3, 7)]
        said = strangers.broken({"rows": rows})
        self.assertIn("write bs=7", said)
        self.assertNotIn("write bs=3", said)
        self.assertEqual("", strangers.broken({"rows": rows[:1]}))


class Attack(unittest.TestCase):
    def test_a_change_is_one_stream(self):
        dice = random.Random("changes")
        one = any_neighbours.drawn(1, 3)
        for _ in range(60):
            other = attack.changed(dice, one)
            self.assertLessEqual(abs(len(other) - len(one)), 1)
            self.assertTrue(1 <= len(other) <= attack.MOST_STREAMS)
            self.assertLessEqual(sum(stream not in one for stream in other), 1)

    def test_what_breaks_a_promise_harms_more_than_what_misses_and_that_more_than_what_has_little(self):
        def of(met_pct: float, least_pct: float) -> attack.Harm:
            return attack.harm([{"confidence_pct": 99, "met_pct": 100, "least_pct": 100},
                                {"confidence_pct": 90, "met_pct": met_pct, "least_pct": least_pct}])
        self.assertGreater(of(80, 70), of(95, 10))
        self.assertGreater(of(95, 70), of(100, 10))
        self.assertGreater(of(100, 10), of(100, 70))
        self.assertEqual(of(100, 120), of(100, 400))

    def test_the_worst_that_was_tried_is_judged_on_another_drive(self):
        tried = []

        def run(one):
            tried.append(one)
            return {"a0": {"windows_met": 40, "windows_missed": 0, "promised": 100, "achieved_min": 100 - len(one.streams)}}
        one = next(one for number in range(99) if len((one := strangers.scenario(1, number, mock.Mock(profile_of=lambda _: PROFILE),
                                                                               40, 20)).owners) == 1)
        made = attack.row(one, mock.Mock(run=run), seed=1)
        *searched, judged = tried
        self.assertEqual(attack.DRAWS + attack.CHANGES, len(searched))
        self.assertEqual(max(len(scenario.streams) for scenario in searched), len(judged.streams))
        self.assertEqual({one.drive.seed}, {scenario.drive.seed for scenario in searched})
        self.assertNotEqual(one.drive.seed, judged.drive.seed)
        self.assertGreater(judged.runtime_s, one.runtime_s)
        self.assertEqual((0, 0), (made["found_points"], made["found_missed_pct"]))
        self.assertIn("judged", attack.section({"count": 1, "rows": [made]}))


if __name__ == "__main__":
    unittest.main()
