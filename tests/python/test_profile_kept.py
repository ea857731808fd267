# SPDX-License-Identifier: GPL-2.0
"""What ssdqos profile keeps: cells of the same conditions, and files that are whole."""

from __future__ import annotations

import unittest
from unittest import mock

from ssdqos import __main__, profile
from ssdqos.errors import ToolError
from ssdqos.profiler import cell, emulated
from ssdqos.profiler.checkpoint import Checkpoint
from ssdqos.profiler.series import Series
from test_measurement import TOOLS, Command


class Kept(Command):
    def test_conditions_without_a_cell_are_none(self) -> None:
        self.assertEqual(2, self.destroy("--seconds", "30", FAKE_FIO_FAILS_IN="read-rand-4k-d8").returncode)
        self.log.unlink()
        done = self.destroy()
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotIn("fill", self.steps(), "the drive is the same, and full")

    def test_another_drive_is_filled(self) -> None:
        self.destroy(FAKE_FIO_FAILS_IN="read-rand-4k-d8")
        self.log.unlink()
        self.assertEqual(0, self.destroy("--size", "2m").returncode)
        self.assertEqual(["fill", "overwrite"], self.steps()[:2])

    def test_a_state_without_a_cell_is_not_gone_on_from(self) -> None:
        drive = emulated.Emulated("autossd", [], 64, self.path)
        drive.state.write_text("of another drive")
        checkpoint = Checkpoint(self.path)
        self.assertTrue(checkpoint.begin({"device": "autossd"}))
        drive.forget()
        self.assertFalse(drive.state.exists())
        checkpoint.save(cell.parse("read-rand-4k-d8"), Series([1], [0]))
        self.assertFalse(checkpoint.begin({"device": "autossd"}))

    def test_another_warm_up_is_another_condition(self) -> None:
        self.destroy()
        done = self.destroy("--warm-up", "30")
        self.assertIn("cells that were measured with warm_up_s 60, not 30: remove it or take another directory", done.stderr)
        self.assertEqual(2, done.returncode)

    def test_other_conditions_are_said_before_anybody_is_asked(self) -> None:
        self.destroy()
        for words in ((), ("--dry-run",)):
            done = self.measure("--warm-up", "30", *words, answer=f"{self.drive}\n")
            self.assertEqual((2, "", 1), (done.returncode, done.stdout, len(done.stderr.splitlines())), done.stderr)
            self.assertIn("measured with warm_up_s 60, not 30", done.stderr)

    def test_cells_get_longer_and_not_shorter(self) -> None:
        self.destroy("--cell-most", "40s")
        self.assertEqual(0, self.destroy("--cell-most", "80s").returncode)
        done = self.destroy("--cell-most", "40s")
        self.assertIn("cells that were measured with cell_most_s 80, not 40: ", done.stderr)
        self.assertEqual(2, done.returncode)

    def test_older_cells_do_not_say_it(self) -> None:
        checkpoint = Checkpoint(self.path)
        checkpoint.begin({"device": "a"})
        checkpoint.save(cell.parse("read-rand-4k-d8"), Series([1], [0]))
        self.assertFalse(checkpoint.begin({"device": "a", "warm_up_s": "60", "cell_most_s": "80"}))
        with self.assertRaisesRegex(ToolError, "warm_up_s 60, not 30"):
            checkpoint.begin({"device": "a", "warm_up_s": "30", "cell_most_s": "80"})

    def test_cells_of_a_drive_that_was_replaced_are_not_taken(self) -> None:
        """It has the name of the one before."""
        checkpoint = Checkpoint(self.path)
        checkpoint.begin({"device": "/dev/sdb", "range": "0", "drive": "X 1"})
        checkpoint.mark("fill")
        checkpoint.save(cell.parse("read-rand-4k-d8"), Series([1], [0]))
        with self.assertRaisesRegex(ToolError, "measured with drive X 1, not X 2: "):
            checkpoint.begin({"device": "/dev/sdb", "range": "0", "drive": "X 2"})
        (self.path / "read-rand-4k-d8.cell.json").unlink()
        checkpoint.begin({"device": "/dev/sdb", "range": "0", "drive": "X 2"})
        self.assertFalse(checkpoint.is_marked("fill"))

    def test_conditions_say_which_drive_it_is(self) -> None:
        with mock.patch("ssdqos.device.Device.unique", lambda _: "X 1"):
            made = profile.conditions(__main__.parse(["profile", str(self.drive), "--size", "1m", "--out", "f"]))
        self.assertEqual("X 1", made["drive"])

    def test_what_is_damaged_is_said_in_a_sentence(self) -> None:
        self.destroy()
        kept = self.path / "profile.cells"
        conditions = (kept / "conditions.json").read_text()
        (kept / "conditions.json").write_text("")
        done = self.destroy()
        self.assertEqual((2, f"ssdqos: {kept}/conditions.json, which says how the cells beside it were measured, is not there "
                             f"or damaged: remove {kept} or take another directory (--checkpoint)"),
                         (done.returncode, done.stderr.strip()))
        (kept / "conditions.json").write_text(conditions)
        for text in ("", "[]", '{"cell": "read-rand-4k-d8", "reads": 5, "writes": []}',
                     '{"cell": "read-rand-4k-d8", "reads": [1], "writes": []}', '{"cell": 7}'):
            (kept / "read-rand-4k-d8.cell.json").write_text(text)
            done = self.destroy()
            self.assertEqual(2, done.returncode)
            self.assertRegex(done.stderr, "^ssdqos: .*read-rand-4k-d8.cell.json is damaged, remove it: .*\n$")


class FullDisk(Command):
    def test_an_old_page_stays(self) -> None:
        self.destroy()
        page = self.path / "profile.html"
        page.write_text("old")
        drawn = self.path / "drawn"
        drawn.mkdir()
        (drawn / "sitecustomize.py").write_text(
            "import sys, types\nmodule = types.ModuleType('ssdqos.profiler.page')\n"
            "module.write = lambda profile, counted: 'x' * 100_000\nsys.modules['ssdqos.profiler.page'] = module\n"
            "import ssdqos.profiler\nssdqos.profiler.page = module\n"
            "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n")
        done = self.destroy("--html", PYTHONPATH=f"{drawn}:{TOOLS}")
        self.assertEqual((2, f"ssdqos: {page} cannot be written: File too large"),
                         (done.returncode, done.stderr.splitlines()[-1]))
        self.assertEqual("old", page.read_text())


if __name__ == "__main__":
    unittest.main()
