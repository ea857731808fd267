# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/side_by_side: work on all processors."""

import pathlib
import subprocess
import sys
import threading
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib import side_by_side  # noqa: E402
from lib.side_by_side import Programs  # noqa: E402


class Made(unittest.TestCase):
    def test_comes_in_the_order_of_what_was_given(self) -> None:
        second_is_made = threading.Event()

        def make(number: int) -> int:
            if number == 2:
                second_is_made.set()
            return number * 10

        self.assertEqual([10, 20, 30], list(side_by_side.made([1, 2, 3], make, Programs())))
        self.assertTrue(second_is_made.is_set())

    def test_one_that_fails_ends_programs_and_what_has_not_begun(self) -> None:
        programs = Programs()

        def make(number: int) -> int:
            if number == 0:
                raise ValueError("nothing to make")
            return programs.run(["sleep", "1000"]).returncode

        with self.assertRaisesRegex(ValueError, "nothing to make"):
            list(side_by_side.made(range(9), make, programs))

    def test_what_a_program_says_is_kept(self) -> None:
        done = Programs().run(["sh", "-c", "echo right; echo wrong >&2; exit 3"])
        self.assertEqual((3, "right\n", "wrong\n"), (done.returncode, done.stdout, done.stderr))

    def test_one_that_takes_too_long_is_ended(self) -> None:
        programs = Programs()
        with self.assertRaises(subprocess.TimeoutExpired):
            programs.run(["sleep", "1000"], limit_s=0.01)
        programs.end()


if __name__ == "__main__":
    unittest.main()
