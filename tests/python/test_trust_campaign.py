# SPDX-License-Identifier: GPL-2.0
"""Pure functions of tests/campaign/lib/trust."""

import pathlib
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib.trust import neighbours  # noqa: E402


def row(neighbour, side, met):
    return {"neighbour": neighbour, "seed": 1, "side": side, "windows": 20, "met": met}


class Neighbours(unittest.TestCase):
    def test_reads_writes_and_flushes_in_a_second(self):
        before = "1000 10 0 80 5 20 0 160 5 0 5 5 0 0 0 0 1 0"
        after = "3000 110 0 880 5 70 0 560 5 0 5 5 0 0 0 0 51 0"
        self.assertEqual(neighbours.neighbour_iops(f"{before}\n{after}\n"), 100)

    def test_half_of_the_disk_is_promised(self):
        self.assertEqual(neighbours.DISK_IOPS, 400)
        self.assertEqual(neighbours.GOLD_IOPS * 2, neighbours.DISK_IOPS)

    def test_the_profile_is_what_the_disk_does(self):
        self.assertIn("cost read rand 4096 8 990 2500000", neighbours.profile())

    def test_a_goal_is_what_is_met_beside_nothing(self):
        goals = neighbours.goals({"rows": [row("nothing", "ssdqos", 20), row("swap", "ssdqos", 19),
                                           row("swap", "bfq", 1)]})
        self.assertEqual([goal[1:] for goal in goals],
                         [("20 +- 0 windows met (as with nothing beside, in the same windows)", "19 windows met", "below")])
