# SPDX-License-Identifier: GPL-2.0
"""Scenarios of the campaign promise with a profile that says little, and parts that run them on a small drive."""

import argparse
import dataclasses
import pathlib
import tempfile
import unittest
from unittest import mock

from lib import campaign
from lib.promise import draw, drives
from lib.promise.runs import Runs
from ssdqos.paths import SIMULATOR
from ssdqos.qos import profile_file

PROFILE = profile_file.parse("""ssdqos-profile 1
window_ms 500 1000 5000
cost read rand 4096 32 990 20000 20000 20000
cost read rand 65536 32 990 - 200000 200000
cost write rand 4096 32 990 60000 60000 50000
mix 0 1000
mix 50 1200
mix 100 1000
""")
OPTIONS = argparse.Namespace(quick=True, count=None, seed=1, only=None)


def cases_asked(row, one: draw.Scenario, result: dict) -> list[tuple[str, ...]]:
    """With which words a part's row runs a scenario."""
    asked = []

    def run(_: draw.Scenario, more: tuple[str, ...]) -> dict:
        asked.append(more)
        return result
    row(one, mock.Mock(run=run))
    return asked


def drawn(number: int, seed: int = 1, **more) -> draw.Scenario:
    return draw.scenario(seed, number, lambda _: PROFILE, windows=40, most_s=50, **more)


def owner(window_ms: int = 1000, confidence_permille: int = 900) -> draw.Owner:
    one = next(one for number in range(99) if (one := drawn(number)).owners).owners[0]
    return dataclasses.replace(one, promise=dataclasses.replace(one.promise, window_ms=window_ms,
                                                                confidence_permille=confidence_permille))


@unittest.skipUnless(SIMULATOR.exists(), "make sim builds what this runs")
class OnASmallDrive(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = pathlib.Path(scratch.name)
        for patch in (mock.patch.object(campaign, "runs_of", lambda _: self.place),
                      mock.patch.object(drives, "MEGABYTES", 128),
                      mock.patch.object(Runs, "profile_of", lambda *_: PROFILE),
                      mock.patch.object(drives, "profile_path", lambda _, place: place / "one.profile")):
            patch.start()
            self.addCleanup(patch.stop)
        profile_file.write(PROFILE, self.place / "one.profile")

    def runs(self) -> Runs:
        made = Runs(SIMULATOR, again=False)
        made.say = lambda _: None
        return made

    def again(self, part, **sizes) -> dict:
        """Measured twice: the second time nothing runs."""
        with mock.patch.multiple(part, **sizes):
            runs, later = self.runs(), self.runs()
            first = part.measure(runs, OPTIONS)
            self.assertEqual(part.measure(later, OPTIONS), first)
        self.assertTrue(runs.fresh)
        self.assertFalse(later.fresh, "runs are found again")
        return first
