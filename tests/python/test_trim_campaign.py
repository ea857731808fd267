# SPDX-License-Identifier: GPL-2.0
"""Pure functions of tests/campaign/lib/trim, and a run that is kept."""

import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib import campaign  # noqa: E402
from lib.trim import beside, cost, fs, order  # noqa: E402
from lib.trim.runs import KINDS, Drive, Run, Runs  # noqa: E402

SIMULATOR = TOP / "build/sim/ssdqos-sim"


def latency(mean_us: float) -> dict:
    return {"mean": mean_us * 1000, "p50": mean_us * 1000, "p99": 2000 * mean_us, "p999": 3000 * mean_us}


class Figures(unittest.TestCase):

    def test_kinds_take_what_the_paper_says(self) -> None:
        steps = 2048 // 4
        for kind, whole_ms in (("E-TRIM", 754), ("I-TRIM", 10)):
            times = dict(KINDS[kind])
            self.assertAlmostEqual((times["trim_ns"] + (steps - 1) * times["trim_step_ns"]) / 1e6, whole_ms, delta=0.1)

    def test_throughput_follows_from_the_latency(self) -> None:
        found = order.figures({"writes": {"latency_ns": latency(1024)}, "drive": {"waf": 1, "trim_sent": 0}})
        # 32 writes of 16 KiB in 1.024 ms
        self.assertAlmostEqual(found["mb_s"], 32 * 16 * 1024 / 1024e-6 / 1e6)

    def test_only_one_way_is_batched(self) -> None:
        batched = [how for how in order.HOWS if "drive_trim=batch" in order.run_of(Drive("ttflash", "I-TRIM"), how, 1).words()]
        self.assertEqual(batched, ["batched"])
        words = [order.run_of(Drive("ttflash", "I-TRIM"), how, 1).words() for how in ("RND-TRIM", "batched")]
        self.assertEqual([word for word in words[1] if word not in words[0]], ["--qos", "drive_trim=batch"])

    def test_a_part_of_the_time_is_for_discards(self) -> None:
        found = {"batched": [{"sent": beside.RUNTIME_S * 25}]}
        self.assertAlmostEqual(beside.busy_pct(Drive("ttflash", "I-TRIM"), found), 1)

    def test_goals_have_both_sides(self) -> None:
        result = {"kinds": {kind: {"us": [0] * (len(cost.SIZES_KIB) - 1) + [1000 * ms]}
                            for kind, ms in (("E-TRIM", 377), ("I-TRIM", 6))}}
        self.assertEqual([row[3] for row in cost.goals(result)], ["met", "above"])


class FileSystems(unittest.TestCase):

    def test_a_side_is_read(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            place = pathlib.Path(scratch)
            percentiles = {"50.000000": 1000, "99.000000": 2000, "99.900000": 3000}
            (place / "pass.json").write_text(json.dumps(
                {"jobs": [{"read": {"clat_ns": {"percentile": percentiles, "max": 4000}}}]}))
            (place / "pass").write_text("50 20 1\n251\n2048\n47\n92\n")
            self.assertEqual(fs.read_side(place, "pass"),
                             {"p50": 1, "p99": 2, "p999": 3, "max": 4, "taken_ms": 50, "met": 20, "missed": 1,
                              "discards": 251, "trimmed_mib": 8, "programs": 47, "written": 92})

    def test_each_file_system_meets_each_drive(self) -> None:
        self.assertEqual(len({(system, kind) for system in fs.FILE_SYSTEMS for kind in fs.DRIVES}), 4)
        settings = fs.job("ext4", "E-TRIM", 1, False).settings
        self.assertIn("trim_command on trim_mode erase", settings["DRIVE"])


class Kept(unittest.TestCase):

    def test_a_run_is_made_once(self) -> None:
        with tempfile.TemporaryDirectory() as scratch, \
                mock.patch.object(campaign, "runs_of", lambda name: pathlib.Path(scratch) / name):
            run = Run(Drive("ttflash", "I-TRIM"), 1, (("trims", "trim bs=64m number_ios=4"),), 1, batch=True)
            runs = Runs(SIMULATOR, True, False)
            found = runs.run(run)
            self.assertTrue(runs.fresh)
            self.assertEqual(found["trims"]["requests"], 4)
            self.assertEqual(found["drive"]["trim_taken"], 4)
            runs.fresh = False
            self.assertEqual(runs.run(run), found)
            self.assertFalse(runs.fresh)


if __name__ == "__main__":
    unittest.main()
