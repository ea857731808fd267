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
from lib.ianus import cuts  # noqa: E402

LINE = "volatile 1 5 802 1 16 4 11 7 3 4352 938 0 199"
GUEST = (TOP / "tests/kselftest/84-ianus-cuts.sh").read_text()


def found(durability: str, number: int = cuts.CUTS, failed: int = 0, **other: int) -> dict:
    cut = dataclasses.asdict(mirror.Cut.parse(LINE)) | {"durability": durability} | other
    return {"cuts": [cut] * number, "failed": failed}


def result(**strict: int) -> dict:
    return {"durabilities": {"strict": found("strict", unpromised=38, **strict), "journal": found("journal", undone=0),
                             "volatile": found("volatile", undone=30)}}


class Lines(unittest.TestCase):
    def test_fields(self) -> None:
        cut = mirror.Cut.parse(LINE)
        self.assertEqual((cut.durability, cut.life, cut.unflushed, cut.lost, cut.undone), ("volatile", 5, 11, 7, 199))

    def test_a_line_of_another_length(self) -> None:
        with self.assertRaises(TypeError):
            mirror.Cut.parse(LINE + " 1")

    def test_half_of_the_cuts_have_discards(self) -> None:
        self.assertEqual([mirror.count_each(cuts) for cuts in (1, 2, 5, 200)], [1, 1, 3, 100])

    def test_the_guest_knows_what_it_is_told(self) -> None:
        options = argparse.Namespace(what="strict", cuts=20, seed=7, kernel="6.1", module=None)
        words = mirror.command(options, pathlib.Path("out"))
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


if __name__ == "__main__":
    unittest.main()
