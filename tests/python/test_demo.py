# SPDX-License-Identifier: GPL-2.0
"""The demo: what it reports, and how it fails."""

from __future__ import annotations

import argparse
import contextlib
import html
import io
import json
import re
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from ssdqos.demo import __main__ as demo
from ssdqos.demo import aged, build, life, page, promise, report, runs, trim
from ssdqos.demo.picture import INK, LINES
from ssdqos.demo.runs import Decision, Request, Run
from ssdqos.demo.table import Table
from ssdqos.errors import ToolError

YEAR_S = life.YEAR_S


class Scratch(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name) / "demo"
        self.data = report.data(self.out)
        self.data.mkdir(parents=True)


# ---- what parts have found, made up ----

def promise_found(data: Path) -> dict:
    """1,000 reads a second of 1 ms, 100 of 50 ms, 500 of 2 ms."""
    rates = {"alone": (0, 2, 1000, 1e6), "together": (2, 5, 100, 5e7), "promised": (5, 10, 500, 2e6)}
    lines = [f"{100_000 + 1000 * begin + 1000 * n // rate:.0f}, {ns:.0f}, 0, 4096, 0"
             for begin, end, rate, ns in rates.values() for n in range((end - begin) * rate)]
    (data / "shop_lat.1.log").write_text("\n".join(lines) + "\n")
    (data / "backup_lat.1.log").write_text("\n".join(
        f"{102_000 + 10 * n}, 20000000, 1, 65536, 0" for n in range(800)) + "\n")
    (data / "promise-sim.csv").write_text("time_s,shop_n,shop_bytes,backup_n,backup_bytes\n" + "".join(
        f"{(n + 1) * promise.STEP_S},250,1,25,1\n" for n in range(40)))
    found = {"begin_ms": 100_000, "starts_s": {"alone": 0.0, "together": 2.0, "promised": 5.0},
             "status": {name: {"windows_met": "4", "windows_missed": "0"} for name in promise.CLIENTS},
             "admit": {"fits": "1", "util_ppm": "285000"}, "refused": {"fits": "0", "fit_iops": "34000"},
             "kernel": "6.1", "commands": ["tests/vm/vm run --kernel 6.1 " + "x" * 300, "a < b & 'c'"]}
    found["phases"] = promise.figures(found, data)
    (data / "promise-series.json").write_text(json.dumps(promise.series_of(found, data)))
    return found


def trim_found(_: Path) -> dict:
    sides = {side: {"p50_ns": 1e5, "p99_ns": p99_ns, "p999_ns": 2e7, "max_ns": 3e7, "delete_ms": 500, "discards": discards}
             for side, p99_ns, discards in (("none", 2e5, 0), ("pass", 1.23e7, 1024), ("batch", 3e5, 4))}
    return {"sides": sides, "kernel": "6.1", "seed": 1, "commands": ["tests/vm/vm run tests/demo/trim.sh"]}


def life_found(data: Path) -> dict:
    lives = {}
    for policy, years in (("none", 2.5), ("ready_opt", 5.001)):
        (data / f"life-{policy}.csv").write_text("time_s,delay_ns,why,epoch_s,used_bytes,stop_ns\n" + "".join(
            f"{3600 * n},1000,x,1,7,0\n" for n in range(24 * 365)))
        lives[policy] = {"years": years, "load_bytes_per_day": 1e12,
                         "response_ns": dict.fromkeys(("mean", *life.QUANTILES), 600_000)}
    return {"lives": lives, "commands": ["build/sim/ssdqos-sim life --load exchange"], "target_s": 5 * YEAR_S}


def aged_found(data: Path) -> dict:
    made = {}
    for world in aged.WORLDS:
        for drive in aged.DRIVES:
            run = Run(world, drive, [Request(0, "R", 0, 4096, 90_000), Request(9, "W", 0, 4096, 2_000_000)],
                      [Decision(5, "gc_started", 1, 2, 3)], {"reads": 1, "gc_blocked_reads": 0})
            runs.save(run, data)
            made[run.name] = aged.describe_run(run) | {
                "lag_p99_us": 1500.0, "params": {"preset": "autossd", "op_permille": 70, "buffer_kib": 256},
                "geometry": {"channels": 4, "planes": 32}}
    same = {"requests": 2, "same_requests": 2, "decisions": 1, "same_decisions": 1, "first_difference": "", "holds": True}
    trace = {"path": "t.csv", "requests": {"R": 1}, "bytes": {"R": 4096}, "duration_s": 1.0, "scale_time": 1.0,
             "unwritten_reads": 0}
    return {"runs": made, "same": {drive: dict(same) for drive in aged.DRIVES}, "trace": trace, "size_mb": 64,
            "commands": ["build/sim/ssdqos-sim run --drive autossd --trace t.csv"]}


FOUND = {promise: promise_found, trim: trim_found, life: life_found, aged: aged_found}


class ReportTest(unittest.TestCase):
    """Drawn once: that takes a second."""

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        out = Path(scratch.name)
        data = report.data(out)
        data.mkdir()
        cls.found = {part.NAME: made(data) for part, made in FOUND.items()}
        for part in FOUND:
            report.kept(part, out).write_text(json.dumps(cls.found[part.NAME]))
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            cls.page = report.write(demo.PARTS, out).read_text()
        cls.shown, cls.result = shown.getvalue(), json.loads((out / "result.json").read_text())

    def test_every_command_is_there_and_whole(self) -> None:
        commands = [html.unescape(text) for text in re.findall(r"<pre>(.*?)</pre>", self.page, re.DOTALL)]
        wanted = [command for found in self.found.values() for command in found["commands"]]
        for command in ("./run demo", "make demo-promise", "make demo-trim", "make demo-life", "make demo-aged", *wanted):
            self.assertIn(command, commands)
        style = re.search(r"pre \{[^}]*\}", self.page)[0]
        self.assertIn("pre-wrap", style)
        self.assertIn("overflow-wrap: anywhere", style)

    def test_commands_of_the_parts_are_targets_of_make(self) -> None:
        text = (Path(demo.__file__).parents[1] / "demo.mk").read_text()
        for part in demo.PARTS:
            self.assertIn(f"demo-{part.NAME}", re.search("demo_parts := (.*)", text)[1].split())

    def test_the_product_comes_first_and_pictures_before_tables(self) -> None:
        self.assertEqual(re.findall(r'<h2 id="(\w+)"', self.page), ["promise", "trim", "life", "aged"])
        for section in self.page.split("<h2")[1:]:
            if "<figure>" not in section:
                continue
            self.assertLess(section.index("<figure>"), section.index("<table>"))

    def test_pictures_take_the_colours_of_the_page(self) -> None:
        # of discards, the table says it
        self.assertEqual(self.page.count("<svg"), len(demo.PARTS) - 1)
        for colour in (INK, LINES):
            self.assertNotIn(colour, self.page)
        self.assertIn("prefers-color-scheme: dark", self.page)

    def test_one_file_for_scripts(self) -> None:
        self.assertEqual(self.result, json.loads(json.dumps(self.found)))

    def test_the_terminal_has_every_table(self) -> None:
        for title in ("Two clients on one drive", "A delete beside a reader", "A drive's life", "A fresh and an aged drive"):
            self.assertIn(title, self.shown)
        self.assertNotIn("...", self.shown)
        self.assertLessEqual(max(map(len, self.shown.splitlines())), 80)

    def test_that_fio_is_late_is_said(self) -> None:
        for said in (self.page, " ".join(self.shown.split())):
            self.assertIn("99 % of them less than 1.5 ms off", said)


class PromiseTest(Scratch):
    def setUp(self) -> None:
        super().setUp()
        self.found = promise_found(self.data)

    def test_phases_without_their_first_second(self) -> None:
        shop = {phase: row["shop"] for phase, row in self.found["phases"].items()}
        self.assertEqual([round(row["per_s"]) for row in shop.values()], [1000, 100, 500])
        self.assertEqual([row["p99_ns"] for row in shop.values()], [1e6, 5e7, 2e6])
        self.assertEqual([row["simulated_per_s"] for row in shop.values()], [1000, 1000, 1000])
        self.assertEqual(self.found["phases"]["alone"]["backup"]["per_s"], 0)

    def test_a_missed_window_is_wrong(self) -> None:
        self.assertEqual(promise.wrong(self.found), "")
        self.found["status"]["shop"]["windows_missed"] = "2"
        self.assertIn("2 windows", promise.wrong(self.found))

    def test_admission_that_is_wrong(self) -> None:
        self.found["refused"]["fits"] = "1"
        self.assertIn("admitted what doesn't", promise.wrong(self.found))

    def test_an_answer_that_is_none(self) -> None:
        path = self.data / "admit"
        path.write_text("\n")
        with self.assertRaisesRegex(ToolError, "answered nothing"):
            promise.words_of(path)


class LifeTest(Scratch):
    def test_a_policy_that_the_simulator_does_not_know_is_left_out(self) -> None:
        listed = "drive_throttle  how writes are throttled\n   none, ready_opt; default none; live\n"
        done = types.SimpleNamespace(stdout=listed)
        with mock.patch.object(life.subprocess, "run", return_value=done):
            self.assertEqual(life.policies(), ["none", "ready_opt"])
            done.stdout = listed.replace("ready_opt;", "ready_opt, horizon;")
            self.assertEqual(life.policies(), ["none", "ready_opt", "horizon"])

    def test_what_is_wrong_is_on_the_page(self) -> None:
        found = life_found(self.data)
        found["lives"]["ready_opt"]["years"] = 4.5
        self.assertIn("Not as it should be: READY lasts 4.50", page.section(life, found, [], []))

    def test_a_life_that_is_too_short_is_wrong(self) -> None:
        found = life_found(self.data)
        self.assertEqual(life.wrong(found), "")
        found["lives"]["ready_opt"]["years"] = 4.5
        self.assertIn("4.50 years instead of 5", life.wrong(found))

    def test_a_drive_that_outlives_the_simulation(self) -> None:
        self.assertIn("over 3 times", life.years_text({"years": None}))


class Fake:
    """A part that does as it is told."""

    TITLE = ABOUT = "x"

    def __init__(self, name: str, error: Exception | None = None, sentence: str = "") -> None:
        self.NAME = name
        self.error, self.sentence = error, sentence

    def set_arguments(self, parser: argparse.ArgumentParser) -> None:
        pass

    def run(self, args: argparse.Namespace, data: Path, say: object) -> dict:
        if self.error:
            raise self.error
        return {"commands": []}

    def tables(self, found: dict) -> list[Table]:
        return [Table(self.NAME, ["a"], [["b", "1"]])]

    def pictures(self, found: dict, data: Path) -> list:
        return []

    def notes(self, found: dict) -> list[str]:
        return []

    def wrong(self, found: dict) -> str:
        return self.sentence


class MainTest(Scratch):
    def main(self, *parts: Fake, words: tuple[str, ...] = ()) -> tuple[int, str]:
        """Exit status and all that is said."""
        said = io.StringIO()
        with (mock.patch.object(demo, "PARTS", parts), mock.patch.object(demo.build, "quietly"),
              contextlib.redirect_stdout(said), contextlib.redirect_stderr(said)):
            return demo.main([*words, "--out", str(self.out)]), said.getvalue()

    def test_success(self) -> None:
        status, said = self.main(Fake("one"), Fake("two"))
        self.assertEqual(status, 0)
        self.assertIn("report.html", said)

    def test_a_part_that_fails_is_told_and_the_others_are_made(self) -> None:
        status, said = self.main(Fake("one", ToolError("it has no legs")), Fake("two"))
        self.assertEqual(status, 1)
        self.assertIn("demo: one: it has no legs\n", said)
        self.assertEqual(list(json.loads((self.out / "result.json").read_text())), ["two"])

    def test_what_a_failed_part_has_found_before_is_not_shown_as_new(self) -> None:
        self.assertEqual(self.main(Fake("one"), Fake("two"))[0], 0)
        self.assertEqual(self.main(Fake("one", ToolError("no")), Fake("two"))[0], 1)
        self.assertEqual(list(json.loads((self.out / "result.json").read_text())), ["two"])

    def test_nothing_was_made(self) -> None:
        status, said = self.main(Fake("one", ToolError("no")))
        self.assertEqual(status, 1)
        self.assertIn("nothing to report", said)

    def test_figures_that_are_wrong_fail(self) -> None:
        status, said = self.main(Fake("one", sentence="2 windows of the promise were missed"))
        self.assertEqual(status, 1)
        self.assertIn("demo: one: 2 windows of the promise were missed\n", said)

    def test_one_part_alone_leaves_the_others(self) -> None:
        self.main(Fake("one"), Fake("two"))
        before = report.kept(Fake("one"), self.out).stat().st_mtime_ns
        self.main(Fake("one"), Fake("two"), words=("two",))
        self.assertEqual(report.kept(Fake("one"), self.out).stat().st_mtime_ns, before)
        self.assertEqual(list(json.loads((self.out / "result.json").read_text())), ["one", "two"])

    def test_an_unknown_part(self) -> None:
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
            demo.main(["nothing"])
        self.assertIn("'nothing' is no part of the demo, these are: promise, trim, life, aged", said.getvalue())


class TrimTest(Scratch):
    def test_what_is_recorded(self) -> None:
        fio = {"percentile": {key: at for at, key in enumerate(trim.QUANTILES.values())}, "max": 9}
        (self.data / "pass.json").write_text(json.dumps({"jobs": [{"read": {"clat_ns": fio}}]}))
        (self.data / "pass").write_text("1500 1024\n")
        self.assertEqual(trim.read(self.data, "pass"), {"p50_ns": 0, "p99_ns": 1, "p999_ns": 2, "max_ns": 9,
                                                        "delete_ms": 1500, "discards": 1024})

    def test_the_table(self) -> None:
        rows = {name: cells for name, *cells in trim.tables(trim_found(self.data))[0].rows}
        self.assertEqual(rows["99 % are faster than, ms"], ["0.20", "12.30", "0.30"])
        self.assertEqual(rows["discards that the drive gets"], ["0", "1,024", "4"])

    def test_no_gain_is_told(self) -> None:
        found = trim_found(self.data)
        self.assertEqual(trim.wrong(found), "")
        found["sides"]["batch"]["p99_ns"] = 1e7
        self.assertIn("not faster", trim.wrong(found))


class BuildTest(Scratch):
    def test_a_command_is_quiet(self) -> None:
        log = self.out / "log/x"
        with contextlib.redirect_stdout(io.StringIO()) as said:
            build.quietly([sys.executable, "-c", "print('cc -c a.c')"], log, "building")
        self.assertEqual((said.getvalue(), log.read_text()), ("", "cc -c a.c\n"))

    def test_unless_it_fails(self) -> None:
        with self.assertRaisesRegex(ToolError, "^building failed .*, all of it is in .*/x:\n(.*\n)*no such header$"):
            build.quietly([sys.executable, "-c", "import sys; sys.exit('no such header')"], self.out / "x", "building")


if __name__ == "__main__":
    unittest.main()
