# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/simulator: campaigns that begin at once in one tree."""

import fcntl
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib import simulator  # noqa: E402


def is_free(place: pathlib.Path) -> bool:
    with open(place / "campaign.lock", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name, "build")

    def made(self, make, run):
        with mock.patch.object(subprocess, "run", run):
            return make(str(self.place))

    def test_nobody_else_makes_it_meanwhile(self):
        for make in (simulator.build, simulator.build_trained):
            free = []
            self.made(make, lambda *_, **__: free.append(is_free(self.place)))
            self.assertEqual([False], free)
            self.assertTrue(is_free(self.place))

    def test_others_may_after_one_that_failed(self):
        run = mock.Mock(side_effect=subprocess.CalledProcessError(2, "make"))
        with self.assertRaises(subprocess.CalledProcessError):
            self.made(simulator.build, run)
        self.assertTrue(is_free(self.place))

    def test_each_has_its_program(self):
        run = mock.Mock()
        self.assertEqual(self.place / "sim/ssdqos-sim", self.made(simulator.build, run))
        self.assertEqual(self.place / "trained/sim/ssdqos-sim", self.made(simulator.build_trained, run))
        self.assertEqual(["sim", "sim-trained"], [call.args[0][-1] for call in run.call_args_list])


if __name__ == "__main__":
    unittest.main()
