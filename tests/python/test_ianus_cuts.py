# SPDX-License-Identifier: GPL-2.0
"""What is read of power cuts of a mirror (tests/powercut/mirror.py), and how they are judged."""

import argparse
import dataclasses
import pathlib
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / part) for part in ("tests/campaign", "tests/powercut", "tests/vm", "tools")]

import mirror  # noqa: E402
from lib.claim import ABOVE, BELOW, MET  # noqa: E402
from lib.ianus import cuts, database  # noqa: E402

LINE = "volatile 5 802 1 16 4 11 7 3 1 4352 938 0 199"
DATABASE_LINE = "volatile 5 802 1 16 4 11 7 3 1 100 140 130"
GUEST = (mirror.GUEST_DIR / "lib-cuts.sh").read_text()


def found(durability: str, number: int = cuts.CUTS, failed: int = 0, **other: int) -> dict:
    cut = dataclasses.asdict(mirror.Writes.parse(LINE)) | {"durability": durability} | other
    return {"cuts": [cut] * number, "failed": failed}


def result(**strict: int) -> dict:
    return {"durabilities": {"strict": found("strict", unpromised=38, **strict), "journal": found("journal", undone=0),
                             "volatile": found("volatile", undone=30)}}


class Lines(unittest.TestCase):
    def test_fields(self) -> None:
        cut = mirror.Writes.parse(LINE)
        self.assertEqual((cut.durability, cut.life, cut.unflushed, cut.lost, cut.undone), ("volatile", 5, 11, 7, 199))

    def test_a_line_of_another_length(self) -> None:
        with self.assertRaises(TypeError):
            mirror.Writes.parse(LINE + " 1")

    def test_half_of_the_cuts_have_discards(self) -> None:
        self.assertEqual([mirror.count_each(mirror.WRITES, cuts) for cuts in (1, 2, 5, 200)], [1, 1, 3, 100])
        self.assertEqual(mirror.count_each(mirror.DATABASE, 5), 5)

    def test_the_guest_knows_what_it_is_told(self) -> None:
        options = argparse.Namespace(what="strict", cuts=20, seed=7, kernel="6.1", module=None, database=False)
        words = mirror.command(options, pathlib.Path("out"))
        self.assertEqual(words[-1], str(mirror.WRITES.script))
        told = words[words.index("--append") + 1].split()
        self.assertEqual(told, ["powercut_what=strict", "powercut_cuts=10", "powercut_seed=7"])
        for one in told:
            self.assertIn(f"argument {one.removeprefix('powercut_').split('=')[0]} ", GUEST)


class Goals(unittest.TestCase):
    def verdicts(self, found: dict) -> list[str]:
        return [row[-1] for row in cuts.goals(found)]

    def test_all_met(self) -> None:
        self.assertEqual(set(self.verdicts(result())), {MET})

    def test_too_few_cuts(self) -> None:
        self.assertEqual(self.verdicts(result(number=10))[:3], [BELOW] * 3)

    def test_a_check_that_fails(self) -> None:
        self.assertEqual(self.verdicts(result(failed=1))[3], ABOVE)

    def test_the_table_has_all(self) -> None:
        text = cuts.section(result())
        rows = {line.split()[0]: line.split()[-3:] for line in text.splitlines() if line.startswith(mirror.DURABILITIES)}
        self.assertEqual(rows, {"strict": ["180,000", "-", "-"], "journal": ["-", "0", "0"],
                                "volatile": ["-", "6,000", "30"]})


class Database(unittest.TestCase):
    def result(self, **other: int) -> dict:
        cut = dataclasses.asdict(mirror.Transactions.parse(DATABASE_LINE)) | other
        return {"durabilities": {name: {"cuts": [cut | {"durability": name}] * number, "failed": 0}
                                 for name, number in database.CUTS.items()}}

    def test_goals(self) -> None:
        self.assertEqual({row[-1] for row in database.goals(self.result())}, {MET})
        self.assertIn(BELOW, {row[-1] for row in database.goals(self.result(lost=0))})

    def test_the_table_has_all(self) -> None:
        rows = [line.split()[-4:] for line in database.section(self.result()).splitlines() if line.startswith("volatile ")]
        self.assertEqual(rows, [["800", "0", "200", "10"]])

    def test_more_than_was_noted(self) -> None:
        text = database.section(self.result(found=141))
        self.assertIn(["800", "20", "0", "0"], [line.split()[-4:] for line in text.splitlines()])


if __name__ == "__main__":
    unittest.main()
