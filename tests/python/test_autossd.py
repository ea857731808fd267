# SPDX-License-Identifier: GPL-2.0
"""The campaign autossd, with a simulator that makes its numbers up."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "campaign"))

from lib import interval  # noqa: E402
from lib.autossd import campaign, draw, driver, limits, series, traces  # noqa: E402
from lib.autossd.grid import Grid, change  # noqa: E402
from lib.autossd.runs import LOADS, SYSTEMS, Run, Scale, job, synthetic  # noqa: E402
from lib.autossd.section import Found  # noqa: E402
from lib.autossd.series import Series  # noqa: E402
from lib.autossd.store import Store  # noqa: E402
from lib.errors import RunError  # noqa: E402

# Two of them are enough.
SETTINGS = {name: limits.SETTINGS[name] for name in ("debit, all 1 permille", "fifo")}
FAKE = Path(__file__).with_name("fake_simulator.py")


class ScratchTest(unittest.TestCase):
    """A directory, and a log of what the simulator was asked."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        self.log = self.scratch / "log"
        self.set_environment(FAKE_SIMULATOR_LOG=str(self.log))

    def set_environment(self, **values: str) -> None:
        patch = mock.patch.dict(os.environ, values)
        patch.start()
        self.addCleanup(patch.stop)

    def asked(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def store(self) -> Store:
        return Store(self.scratch / "results", FAKE)


class RunTest(unittest.TestCase):
    def test_arguments_of_a_system_under_a_load(self) -> None:
        run = synthetic(Scale(0.05, 7), "RAD-AS", SYSTEMS["rain"], 2)
        self.assertEqual(run.arguments(), [
            "--drive", "autossd", "--size", "200000000000", "--set", "aged_pct=100",
            "--set", "seed=7", "--set", "scheduler=priority", "--set", "allocation=static",
            "--set", "rain=on", "--set", "share_lend=off", "--set", "bypass_max=0", "--load",
            "synthetic-RAD-AS seed=7 intensity=2 fraction=2.5%"])

    def test_a_run_is_the_same_whatever_it_costs(self) -> None:
        one, other = (Run((), "read", requests=n) for n in (1, 2))
        self.assertEqual(one, other)
        self.assertNotEqual(one, Run((), "read", cdf=True))

    def test_figures_share_runs(self) -> None:
        plans = {name: e.plan(Scale()) for name, e in campaign.EXPERIMENTS.items()
                 if name not in ("real", "deadlock")}
        ours = {run for run in plans["fig5"].values()}
        for name in ("fig6", "fig8"):
            self.assertLessEqual(set(plans[name].values()), ours, name)
        self.assertIn(plans["fig9"]["feedback", 1], ours)
        self.assertIn(plans["fig7"]["rain", 1], plans["read"].values())
        self.assertEqual(len(ours), len(SYSTEMS) * len(LOADS))

    def test_a_load_is_run_as_long_as_needed(self) -> None:
        self.assertIn("fraction=3%", synthetic(Scale(0.2), "MSN-BEFS", {}).load)
        self.assertNotIn("fraction", synthetic(Scale(whole=True), "MSN-BEFS", {}).load)
        self.assertIn("intensity=2 fraction=2.5%", synthetic(Scale(), "LM-TBE", {}, 2).load)

    def test_words_replace_keys_of_a_load(self) -> None:
        run = synthetic(Scale(), "RAD-AS", {}, words="size=10%")
        self.assertEqual(run.load, "synthetic-RAD-AS seed=1 size=10%")

    def test_each_seed_has_its_drive_and_its_load(self) -> None:
        found = [synthetic(one, "RAD-AS", {}) for one in Scale(seed=4, seeds=2).each()]
        self.assertEqual([(dict(run.sets)["seed"], run.load) for run in found],
                         [(4, "synthetic-RAD-AS seed=4"), (5, "synthetic-RAD-AS seed=5")])


class StoreTest(ScratchTest):
    def test_a_result_is_made_once(self) -> None:
        store, run = self.store(), job(Scale(), "randread", 5000, {})
        self.assertIsNone(store.find(run))
        self.assertEqual(store.make(run).latency()["n"], 5000)
        self.assertEqual(driver.missing(store, {"a": {(): run}}), [])
        self.assertEqual(len(self.asked()), 1)

    def test_another_simulator_begins_anew(self) -> None:
        run = job(Scale(), "randread", 5000, {})
        self.store().make(run)
        other = self.scratch / "other"
        shutil.copy(FAKE, other)
        with other.open("a") as file:
            file.write("# changed\n")
        self.assertIsNone(Store(self.scratch / "results", other).find(run))
        self.assertIsNotNone(self.store().find(run))

    def test_a_changed_trace_is_another_run(self) -> None:
        trace = self.scratch / "trace.csv"
        trace.write_text("0,R,0,4096\n")
        store, run = self.store(), Run((), trace=trace)
        key = store.key(run)
        trace.write_text("1,R,0,4096\n")
        self.assertNotEqual(store.key(run), key)

    def test_a_state_is_made_first(self) -> None:
        store = self.store()
        write = job(Scale(), "write", 5000, {})
        read = dataclasses.replace(job(Scale(), "read", 5000, {}), before=write)
        tasks = driver.missing(store, {"a": {("write",): write, ("read",): read}})
        self.assertEqual([task.run for task in tasks], [read])
        store.make(read)
        self.assertTrue(store.find(write) and store.find(read))
        self.assertEqual(len(self.asked()), 2)

    def test_failures_are_said_and_not_kept(self) -> None:
        self.set_environment(FAKE_SIMULATOR_FAILS="randread")
        store, run = self.store(), job(Scale(), "randread", 5000, {})
        with self.assertRaisesRegex(RunError, "told to fail"):
            store.make(run)
        self.assertIsNone(store.find(run))
        self.assertEqual([p.name for p in store.directory.iterdir()], ["bin"])

    def test_a_run_that_never_ends(self) -> None:
        self.set_environment(FAKE_SIMULATOR_SLEEPS="60")
        with mock.patch("lib.autossd.store.patience_s", return_value=0.2), \
                self.assertRaisesRegex(RunError, "did not end"):
            self.store().make(job(Scale(), "randread", 5000, {}))

    def test_least_overprovisioning(self) -> None:
        run = job(Scale(), "randread", 5000, {"op_permille": 280})
        self.assertEqual(self.store().least_op(run), 70)


def found_of(n: int, path: str = "files", **latency: float) -> Found:
    result = {"latency_ns": {"read_small": {"n": n, **latency}}}
    return Found("key", Run(()), result, "command", Path(path))


class NumbersTest(unittest.TestCase):
    @staticmethod
    def grid() -> Grid:
        """Under A ours are 0.5 and 0.7 of RAIN's with the two seeds, under B 1.25."""
        seen = {("rain", "A"): (10, 10), ("autossd", "A"): (5, 7), ("rain", "B"): (4, 8), ("autossd", "B"): (5, 10)}
        return Grid({(*key, seed): found_of(10 ** 4, mean=mean, p999=mean)
                     for key, means in seen.items() for seed, mean in enumerate(means, start=1)})

    def test_ratios_are_seed_by_seed(self) -> None:
        grid = self.grid()
        found = grid.relative(("autossd", "A"), ("rain", "A"), "mean")
        self.assertAlmostEqual(found.value, 0.6)
        # what interval.half_width says of 0.5 and 0.7
        self.assertAlmostEqual(found.half, interval.half_width([0.5, 0.7]))
        self.assertEqual(change(found), "-40.0 ± 127.1")

    def test_the_average_of_the_loads_has_an_interval_of_its_own(self) -> None:
        found = traces.average(self.grid(), "rain", "mean")
        self.assertAlmostEqual(found.value, (0.6 + 1.25) / 2)
        self.assertAlmostEqual(found.half, interval.half_width([(0.5 + 1.25) / 2, (0.7 + 1.25) / 2]))
        self.assertEqual(traces.best(self.grid(), "rain", "mean"), "A")

    def test_too_few_reads_say_nothing(self) -> None:
        grid = self.grid()
        self.assertEqual(grid.reads("rain", "A"), 20_000)
        self.assertTrue(grid.has(("rain", "A"), "p999"))
        self.assertFalse(grid.has(("rain", "A"), "p9999"))
        self.assertIsNone(grid.relative(("autossd", "A"), ("rain", "A"), "p999999"))
        self.assertEqual(grid.us(("rain", "A"), "p999999"), "-")
        self.assertIsNone(traces.average(grid, "rain", "p999999"))
        self.assertIn("no six nines: A, B", traces.note_of_reads(grid)[1])

    def test_one_seed_has_no_interval(self) -> None:
        grid = Grid({("a", 1): found_of(9, mean=2000)})
        self.assertEqual(grid.us(("a",), "mean"), "2")

    def test_the_far_tail_is_of_all_reads_together(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            paths = []
            # 98 fast reads and two slow ones, and a hundred fast ones
            for name, rows in (("one", ((10, 98), (50, 99), (90, 100))), ("other", ((10, 99), (20, 100)))):
                paths.append(Path(scratch, name))
                paths[-1].write_text("latency_ns,cumulative_count\n" + "".join(f"{ns},{n}\n" for ns, n in rows))
            self.assertEqual(draw.pooled_quantile(paths, 2), 20)
            self.assertEqual(draw.pooled_quantile(paths[:1], 2), 50)
            self.assertEqual(draw.pooled_quantile(paths, 3), 90)

    def test_the_window_with_most_work(self) -> None:
        erases = np.zeros(100)
        erases[20:90] = 1
        erases[70:] += 1
        one = Series({"time_s": np.arange(100) / 10, "erases": erases})
        self.assertEqual(series.busiest(one, "erases", 2), 70)

    def test_spread(self) -> None:
        self.assertEqual(limits.spread([2, 4, 6]), {
            "best": 6, "median": 4, "least": 2, "runs": 3, "spread_pct": 50})


class CampaignTest(ScratchTest):
    def run_campaign(self, *words: str) -> tuple[int, str]:
        """Exit status, and what was said."""
        said = io.StringIO()
        argv = ["autossd", "--simulator", str(FAKE), "--results", str(self.scratch / "results"),
                "--docs", str(self.scratch / "docs"), "--jobs", "4", "--count", "2", *words]
        with mock.patch.object(sys, "argv", argv), contextlib.redirect_stderr(said), \
                mock.patch.object(limits, "REPEATS", 2), \
                mock.patch.object(limits, "SETTINGS", SETTINGS):
            return campaign.main(argparse.ArgumentParser()), said.getvalue()

    def page(self) -> str:
        return (self.scratch / "results/report/report.html").read_text()

    def json(self) -> dict:
        return json.loads((self.scratch / "results/report/autossd.json").read_text())

    def test_one_experiment_then_the_page_alone(self) -> None:
        status, said = self.run_campaign("--only", "fig9", "--fraction", "0.1%")
        self.assertEqual(status, 0, said)
        self.assertIn("[8/8] fig9", said)
        asked = len(self.asked())
        status, said = self.run_campaign("--only", "page", "--fraction", "0.1%")
        self.assertIn("0 runs to make", said)
        self.assertEqual([w for w in self.asked()[asked:] if "--json" in w], [])
        self.assertIn("A quick pass: only 0.1%", self.page())
        self.assertIn("fraction=0.015%", self.page())
        self.assertIn("Not measured: 96 of 96 runs", self.page())
        self.assertFalse((self.scratch / "docs").exists())
        self.assertEqual(self.json()["experiments"]["fig9"]["rows"][0]["seed"], 1)

    def test_everything(self) -> None:
        status, said = self.run_campaign()
        self.assertEqual(status, 0, said)
        self.assertIn("tables: ", said)
        made = self.json()
        compared = made["experiments"]["fig5"]["summary"]
        self.assertAlmostEqual(compared["average"]["rain"]["p999"]["pct"], -50)
        self.assertAlmostEqual(compared["by_load"]["DTRS"]["parity"]["p999"]["half_pct"], 0)
        claims = made["experiments"]["fig5"]["claims"]
        self.assertEqual([(claim["wanted"], claim["verdict"]) for claim in claims], [(3.8, "above"), (53.6, "met")])
        self.assertEqual(made["seeds"], [1, 2])
        rows = made["experiments"]["fig10"]["rows"]
        self.assertTrue(all(row["load"].startswith("synthetic-") for row in rows))
        self.assertTrue(made["experiments"]["deadlock"]["summary"]["complete"])
        self.assertEqual(made["experiments"]["fig6"]["summary"]["begin_s"], 15)
        page = self.page()
        for name in campaign.EXPERIMENTS:
            self.assertEqual(f'<h2 id="{name}">' in page, name != "real", name)
        self.assertEqual(page.count("<img "), 12 - 2)
        self.assertIn("seeds 1 to 2; at 1x 22% of DTRS", page)
        docs = {path.name for path in (self.scratch / "docs").iterdir()}
        self.assertLessEqual({"autossd.json", "tables.rst", "fig5.svg", "fig10.svg"}, docs)
        self.assertEqual(self.run_campaign()[1].count("0 runs to make"), 1)

    def test_a_failed_run_leaves_the_others(self) -> None:
        self.set_environment(FAKE_SIMULATOR_FAILS="gc_share_permille=50")
        status, said = self.run_campaign("--only", "fig9")
        self.assertEqual(status, 1)
        self.assertIn("FAILED", said)
        self.assertIn("Not measured: 2 of 8 runs", self.page())
        self.assertIn("told to fail", self.page())

    def test_a_real_trace_that_is_not_there(self) -> None:
        with mock.patch.object(traces, "REAL_TRACE", self.scratch / "none.csv.gz"):
            status, said = self.run_campaign("--only", "real", "--real")
        self.assertEqual(status, 0)
        self.assertIn("Skipped: there is no", said)
        self.assertIn("Skipped: there is no", self.page())


if __name__ == "__main__":
    unittest.main()
