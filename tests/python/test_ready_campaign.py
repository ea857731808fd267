# SPDX-License-Identifier: GPL-2.0
"""Pure functions of tests/campaign/lib/ready."""

import pathlib
import re
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib.ready import neighbourhood, seeds  # noqa: E402
from lib.ready.neighbourhood import DOUBLE, HALF, Neighbour  # noqa: E402
from lib.ready.paper import LOADS, POLICIES  # noqa: E402
from lib.ready.work import Work  # noqa: E402

KEYS = ("quiet_permille", "weekend_permille", "stretch_s", "spread_permille", "burst_ppm", "burst_pct")


def simulators() -> dict[str, dict[str, int]]:
    """The shapes that the simulator has."""
    text = (TOP / "tools/sim/life/load.c").read_text()
    rows = re.findall(r'{ "(\w+)", [^{]*\n\t  { ([\d, ]+) } },', text)
    return {name: dict(zip(KEYS, map(int, numbers.split(", ")))) for name, numbers in rows}


def run(mean_us: float, lifetime: float = 1, worst_ns: int = 700_000) -> dict:
    return {"target_s": 100, "lifetime_s": 100 * lifetime, "worst_week_p999_ns": worst_ns, "constant_delay_us": 0,
            "mean_us": mean_us}


class Shapes(unittest.TestCase):
    def test_they_are_those_of_the_simulator(self):
        theirs = simulators()
        self.assertEqual(set(theirs), set(LOADS))
        for load, shape in neighbourhood.SHAPES.items():
            self.assertEqual(shape, {key: theirs[load][key] for key in shape})

    def test_what_is_left_out_has_no_effect(self):
        for load, shape in simulators().items():
            left = set(KEYS) - set(neighbourhood.SHAPES[load]) - {"burst_pct"}
            even = {"spread_permille", "stretch_s"} if shape["spread_permille"] == 1000 else set()
            daily = {"weekend_permille"} if load in ("exchange", "map", "msnfs") else set()
            self.assertEqual(left, even | daily | ({"quiet_permille"} if load == "msnfs" else set()))

    def test_a_half_and_a_double(self):
        self.assertEqual(Neighbour("exchange", "burst_ppm", HALF).shape, "burst_ppm=50000")
        self.assertEqual(Neighbour("map", "spread_permille", DOUBLE).shape, "spread_permille=2000")
        self.assertEqual(Neighbour("proxy", "quiet_permille", DOUBLE).shape, "quiet_permille=1000")

    def test_the_load_itself_is_one_of_part_seeds(self):
        mine, theirs = Neighbour("proj").life("static", 2), seeds.plan()
        self.assertIn(mine, theirs)
        self.assertNotIn("--shape", mine.arguments(Work(pathlib.Path())))


class Figures(unittest.TestCase):
    def result(self) -> dict:
        """Two loads' worth of one seed: doubled bursts make READY a quarter slower."""
        found = {}
        for one, ready in ((Neighbour("msnfs"), 800), (Neighbour("msnfs", "burst_ppm", DOUBLE), 1000)):
            for policy in POLICIES:
                lifetime = 0.5 if policy == "none" else 1.01
                found[one.life(policy, 1).name] = run(ready if policy == "ready_opt" else 600, lifetime)
        return {"runs": found}

    def test_how_far_a_figure_moves(self):
        self.assertAlmostEqual(neighbourhood.far(self.result(), neighbourhood.NONE), 25)

    def test_only_what_has_all_policies_counts(self):
        result = self.result()
        del result["runs"][Neighbour("msnfs", "burst_ppm", DOUBLE).life("static", 1).name]
        self.assertIsNone(neighbourhood.far(result, neighbourhood.NONE))
        text = neighbourhood.section(result)
        self.assertIn("msnfs ", text)
        self.assertNotIn("msnfs, burst", text)

    def test_a_drive_that_ends_early_is_told(self):
        result = self.result()
        self.assertEqual([row[-1] for row in neighbourhood.goals(result)], ["met"] * 4)
        result["runs"][Neighbour("msnfs").life("ready_pes", 1).name]["lifetime_s"] = 99
        self.assertEqual([row[-1] for row in neighbourhood.goals(result)], ["below", "met", "met", "met"])


if __name__ == "__main__":
    unittest.main()
