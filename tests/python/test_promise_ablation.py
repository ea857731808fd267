# SPDX-License-Identifier: GPL-2.0
"""Part `ablation` of the campaign of promises."""

import pathlib
import subprocess
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib import rules  # noqa: E402  (after the path that it is found on)
from lib.promise import ablation  # noqa: E402
from ssdqos.paths import SIMULATOR  # noqa: E402


class Rules(unittest.TestCase):
    def test_each_is_switched_off_once_and_all_of_them_once(self):
        made = list(rules.cases().values())
        self.assertEqual(made[0], ())
        self.assertEqual([len(words) for words in made[1:-1]], [1] * len(rules.RULES))
        self.assertEqual(set(made[-1]), set(rules.RULES.values()))

    def test_the_simulator_knows_them(self):
        words = [str(SIMULATOR), "qos", "--drive", "autossd", "--size", "64m", "--runtime", "100ms",
                 "--stream", "name=a load=\"randread bs=4k\"", *ablation.switched(tuple(rules.RULES.values()))]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
