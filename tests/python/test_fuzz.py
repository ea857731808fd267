# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/fuzz: inputs follow from seed and number, and what counts as a failure."""

import pathlib
import struct
import sys
import unittest
from random import Random

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/campaign"))

from lib.fuzz import campaign, state  # noqa: E402
from lib.fuzz.kinds import KINDS, Base  # noqa: E402

BASE = Base({"channels": ("1", "64"), "seed": ("7",)}, {"weight": ("1",), "drive_mode": ("strict",)}, {"switch_ms": ("10",)},
            ((("--drive", "autossd"), bytes(1024)),))
CASES = 300


class Inputs(unittest.TestCase):
    def test_seed_and_number_say_all(self) -> None:
        kinds = tuple(KINDS)
        one, again, other = ([campaign.make_case(BASE, seed, at, kinds) for at in range(CASES)] for seed in (1, 1, 2))
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)
        self.assertEqual({case.kind for case in one}, set(KINDS))

    def test_an_input_can_be_made_alone(self) -> None:
        kinds = tuple(KINDS)
        self.assertEqual(campaign.make_case(BASE, 1, 42, kinds),
                         [campaign.make_case(BASE, 1, at, kinds) for at in range(43)][-1])

    def test_most_states_have_the_checksum_of_what_is_in_them(self) -> None:
        made = [state.changed(Random(seed), bytes(1024)) for seed in range(CASES)]
        right = sum(struct.unpack_from("<Q", data, state.CHECKSUM_AT)[0] == state.checksum(data)
                    for data in made if len(data) >= state.HEADER_BYTES)
        self.assertGreater(right, CASES // 2)

    def test_good_values(self) -> None:
        self.assertEqual(campaign.values_of("none, volatile, plp"), ("none", "volatile", "plp"))
        self.assertEqual(campaign.values_of("1 to 64 us")[:2], ("64", "32"))
        self.assertEqual(campaign.values_of("1 to 64 us")[-1], "1")


class Verdict(unittest.TestCase):
    def test_done_or_one_sentence(self) -> None:
        self.assertEqual(campaign.judge(0, ""), "")
        self.assertEqual(campaign.judge(2, "ssdqos-sim: no\n"), "")
        self.assertEqual(campaign.judge(2, "convert: 1 row\nssdqos-sim convert: no\n"), "")

    def test_all_else_is_wrong(self) -> None:
        self.assertIn("sentence", campaign.judge(2, ""))
        self.assertIn("sentence", campaign.judge(2, "ssdqos-sim: no\nssdqos-sim: nor that\n"))
        self.assertIn("status 1", campaign.judge(1, "ssdqos-sim: the drive is inconsistent\n"))
        self.assertIn("status -11", campaign.judge(-11, ""))
        self.assertIn("report", campaign.judge(0, "trace.c:1: runtime error: signed integer overflow\n"))
        self.assertIn("report", campaign.judge(1, "ERROR: AddressSanitizer: heap-buffer-overflow\n"))


if __name__ == "__main__":
    unittest.main()
