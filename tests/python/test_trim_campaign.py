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

from lib import campaign, filesystem  # noqa: E402
from lib.errors import RunError  # noqa: E402
from lib.machine import refuse_skipped  # noqa: E402
from lib.trim import beside, cost, fs, life, many, order, priced, tree  # noqa: E402
from lib.trim.runs import KINDS, Drive, Run, Runs, times_of  # noqa: E402

SIMULATOR = TOP / "build/sim/ssdqos-sim"


def latency(mean_us: float) -> dict:
    return {"mean": mean_us * 1000, "p50": mean_us * 1000, "p99": 2000 * mean_us, "p999": 3000 * mean_us}


class Figures(unittest.TestCase):

    def test_kinds_take_what_the_paper_says(self) -> None:
        steps = 2048 // 4
        for kind, whole_ms in (("E-TRIM", 754), ("I-TRIM", 10)):
            times = times_of(kind)
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


class Profiles(unittest.TestCase):

    def test_each_4_mib_beyond_the_first_cost_a_step(self) -> None:
        times = times_of("E-TRIM")
        self.assertEqual([priced.said_ns("E-TRIM", mib << 20) for mib in (1, 4, 5, 32)],
                         [times["trim_ns"] + steps * times["trim_step_ns"] for steps in (0, 0, 1, 7)])

    def test_the_worst_decides(self) -> None:
        ns = {str(1 << 20): priced.said_ns("I-TRIM", 1 << 20)}
        result = {"drives": {"one": {"kind": "I-TRIM", "discards": {"seq": ns, "rand": {size: 2 * each for size, each in ns.items()}}}}}
        self.assertEqual([(row[2], row[3]) for row in priced.goals(result)], [("200.0 %", "above")])


class Lives(unittest.TestCase):

    def test_ways_differ_in_what_is_looked_at(self) -> None:
        none, passed, batch = (life.words("ttflash", "I-TRIM", side, "none", 1) for side in life.SIDES)
        self.assertEqual([word for word in batch if word not in passed], ["drive_trim=batch"])
        self.assertEqual([word.split()[0] for word in passed if word not in none], ["name=deletes"])

    def test_a_drive_lasts_as_long_as_its_cells_take(self) -> None:
        stream = {"latency_ns": latency(1000) | {"n": 10}, "delayed": 5}
        found = life.figures({"drive": {"life_endurance_bytes": 100, "life_used_bytes": 50, "life_host_bytes": 1 << 20},
                              "flash": {"waf": 2}, "streams": {"writes": stream, "reads": stream}}, pathlib.Path())
        self.assertEqual((found["lasts_pct"], found["delayed_pct"], found["mean_ms"]), (200, 50, 1))


class Boots(unittest.TestCase):

    def test_what_was_skipped_was_not_measured(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch)
            refuse_skipped("xfs-bare", out)
            (out / "ktap.log").write_text("ok 1 - loads\n")
            refuse_skipped("xfs-bare", out)
            (out / "ktap.log").write_text("1..0 # SKIP no device-mapper target ssdqos\n")
            with self.assertRaisesRegex(RunError, "^xfs-bare: skipped, no device-mapper target ssdqos; logs in "):
                refuse_skipped("xfs-bare", out)


class ManyFiles(unittest.TestCase):

    def test_a_hundred_thousand_are_deleted(self) -> None:
        there, gone = many.files(quick=False)
        self.assertTrue(100_000 <= gone < 101_000 and there > gone)
        self.assertEqual(len(many.DELETED.split()), many.DELETERS)

    def test_it_has_the_memory_and_the_rows(self) -> None:
        with mock.patch.object(filesystem, "options", lambda *_: ()), mock.patch.object(filesystem, "modules", lambda *_: []), \
                mock.patch.object(fs, "archive", lambda *_, **__: pathlib.Path("tree.tar")):
            made = many.job("xfs", "batch", 1, False)
        self.assertEqual(made.machine[1:3], ("--mem", str(many.MEMORY_MB)))
        self.assertEqual((made.name, made.settings["SIDES"]), ("xfs-batch", "batch"))

    def test_rows_of_several_boots_are_compared(self) -> None:
        boots = {f"xfs-{side}": {side: {"wear": wear}} for side, wear in (("none", 4), ("pass", 2), ("batch", 1))}
        (system, found), = many.found_of({"boots": boots | {"btrfs-none": {"none": {"wear": 1}}}})
        self.assertEqual((system, [one["life_pct"] for one in found.values()]), ("xfs", [100, 200, 400]))


class FileSystems(unittest.TestCase):

    NUMBERS = {"taken_ms": 50, "windows_met": 20, "windows_missed": 1, "discards": 1024, "trimmed_units": 2048,
               "discarded_sectors": 1 << 21, "programs": 100, "written": 50, "page_bytes": 8192,
               "life_used_bytes": 400, "life_host_bytes": 100}

    def write_side(self, place: pathlib.Path, side: str, **numbers: int) -> None:
        percentiles = {"50.000000": 1000, "99.000000": 2000, "99.900000": 3000}
        (place / f"{side}.json").write_text(json.dumps(
            {"jobs": [{"read": {"clat_ns": {"percentile": percentiles, "max": 4000}}}]}))
        (place / side).write_text("".join(f"{key} {value}\n" for key, value in (self.NUMBERS | numbers).items()))

    def test_a_side_is_read(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            place = pathlib.Path(scratch)
            self.write_side(place, "pass")
            found = fs.read_side(place, "pass", "I-TRIM")
        # a GiB in 1,024 pieces of 0.4 ms, and 256 steps
        times = times_of("I-TRIM")
        self.assertAlmostEqual(found.pop("s_per_gib"), (1024 * times["trim_ns"] + 256 * times["trim_step_ns"]) / 1e9)
        self.assertEqual(found, {"p50": 1, "p99": 2, "p999": 3, "max": 4, "taken_ms": 50, "met": 20, "missed": 1,
                                 "discards": 1024, "trimmed_mib": 8, "waf": 4, "wear": 4})

    def test_a_life_is_longer_with_less_wear(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            place = pathlib.Path(scratch, "xfs-E-TRIM-1", "results")
            place.mkdir(parents=True)
            self.write_side(place, "none")
            self.write_side(place, "batch", life_used_bytes=200)
            found = fs.read(place)
        self.assertEqual({side: one["life_pct"] for side, one in found.items()}, {"none": 100, "batch": 200})

    def test_nothing_discarded_takes_no_time(self) -> None:
        self.assertEqual(fs.discard_s_per_gib("E-TRIM", 0, 0), 0)

    def test_seeds_are_put_together(self) -> None:
        one = {"none": {"p50": 1}, "batch": {"p50": 5}}
        other = {"none": {"p50": 3}, "batch": {"p50": 5}}
        found = dict(fs.groups({"boots": {"xfs-E-TRIM-1": one, "xfs-E-TRIM-2": other}}))
        self.assertEqual(found, {"xfs, E-TRIM": {"none": [{"p50": 1}, {"p50": 3}], "batch": [{"p50": 5}, {"p50": 5}]}})
        rows = fs.table(found["xfs, E-TRIM"], (("p50", "p50", 0),))
        self.assertIn("2 (1 to 3)", rows)
        self.assertNotIn("(5 to 5)", rows)

    def test_who_came_too_late_has_no_goals(self) -> None:
        seen = {"p999": 1, "missed": 0, "waf": 1, "discards": 9}
        boot = {side: dict(seen) for side in ("none", "pass", "batch")}
        self.assertEqual([row[3] for row in fs.goals({"boots": {"f2fs-I-TRIM-1": boot}})], ["met"] * 3)
        boot["pass"]["discards"] = 0
        self.assertEqual(fs.goals({"boots": {"f2fs-I-TRIM-1": boot}}), [])

    def test_each_file_system_meets_each_drive(self) -> None:
        with mock.patch.object(filesystem, "modules", lambda *_: []), \
                mock.patch.object(filesystem, "options", lambda *_: ()), \
                mock.patch.object(fs, "archive", lambda *_: pathlib.Path("tree.tar")):
            jobs = {job.name: job for job in fs.jobs(1, True)}
        self.assertEqual(len(jobs), len(fs.MOUNTS) * len(fs.DRIVES) * fs.SEEDS)
        self.assertIn("trim_preset e-trim trim_granule_kib 4", jobs["ext4-E-TRIM-2"].settings["DRIVE"])
        self.assertGreater(jobs["f2fs-I-TRIM-1"].settings["RUN_S"], jobs["xfs-I-TRIM-1"].settings["RUN_S"])
        self.assertEqual([jobs[f"{name}-I-TRIM-1"].settings["OWN"] for name in ("xfs", "btrfs")], ["", "discard=async"])

    def test_a_tree_is_the_same_again(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            paths = [pathlib.Path(scratch, name) for name in ("one", "again", "other")]
            for path, seed in zip(paths, (1, 1, 2)):
                tree.write(path, 20, seed)
            one, again, other = (path.read_bytes() for path in paths)
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)
        self.assertLessEqual(max(tree.sizes(1000, 1)), tree.MOST_BYTES)


class Modules(unittest.TestCase):

    def test_each_stands_behind_what_it_needs(self) -> None:
        index = mock.Mock(needs={"f2fs": ["hc", "lz4"], "crc": []})
        self.assertEqual(filesystem.in_order(index, ("crc", "f2fs")), ["crc", "lz4", "hc", "f2fs"])

    def test_a_kernel_without_it_is_named(self) -> None:
        index = mock.Mock(paths={}, missing=lambda names: names)
        with mock.patch.object(filesystem.kernel, "fetch"), \
                mock.patch.object(filesystem.kernel, "ModuleIndex", lambda _: index), \
                self.assertRaisesRegex(RunError, "kernel debug has no file system btrfs"):
            filesystem.modules("btrfs", "debug")


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
