# SPDX-License-Identifier: GPL-2.0
"""Promises on mirrors (tests/campaign/lib/ianus/promises.py): what the guest writes, and what is judged."""

from __future__ import annotations

import pathlib
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib.ianus import promises  # noqa: E402  (after the path that it is found on)

ALONE = "20000 3000 60\n"


def lines(missed: int) -> str:
    return "".join(f"{contender} {client} 14000 840000 {60 - missed} {missed}\n"
                   for contender in promises.CONTENDERS for client in promises.CLIENTS)


def boot(missed: int = 0) -> dict:
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "alone").write_text(ALONE)
        (directory / "promises").write_text(lines(missed))
        return promises.read(directory)


class Promises(unittest.TestCase):
    def test_a_boot(self) -> None:
        found = boot(missed=3)
        self.assertEqual(found["alone"], {"reads": 20000, "writes": 3000, "seconds": 60})
        self.assertEqual(found["apart"]["writer"], {"promised": 14000, "done": 840000, "met": 57, "missed": 3})

    def test_the_goal_is_met_or_not(self) -> None:
        for missed, words in ((0, {"met"}), (3, {"below"})):
            rows = promises.goals({"boots": {"promises-1": boot(missed)}})
            self.assertEqual(len(rows), len(promises.CLIENTS))
            self.assertEqual({row[-1] for row in rows}, words)

    def test_a_client_without_windows_has_met_none(self) -> None:
        self.assertEqual(promises.Promise(1, 0, 0, 0).met_pct(), 0)

    def test_the_table_has_all(self) -> None:
        text = promises.section({"boots": {"promises-1": boot(), "promises-2": boot(missed=6)}})
        for name in promises.CONTENDERS.values():
            self.assertIn(name, text)
        self.assertIn("95.0 (90.0 to 100.0)", text)


if __name__ == "__main__":
    unittest.main()
