# SPDX-License-Identifier: GPL-2.0
"""tests/lanes: jobs side by side, none of which outlives who started them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

LANES = Path(__file__).resolve().parents[1] / "lanes"
# Of a machine that has to do a lot besides; what is waited for takes milliseconds.
PATIENCE_S = 60


def begin(script: str, *jobs: str) -> subprocess.Popen:
    return subprocess.Popen([LANES, "sh", "-c", script, "--", *jobs], stdout=subprocess.PIPE, text=True)


class Lanes(unittest.TestCase):
    def test_each_job_runs_once(self) -> None:
        with begin("echo $0", "a", "b", "c", "d", "e") as lanes:
            self.assertEqual(sorted(lanes.stdout.read().split()), ["a", "b", "c", "d", "e"])
        self.assertEqual(lanes.returncode, 0)

    def test_one_that_fails_stops_no_other(self) -> None:
        with begin("echo $0; [ $0 != b ]", "a", "b", "c") as lanes:
            self.assertEqual(sorted(lanes.stdout.read().split()), ["a", "b", "c"])
        self.assertEqual(lanes.returncode, 1)

    def ends_by(self, number: signal.Signals) -> None:
        """The pipe is closed when the last process that has it is gone, those in the background, too."""
        with begin("sleep 1000 & echo $0; wait", "a", "b") as lanes:
            self.assertEqual(sorted([lanes.stdout.readline(), lanes.stdout.readline()]), ["a\n", "b\n"])
            lanes.send_signal(number)
            self.assertTrue(select.select([lanes.stdout], [], [], PATIENCE_S)[0], "somebody goes on")
            self.assertEqual(lanes.stdout.read(), "")
        self.assertEqual(lanes.returncode, 128 + number)

    def test_told_to_end_it_leaves_nobody(self) -> None:
        self.ends_by(signal.SIGTERM)

    def test_neither_does_ctrl_c(self) -> None:
        self.ends_by(signal.SIGINT)

    def test_nothing_begins_after_that(self) -> None:
        jobs = [f"job{at}" for at in range(10 * (os.cpu_count() or 1))]
        with tempfile.TemporaryDirectory() as scratch, begin(f"touch {scratch}/$0; echo $0; sleep 1000", *jobs) as lanes:
            lanes.stdout.readline()
            lanes.send_signal(signal.SIGTERM)
            lanes.stdout.read()
            self.assertLessEqual(len(os.listdir(scratch)), max(os.cpu_count() or 1, 2))

    def test_what_a_job_leaves_behind_ends_with_it(self) -> None:
        with begin("sleep 1000 & echo $0", "a") as lanes:
            self.assertEqual(lanes.stdout.read(), "a\n")
        self.assertEqual(lanes.returncode, 0)


if __name__ == "__main__":
    unittest.main()
