# SPDX-License-Identifier: GPL-2.0
"""What a machine's results say of the drives that it recorded (tests/crosscheck/run)."""

from __future__ import annotations

import unittest
from pathlib import Path
from unittest import mock

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


class Compared(unittest.TestCase):
    REQUESTS = {0: ("read", 0, 8, 0, 1000, 5000, 1, (4000,)), 1: ("read", 8, 8, 0, 1000, 9000, 1, (8000,))}
    DECISIONS = [("2000", "write_stalled", "0"), ("8000", "write_resumed", "0"), ("9500", "write_stalled", "0")]

    def of(self, decisions: list[tuple]) -> dict:
        sim = {seq: request[-4:] for seq, request in self.REQUESTS.items()}
        with mock.patch.object(CROSSCHECK, "read_sim", return_value=(sim, decisions)):
            return CROSSCHECK.compare("ttflash", (self.REQUESTS, self.DECISIONS), Path())

    def test_the_same_until_the_last_completion(self) -> None:
        for made in (2, 3):
            self.assertTrue(self.of(self.DECISIONS[:made])["identical"])

    def test_a_simulator_that_stops_telling(self) -> None:
        for made in (0, 1):
            result = self.of(self.DECISIONS[:made])
            self.assertEqual((result["identical"], result["decisions_left_out"]), (False, 2 - made))

    def test_kinds_of_decisions_that_no_drive_shows(self) -> None:
        events = dict.fromkeys(CROSSCHECK.DECISIONS, 1)
        del events["op_lent"]
        results = {"one": {"decisions_by_event": events}, "two": {"error": "it"}}
        self.assertEqual(CROSSCHECK.never_seen(results), ["op_lent"])
        results["two"] = {"decisions_by_event": {"op_lent": 3}}
        self.assertEqual(CROSSCHECK.never_seen(results), [])

    def test_another_decision(self) -> None:
        self.assertFalse(self.of([self.DECISIONS[0], ("8000", "write_resumed", "1")])["identical"])


if __name__ == "__main__":
    unittest.main()
