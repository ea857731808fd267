# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/ttflash: the drive, the loads, the rungs, and what is made of runs."""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib import campaign, interval, rst  # noqa: E402
from lib.errors import RunError  # noqa: E402
from lib.ttflash import bursts, flash, intime, ladder, loads, numbers, played, preemptive, rungs, runs  # noqa: E402
from lib.ttflash import free, sensitivity, speed, stuck, uniform, wear  # noqa: E402
from lib.ttflash.campaign import LIMITS_PARTS, PARTS  # noqa: E402
from lib.ttflash.flash import GIB, Flash  # noqa: E402
from lib.ttflash.hot_planes import HotPlanes  # noqa: E402
from lib.ttflash.rungs import BASE, LADDER, NO_GC, OURS, RUNGS, TABLE, Rung  # noqa: E402
from ssdqos.paths import BUILD_DIR  # noqa: E402

SIMULATOR = BUILD_DIR / "sim/ssdqos-sim"
SIZE = 1 << 30
LINES = 1000
ROWS = [(0, "R", 0, 4096), (100, "W", SIZE - 4096, 8192), (200, "R", 8192, 512)]


def made_up(times: float = 1, blocked: float = 0) -> dict:
    """What is kept of a run whose reads take so many times as long."""
    latency = {"n": 1_000_000, **{key: times * 1000 * at for at, key in enumerate(runs.LATENCIES[1:], start=1)}}
    series = {"time_s": [0.0, 1.0, 2.0], "n": [1, 1, 0], "mean_ns": [1e6, 1e6 * times, 0], "free": [9, 8, 7]}
    return {"read": latency, "write": latency, **dict.fromkeys(runs.TIMES, 1), **dict.fromkeys(runs.FLASH, 1),
            "gc_blocked_read_pct": blocked, "blocks": 100, "stuck": 0,
            "counters": {"gc_blocks": 2, "gc_moved_units": 128, "reads": 7}, "series": series}


class Drive(unittest.TestCase):
    def test_has_the_same_flash_with_and_without_stripes(self) -> None:
        for rung, parity in ((RUNGS[BASE], 1), (RUNGS[OURS], 8 / 7)):
            physical = Flash().size_bytes() * parity * (1 + Flash().op_permille(rung) / 1000)
            self.assertLess(Flash().off_pct(rung, physical), .05)

    def test_may_have_flash_besides_for_parity(self) -> None:
        besides = Flash(parity_besides=True)
        self.assertEqual(besides.op_permille(RUNGS[OURS]), besides.op_permille(RUNGS[BASE]))
        self.assertAlmostEqual(besides.bytes(RUNGS[OURS]), 256 * GIB * 8 / 7)

    def test_of_another_size_than_wanted_is_refused(self) -> None:
        found = {"geometry": {"physical_units": 1000}}
        with self.assertRaisesRegex(RunError, "4096000 bytes of flash instead of 274877906944"):
            runs.keep(runs.Run(Flash(), BASE, ("--load", "read"), 1), found, pathlib.Path("none"))

    def test_fills_a_quarter_of_what_is_collected(self) -> None:
        """u = (v - 1) / ln v, with parity."""
        used = flash.DATA_PCT / 100 * 8 / 7
        self.assertAlmostEqual(used, (.25 - 1) / -1.386, delta=.01)


class HotPlane(unittest.TestCase):
    def test_is_written_only_if_the_simulator_agrees(self) -> None:
        """On a small drive of two groups, with cycles from none: one plane has most of them."""
        hot = dataclasses.replace(wear.TRACES["units of one plane"], all_groups=2)
        with tempfile.TemporaryDirectory() as place:
            trace = hot.write(pathlib.Path(place), 1, 128 << 20, 60_000)
            words = ["--size", "128m", "--drive", "ttflash", "--trace", str(trace), "--json", "-"]
            sets = {**RUNGS[OURS].sets, "op_permille": 1000, "chips_per_channel": 2, "planes_per_chip": 1, "aged_pct": 100,
                    "aged_pe_cycles": 0, "buffer_kib": 1024}
            words += [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
            found = [json.loads(subprocess.run([str(SIMULATOR), "run", *words, "--set", f"rain_shift_pct={pct}"],
                                               capture_output=True, check=True).stdout)["flash"] for pct in (0, 25)]
        self.assertGreater(found[0]["wear_group_pct"], 300)
        self.assertGreater(found[0]["wear_plane_pct"], 600)
        self.assertLess(found[1]["wear_group_pct"], 200)

    def test_has_no_parity_in_it(self) -> None:
        units = wear.TRACES["units of one plane"].units(7 * 8 * 8 * 10)
        self.assertEqual(units[:3], [7 * 8, 7 * 16, 7 * 24])
        self.assertEqual(len(units), 70)


class Rungs(unittest.TestCase):
    def test_each_is_another_drive(self) -> None:
        seen = [sorted(rung.sets.items()) for rung in RUNGS.values()]
        self.assertEqual(len(seen), len({str(one) for one in seen}))

    def test_all_that_are_shown_are_there(self) -> None:
        shown = (*LADDER, *TABLE, *rungs.COUNTED, *bursts.SHOWN, *preemptive.SHOWN, *sensitivity.SHOWN, *speed.SHOWN, *stuck.SHOWN)
        self.assertLessEqual(set(shown), set(RUNGS))
        self.assertEqual([name for name in RUNGS if name in LADDER], list(LADDER))


class Stuck(unittest.TestCase):
    ROW = {"rung": "gtf", "stuck": 0, "requests": 100, "wanted": 100}

    def test_all_requests_are_shared_out(self) -> None:
        self.assertGreaterEqual(sum(stuck.requests_of(one, stuck.REQUESTS) for one in stuck.SETTINGS), stuck.REQUESTS)

    def test_one_that_is_stuck_is_told(self) -> None:
        for row, verdict in ((self.ROW, "met"), ({**self.ROW, "stuck": 1}, "below"), ({**self.ROW, "requests": 99}, "below")):
            self.assertEqual(stuck.goals({"rows": [self.ROW, row]})[0][-1], verdict)


class Played(unittest.TestCase):
    def test_a_loop_is_moved_as_a_whole(self) -> None:
        found = list(played.moved(ROWS, 2, 1, SIZE))
        first, second = found[:3], found[3:]
        self.assertEqual([row[0] for row in second], [266, 366, 466])
        for loop in (first, second):
            self.assertEqual((loop[2][2] - loop[0][2]) % SIZE, 8192)
            self.assertEqual([row[1::2] for row in loop], [row[1::2] for row in ROWS])
        self.assertNotEqual(first[0][2], second[0][2])

    def test_nothing_reaches_beyond_the_drive(self) -> None:
        rows = [(0, "W", at * 4096, 64 << 10) for at in range(SIZE // 4096)]
        self.assertLessEqual(max(row[2] + row[3] for row in played.moved(rows, 1, 1, SIZE)), SIZE)

    def test_the_seed_says_where(self) -> None:
        one, same, other = (list(played.moved(ROWS, 2, seed, SIZE)) for seed in (1, 1, 2))
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)

    def test_a_file_is_made_once(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            source = pathlib.Path(scratch, "cut.csv.gz")
            with gzip.open(source, "wt") as file:
                print(played.HEAD, *(",".join(map(str, row)) for row in ROWS), sep="\n", file=file)
            self.assertEqual(played.read(source), ROWS)
            path = played.write(source, pathlib.Path(scratch, "made"), 3, 1, SIZE)
            self.assertEqual(played.read(path), list(played.moved(ROWS, 3, 1, SIZE)))
            source.unlink()
            self.assertEqual(played.write(source, pathlib.Path(scratch, "made"), 3, 1, SIZE), path)


class Loads(unittest.TestCase):
    def test_a_cut_that_is_not_there_is_left_out(self) -> None:
        with mock.patch.object(loads, "TRACES", pathlib.Path("/nowhere")):
            self.assertEqual(list(ladder.skipped()), ["cut-DTRS", "cut-TPCC"])

    def test_the_simulator_takes_what_is_made(self) -> None:
        texts = [load.text(1, quick=True) for load in loads.LOADS.values() if isinstance(load, loads.Made)]
        texts += [f"{preemptive.STEADY} runtime=1s seed=1", bursts.load(15, 1, 1)]
        texts += [f"{load} number_ios=9" for load in free.LOADS.values()]
        texts += [loads.LOADS[sensitivity.LOAD].text(1, True, more) for more in sensitivity.FOOTPRINTS.values()]
        for text in texts:
            done = subprocess.run([SIMULATOR, "run", "--drive", "ttflash", "--size", "256m", "--load", text],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_drive_writes_a_day(self) -> None:
        """The paper: 6 of them are 55 MB/s, 7 are 64."""
        for dwpd, mib in ((6, 55), (7, 64)):
            self.assertAlmostEqual(bursts.writes_per_s(dwpd) * bursts.REQUEST_KIB / 1024, mib, delta=.5)


class Asked(unittest.TestCase):
    """Runs of a simulator that is there, and rungs that it may not have."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        patch = mock.patch.object(campaign, "runs_of", lambda name: pathlib.Path(scratch.name) / name)
        patch.start()
        self.addCleanup(patch.stop)
        self.runs = runs.Runs(SIMULATOR, quick=True, again=False, seed=1)
        self.said: list[str] = []
        self.runs.say = self.said.append

    def test_seeds_are_as_many_as_asked_for(self) -> None:
        self.assertEqual([*runs.Runs(SIMULATOR, quick=False, again=False, seed=3, count=2).seeds], [3, 4])
        for text in ("0", "-1", "two"):
            with self.assertRaisesRegex(argparse.ArgumentTypeError, "is not a number of seeds"):
                runs.count(text)

    def rungs(self, **sets: dict[str, object]) -> mock._patch_dict:
        return mock.patch.dict(RUNGS, {name: Rung(name, {"rain": "off", **one}) for name, one in sets.items()}, clear=True)

    def test_a_rung_that_is_missing_is_said(self) -> None:
        with self.rungs(plain={}, odd={"no_such_thing": "on"}):
            self.assertEqual(self.runs.there(("plain", "odd")), ["plain"])
            self.assertRegex(self.runs.missing(("plain", "odd"))["odd"], "no_such_thing")
        self.assertEqual(len(self.said), 1)

    def test_without_any_there_is_nothing_to_measure(self) -> None:
        with self.rungs(odd={"no_such_thing": "on"}), self.assertRaisesRegex(RunError, "no rung of odd"):
            self.runs.there(("odd",))

    def test_runs_are_made_once_and_looked_at_in_time(self) -> None:
        small = Flash(raw_gib=16)
        with self.rungs(plain={}):
            wanted = [runs.Run(small, "plain", ("--load", "randrw rate_iops=1000 runtime=1s"), seed, 100) for seed in (1, 2)]
            first = self.runs.all("two", wanted)
            self.assertTrue(self.runs.fresh)
            self.runs.fresh = False
            self.assertEqual(self.runs.all("two", wanted), first)
            self.assertFalse(self.runs.fresh)
        self.assertEqual(sum(first[0]["series"]["n"]), first[0]["read"]["n"])

    def test_a_run_that_fails_is_one_sentence_and_others_are_made(self) -> None:
        wanted = [runs.Run(Flash(raw_gib=16), "plain", ("--load", load), 1) for load in ("no_such_job", "read number_ios=9")]
        with self.rungs(plain={}):
            with self.assertRaisesRegex(RunError, "two: 1 of 2 runs failed, the first: .*no_such_job"):
                self.runs.all("two", wanted)
            self.assertEqual(self.runs.all("one", wanted[1:])[0]["requests"], 9)


class Numbers(unittest.TestCase):
    def test_ratios_are_of_the_same_seed(self) -> None:
        found, base = {1: made_up(3), 2: made_up(8)}, {2: made_up(4), 1: made_up(1), 3: made_up(9)}
        self.assertEqual(numbers.ratios(found, base, numbers.latency("p99")), [3, 2])

    def test_an_interval_is_students(self) -> None:
        self.assertEqual(interval.text([1, 2, 3, 4, 5], 3), "3.000 ± 1.963")
        self.assertEqual(interval.half_width([7]), 0)

    def test_a_row_keeps_counters_of_collection_only(self) -> None:
        *_, found = numbers.kept_row("load", BASE, 1, made_up())
        self.assertEqual(found["counters"], {"gc_blocks": 2, "gc_moved_units": 128})
        self.assertNotIn("series", found)

    def test_a_rung_that_is_worse_is_found(self) -> None:
        rows = [numbers.kept_row("made-DAP", rung, 1, made_up(times))
                for rung, times in (("channel", 4), ("plane", 2), ("gtr", 2.01), ("rgc", 2.2))]
        self.assertEqual([one[:3] for one in ladder.worse(rows)], [("made-DAP", "rgc", key) for key in ladder.COMPARED])

    def test_the_slowest_interval_is_of_those_with_reads(self) -> None:
        found = intime.steadiness(made_up(3)["series"])
        self.assertEqual((found["middle_ms"], found["slowest_ms"], found["times"]), (2, 3, 1.5))
        self.assertEqual((found["free_first"], found["free_least"]), (9, 7))

    def test_a_thinned_series_keeps_the_slowest(self) -> None:
        thin = intime.thinned(made_up(3)["series"], 2)
        self.assertEqual((thin["time_s"], thin["mean_ns"], thin["free"]), ([0, 2], [3e6, 0], [8, 7]))


class Parts(unittest.TestCase):
    """All of the way, from runs that are made up."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = pathlib.Path(scratch.name)
        write = HotPlanes.write
        for patch in (mock.patch.object(campaign, "runs_of", lambda name: self.place / name),
                      # Nobody reads them here, and millions of lines take most of a minute.
                      mock.patch.object(HotPlanes, "write", lambda planes, place, seed, size_bytes, _requests:
                                        write(planes, place, seed, size_bytes, LINES)),
                      mock.patch.object(loads, "TRACES", pathlib.Path("/nowhere"))):
            patch.start()
            self.addCleanup(patch.stop)
        self.runs = runs.Runs(SIMULATOR, quick=False, again=False, seed=1)
        self.runs.say = lambda _text: None
        self.left_out = {"rain"}
        self.runs.run = self.run_of  # type: ignore[method-assign]
        self.runs.refusal = self.refusal_of  # type: ignore[method-assign]

    def run_of(self, run: runs.Run) -> dict:
        times = {NO_GC: 1, OURS: 1.04, BASE: 10}.get(run.rung, 2)
        return made_up(times, blocked=0.01 if run.rung == OURS else 3)

    def refusal_of(self, rung: Rung) -> str:
        return "unknown" if rung in [RUNGS[name] for name in self.left_out] else ""

    def test_each_can_be_shown(self) -> None:
        for name, part in {**PARTS, **LIMITS_PARTS, "free": free}.items():
            with self.subTest(name):
                result = part.measure(self.runs)
                text = rst.page(part.section(result), rst.table(["", "", "", ""], part.goals(result)) if hasattr(part, "goals")
                                and part.goals(result) else "")
                self.assertNotIn("None", text)
                part.draw(result, self.place)

    def test_a_rung_that_is_missing_has_a_line(self) -> None:
        self.assertIn("Not measured: *plane, RAIN* (unknown).", ladder.section(ladder.measure(self.runs)))

    def test_who_writes_by_stripes_is_said(self) -> None:
        self.assertRegex(ladder.section(ladder.measure(self.runs)), r"\+ GTF.*write the buffer out by stripes")

    def test_a_trace_that_is_not_there_is_said(self) -> None:
        self.assertIn("Left out: DTRS, cut (there is no msps_dtrs_300s).", ladder.section(ladder.measure(self.runs)))
        self.assertIn("Left out: the cut of DTRS, 10 times as fast", preemptive.section(preemptive.measure(self.runs)))

    def test_goals_are_of_what_is_there(self) -> None:
        self.left_out = {"rain", NO_GC, OURS}
        result = uniform.measure(self.runs)
        self.assertEqual(uniform.goals(result), [])
        result = ladder.measure(self.runs)
        self.assertFalse([row for row in ladder.goals(result) if "blocks" in row[0]])

    def test_goals_are_the_issues(self) -> None:
        rows = {row[0]: row for row in ladder.goals(ladder.measure(self.runs))}
        self.assertEqual(rows["MSN, made: reads' p99.9 of no GC's"], ("MSN, made: reads' p99.9 of no GC's", "at most 1.050",
                                                                      "1.040", "met"))
        self.assertEqual(rows["MSN, made: reads that collection blocks"][3], "met")
        self.assertEqual(rows["MSN, made: the base, most of p99 to p99.99 of no GC's"][2:], ("10.0", "met"))
        self.assertEqual(rows["plane no worse than channel from p90 on"][3], "met")


if __name__ == "__main__":
    unittest.main()
