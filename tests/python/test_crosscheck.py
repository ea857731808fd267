# SPDX-License-Identifier: GPL-2.0
"""What a machine's results say of the drives that it recorded (tests/crosscheck/run)."""

from __future__ import annotations

import unittest

import programs

CROSSCHECK = programs.load("tests/crosscheck/run")


class Failed(unittest.TestCase):
    def of(self, script: str, outcome: str) -> dict[str, list[str]]:
        passed = {"script": "one.sh", "name": "run the load", "outcome": "pass"}
        return CROSSCHECK.failed_checks([passed, {"script": script, "name": "it", "outcome": outcome}], ["one", "two"])

    def test_all_passed(self) -> None:
        self.assertEqual(self.of("two.sh", "pass"), {"one": [], "two": []})

    def test_a_drive_that_failed_or_was_skipped(self) -> None:
        for outcome in ("fail", "skip"):
            self.assertEqual(self.of("two.sh", outcome), {"one": [], "two": ["it"]})

    def test_a_machine_that_failed(self) -> None:
        self.assertEqual(self.of("module", "fail"), {"one": ["it"], "two": ["it"]})

    def test_a_machine_that_was_run_once_more(self) -> None:
        self.assertEqual(self.of("boot", "skip"), {"one": [], "two": []})


if __name__ == "__main__":
    unittest.main()
