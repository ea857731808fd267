# SPDX-License-Identifier: GPL-2.0
"""Targets on mirrors (tests/campaign/lib/ianus/targets.py): what is run, what is kept of it, and what is judged."""

from __future__ import annotations

import pathlib
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib.ianus import targets  # noqa: E402  (after the path that it is found on)

ALONE = targets.Alone(reads=20000, writes=3000)


def client(missed: int) -> dict:
    return {"windows_met": 100 - missed, "windows_missed": missed, "iops": 14500.0, "achieved_min": 7000, "promised": 14000,
            "latency_ns": {"p999": 2_000_000}}


def run(missed: int = 0, mirror: bool = True) -> dict:
    found: dict = {"streams": {name: client(missed) for name in targets.CLIENTS}, "virtual_s": 200,
                   "latency_ns": {"read": {"n": 400}, "write": {"n": 200}}}
    if mirror:
        found["mirror"] = {"switches": 5, "cache_high_blocks": 5, "cache_blocks": 10}
    return targets.keep(found, pathlib.Path())


def result(missed: tuple[int, ...] = (0,)) -> dict:
    mix = {name: [run(each) for each in missed] for name in targets.CONTENDERS}
    return {"sizes": {"4 KiB": {**mix, "alone": [{"reads": 20000, "writes": 3000}], "command": "x"}}}


class Targets(unittest.TestCase):
    def test_what_is_kept(self) -> None:
        found = run(missed=3)
        self.assertEqual(found["reader"], {"met_pct": 97, "windows": 100, "a_s": 14500, "least_pct": 50, "p999_ms": 2})
        self.assertEqual([found[key] for key in ("reads_s", "writes_s", "turn_s", "cache_pct")], [2, 1, 40, 50])
        self.assertEqual(run(mirror=False)["turn_s"], 0)

    def test_promises_are_parts_of_what_one_drive_does(self) -> None:
        self.assertEqual([ALONE.promised(name) for name in targets.CLIENTS], [14000, 750])
        self.assertIn("cost write rand 4096 32 990 333333\n", ALONE.profile(4))

    def test_only_apart_is_apart(self) -> None:
        for name in targets.CONTENDERS:
            words = targets.words_of(name, 4, 1, ALONE, pathlib.Path("p"), quick=True)
            self.assertEqual("drive_apart=on" in words, name.startswith("apart"))
            self.assertEqual(any("idle_ms=1000" in word for word in words), name.endswith("idle 1 s"))
            self.assertEqual(words[words.index("--peer") + 1], name if name in ("one", "raid1") else "ianus")

    def test_the_worst_seed_is_judged(self) -> None:
        for missed, words in (((0, 0), {"met"}), ((0, 6), {"below"})):
            rows = targets.goals(result(missed))
            self.assertEqual(len(rows), len(targets.LEAST_PCT) * len(targets.CLIENTS))
            self.assertEqual({row[-1] for row in rows}, words)

    def test_the_table_has_all(self) -> None:
        text = targets.section(result((0, 5, 10)))
        for name in targets.CONTENDERS:
            self.assertIn(name, text)
        self.assertIn("95.0 (90.0 to 100.0)", text)


if __name__ == "__main__":
    unittest.main()
