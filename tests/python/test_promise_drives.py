# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: drives after a burst, and those that were not looked at."""

import argparse
import dataclasses
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools"), str(TOP / "tests/python")]

from drawn_promises import OPTIONS, PROFILE, drawn  # noqa: E402
from lib import campaign  # noqa: E402
from lib.errors import RunError  # noqa: E402
from lib.promise import any_drives, draw, drives, matrix, neighbours, other_drives, unseen, unseen_drives  # noqa: E402
from lib.promise.runs import Runs  # noqa: E402
from ssdqos.qos import profile_file  # noqa: E402
from ssdqos.qos.profile_file import Profile  # noqa: E402


class Bursts(unittest.TestCase):
    def test_some_drives_begin_after_a_burst_and_all_else_is_drawn_as_before(self):
        burst = [number for number in range(100) if drawn(number).drive.burst]
        self.assertTrue(15 <= len(burst) <= 35, burst)
        with mock.patch.object(draw, "is_after_burst", lambda *_: False):
            without = [drawn(number) for number in burst]
        for number, quiet in zip(burst, without):
            one = drawn(number)
            self.assertEqual(dataclasses.replace(one, drive=dataclasses.replace(one.drive, burst=False)), quiet)

    def test_a_burst_ends_before_windows_begin_and_owners_come_after_it(self):
        self.assertLess(neighbours.BURST_S, draw.WARM_UP_S)
        one = next(one for number in range(99) if (one := drawn(number)).drive.burst and one.owners)
        with mock.patch.object(campaign, "runs_of", lambda _: pathlib.Path("nowhere")):
            runs = Runs(pathlib.Path(__file__), again=False)
        words = runs.words(one)
        burst, = (word for word in words if word.startswith("name=burst"))
        self.assertIn(f" runtime={neighbours.BURST_S}s ", burst)
        for word in words:
            if word.startswith("name=a"):
                self.assertIn(f" start={neighbours.BURST_S}s", word)


class Seeds(unittest.TestCase):
    def test_each_scenario_has_a_drive_of_its_own_age_and_all_else_is_drawn_as_before(self):
        made = [drawn(number) for number in range(40)]
        self.assertEqual(len({one.drive.seed for one in made}), 40)
        self.assertNotEqual(made[0].drive.seed, drawn(0, 2).drive.seed)
        with mock.patch.object(draw, "drive_seed", lambda *_: 1):
            self.assertEqual([dataclasses.replace(one, drive=dataclasses.replace(one.drive, seed=1)) for one in made],
                             [drawn(number) for number in range(40)])
        self.assertIn(f"seed={made[0].drive.seed}", made[0].drive.words())

    def test_the_profile_is_that_of_the_first_one(self):
        one, other = drawn(0).drive, dataclasses.replace(drawn(0).drive, seed=1)
        self.assertEqual((drives.arguments(one), drives.profile_path(one, pathlib.Path("x"))),
                         (drives.arguments(other), drives.profile_path(other, pathlib.Path("x"))))


class Given(unittest.TestCase):
    """--profiles"""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.given, self.place = pathlib.Path(scratch.name) / "given", pathlib.Path(scratch.name) / "place"
        self.given.mkdir()
        self.drive = drives.Drive("autossd", "fifo")
        self.made = mock.patch.object(drives, "make_profile", side_effect=self.make).start()
        self.addCleanup(mock.patch.stopall)

    def make(self, _, path, __):
        path.parent.mkdir(parents=True, exist_ok=True)
        profile_file.write(PROFILE, path)

    def promised(self) -> Profile:
        runs = Runs(pathlib.Path(__file__), again=False, place=self.place, given=self.given)
        runs.say = lambda _: None
        return runs.profile_of(self.drive)

    def test_a_profile_that_is_given_is_not_measured(self):
        other = dataclasses.replace(PROFILE, meta={**PROFILE.meta, "date": "1999-12-31"})
        self.promised()
        self.assertEqual(1, self.made.call_count)
        profile_file.write(other, drives.profile_path(self.drive, self.given))
        self.assertEqual("1999-12-31", self.promised().meta["date"])
        self.assertEqual(1, self.made.call_count)
        self.assertEqual("1999-12-31", profile_file.read(drives.profile_path(self.drive, self.place)).meta["date"])

    def test_one_that_is_not_there_is_measured(self):
        profile_file.write(PROFILE, drives.profile_path(drives.Drive("ttflash", "fifo"), self.given))
        self.promised()
        self.assertEqual(1, self.made.call_count)

    def test_a_damaged_one_is_said_by_its_name_and_not_taken(self):
        source = drives.profile_path(self.drive, self.given)
        source.write_text("junk\n")
        with self.assertRaisesRegex(RunError, f"^{source}:1: the first line is not"):
            self.promised()
        self.assertFalse(drives.profile_path(self.drive, self.place).exists())

    def test_it_is_a_folder(self):
        self.assertEqual(self.given, drives.folder(str(self.given)))
        with self.assertRaisesRegex(argparse.ArgumentTypeError, "'.*/nowhere' is no folder"):
            drives.folder(str(self.given / "nowhere"))

    def test_those_of_the_pages_are_of_all_presets(self):
        for preset in drives.PRESETS:
            for scheduler in drives.SCHEDULERS:
                drive = drives.Drive(preset, scheduler)
                meta = profile_file.read(drives.profile_path(drive, TOP / "docs/results/promise/profiles")).meta
                self.assertEqual((f"emulated {preset}", f"scheduler={scheduler}"), (meta["model"], meta["set"]))


class UnseenDrives(unittest.TestCase):
    def test_the_same_scenarios_on_other_drives(self):
        for number in range(40):
            known, other = drawn(number), drawn(number, instead=unseen_drives.instead)
            self.assertEqual(dataclasses.replace(other, drive=known.drive), known)
            self.assertNotIn(other.drive.kind, {drives.Drive(preset, scheduler).kind for preset in drives.PRESETS
                                                for scheduler in drives.SCHEDULERS})

    def test_each_has_a_profile_of_its_own(self):
        made = [unseen_drives.instead(drives.Drive(preset, "fifo")) for preset in drives.PRESETS]
        self.assertEqual(len({drives.profile_path(one, pathlib.Path("x")) for one in made}), len(unseen_drives.MODELS))
        for one in made:
            self.assertTrue(one.settings)
            for setting in one.settings:
                self.assertIn(setting, one.words())
                self.assertIn(setting, drives.arguments(one))

    def test_no_single_scenario_is_kept(self):
        row = {"number": 17, "name": "17: this one", "drive": "unseen-small, fifo",
               "promises": [{"met": 9, "missed": 1, "met_pct": 90.0, "confidence_pct": 99.0, "held": False}]}
        with mock.patch.object(matrix, "chosen", lambda *_: []), mock.patch.object(matrix, "rows_of", lambda *_: [row]):
            result = unseen.measure(None, OPTIONS)
        self.assertNotIn("17", json.dumps(result))
        self.assertIn("unseen-small", unseen.section(result))
        self.assertEqual(unseen.goals(result)[0][3], "below")


class AnyDrives(unittest.TestCase):
    def test_the_same_seed_has_the_same_drives_and_another_one_others(self):
        made = [any_drives.settings(1, at, lambda _: True) for at in range(any_drives.DRIVES)]
        self.assertEqual(made, [any_drives.settings(1, at, lambda _: True) for at in range(any_drives.DRIVES)])
        self.assertEqual(len(set(made)), len(made))
        self.assertNotIn(any_drives.settings(2, 0, lambda _: True), made)

    def test_what_can_be_no_drive_is_drawn_again(self):
        first = any_drives.settings(1, 0, lambda _: True)
        self.assertNotEqual(any_drives.settings(1, 0, lambda drive: drive.settings != first), first)
        with self.assertRaisesRegex(RunError, "none of 100 draws of drive 3"):
            any_drives.settings(1, 3, lambda _: False)

    def test_collection_stops_later_than_it_starts(self):
        for at in range(40):
            made = dict(word.split("=") for word in any_drives.settings(1, at, lambda _: True))
            self.assertGreater(int(made["gc_stop_blocks"]), int(made["gc_start_blocks"]))

    def test_the_same_scenarios_in_the_same_state(self):
        for number in range(20):
            known = drawn(number)
            other = drawn(number, instead=lambda drive: any_drives.instead(drive, 1, number % 12, lambda _: True))
            self.assertEqual((other.owners, other.neighbour, other.drive.full_pct, other.drive.burst),
                             (known.owners, known.neighbour, known.drive.full_pct, known.drive.burst))
            self.assertEqual(other.drive.model, f"drawn-1-{number % 12}")

    def test_the_page_says_how_many_promise_nothing(self):
        row = {"number": 0, "name": "0: this one", "drive": "drawn-1-0, fifo", "neighbour": "nothing", "share_pct": 10,
               "promises": [{"class": "read 4k", "depth": 1, "iops": 1, "window_ms": 1000, "windows": "aligned",
                             "met": 9, "missed": 1, "met_pct": 90.0, "confidence_pct": 99.0, "least_pct": 5.0, "held": False}]}
        text = other_drives.section({"count": 3, "settings": {"drawn-1-0": ["a=1"]}, "rows": [row]})
        self.assertIn("In 2 of them", text)
        self.assertIn("0: this one", text)


if __name__ == "__main__":
    unittest.main()
