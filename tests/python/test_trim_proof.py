# SPDX-License-Identifier: GPL-2.0
"""What is read of storms, power cuts and advice (tests/campaign/lib/trim), and how they are judged."""

import pathlib
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib.claim import BELOW, MET  # noqa: E402
from lib.trim import advise, cut, storm  # noqa: E402

SAID = ("/dev/mapper/s1, seed 4: 100 operations, 40 writes, 30 discards, 5 zeroes, 24 reads, 1 flushes, 3 failed, "
        "12 sectors have to hold data\n")
WRONG = "/dev/mapper/s1, seed 4: sector 9 holds 0 of sector 0, and not 0x4000000da; after 22 operations\n"
DRIVE = "trim_taken=90\ntrim_sent=60\ntrim_failed=2\ntrim_cut_sectors=80\ntrim_held=1\nms=1000\n"


def boot(*said: str) -> dict:
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        for number, text in enumerate(said, 1):
            (directory / f"model{number}").write_text(text)
        (directory / "drive").write_text(DRIVE)
        return storm.read(directory)


class Storms(unittest.TestCase):
    def test_models_are_summed_up(self) -> None:
        found = boot(SAID, SAID, SAID)
        self.assertEqual((found["model"]["operations"], found["model"]["discards"], found["model"]["failed"]), (300, 90, 9))
        self.assertEqual((found["drive"]["sent"], found["mismatches"]), (60, 0))

    def test_a_million_is_wanted(self) -> None:
        verdicts = [row[-1] for row in storm.goals({"boots": {"fast": boot(SAID, SAID, SAID)}})]
        self.assertEqual(verdicts, [BELOW, MET])
        planned = storm.STREAMS * sum(one.operations for one in storm.STORMS.values())
        self.assertGreaterEqual(planned, storm.WANTED)

    def test_a_table_has_each_storm(self) -> None:
        text = storm.section({"boots": {name: boot(SAID, SAID, SAID) for name in storm.STORMS}})
        for one in storm.STORMS.values():
            self.assertIn(one.title, text)

    def test_what_is_wrong_is_told(self) -> None:
        found = boot(SAID, WRONG, SAID)
        self.assertEqual((found["mismatches"], found["model"]["operations"]), (1, 200))


class Cuts(unittest.TestCase):
    BOOTS = {"boots": [{"operations": 10 * at, "sectors": 5, "waiting": at % 2 * 7, "under_way": 0} for at in range(25)],
             "failed": 0}

    def test_the_last_boot_is_no_cut(self) -> None:
        self.assertEqual(len(cut.cuts(self.BOOTS)), 24)
        self.assertEqual([row[-1] for row in cut.goals(self.BOOTS)], [MET, MET, MET])
        self.assertIn("84", cut.section(self.BOOTS))

    def test_too_few(self) -> None:
        few = {**self.BOOTS, "boots": self.BOOTS["boots"][:5]}
        self.assertEqual([row[-1] for row in cut.goals(few)], [BELOW, BELOW, MET])


class Advice(unittest.TestCase):
    def test_what_the_tool_says_is_shown(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            directory = pathlib.Path(scratch)
            (directory / "said").write_text("size\n\nssdqos set NAME drive_trim=pass\nnumbers: /results/advice.json\n")
            (directory / "advice.json").write_text('{"version": 1}')
            found = advise.read(directory)
        self.assertEqual((found["said"][-1], found["found"]), ("ssdqos set NAME drive_trim=pass", {"version": 1}))
        self.assertIn("\n    ssdqos set NAME drive_trim=pass\n", advise.section({"boots": {"qemu-nvme": found}}))


if __name__ == "__main__":
    unittest.main()
