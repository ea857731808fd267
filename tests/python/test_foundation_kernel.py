# SPDX-License-Identifier: GPL-2.0
"""Pure functions of tests/campaign/foundation-kernel."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import programs

TOP = pathlib.Path(__file__).resolve().parents[2]


class Page(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.docs = pathlib.Path(scratch.name)
        self.kept = json.loads((TOP / "docs/results/foundation/kernel.json").read_text())
        self.program = programs.load("tests/campaign/foundation-kernel")

    def run_campaign(self, *words: str) -> int:
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["foundation-kernel", "--docs", str(self.docs), *words]), \
                mock.patch.object(self.program, "measure", self.measure), \
                mock.patch.object(self.program.simulator, "version", lambda: "new"), \
                mock.patch.object(self.program.charts, "available", lambda: False), \
                contextlib.redirect_stdout(said):
            try:
                return self.program.main()
            finally:
                self.said = said.getvalue()

    def measure(self, part: str, _kernel: str) -> dict:
        keys = {"clock": ("clock", "late"), "overhead": ("overhead",), "identity": ("identity",)}[part]
        return {key: self.kept[key] for key in keys}

    def page(self) -> str:
        return (self.docs / "kernel.rst").read_text()

    def test_a_page_is_of_one_commit(self) -> None:
        self.assertEqual(self.run_campaign(), 0)
        self.assertIn("All of it was measured at one commit, new.\n", self.page())

    def test_other_commits_are_refused(self) -> None:
        (self.docs / "kernel.json").write_text(json.dumps(self.kept | {"made": {"clock": "old"}}))
        self.assertEqual(self.run_campaign("--only", "overhead"), 1)
        self.assertIn("kernel.json has results of old, this is new", self.said)
        self.assertEqual(self.run_campaign("--only", "overhead", "--anew"), 0)
        self.assertIn("no page yet", self.said)

    def test_goals_have_both_sides(self) -> None:
        goals = {row[0]: row for row in self.program.goals(self.kept)}
        self.assertEqual(goals["Same brain: requests that differ"][-1], "met")
        for row in self.kept["clock"]:
            if row["system"] == "ssdqos-flash":
                row["mean_ns"] = row["requested_ns"]
        below = self.program.goals(self.kept)[-1]
        self.assertEqual((below[0], below[-1]), ("Delivered latency above what was requested", "below"))


if __name__ == "__main__":
    unittest.main()
