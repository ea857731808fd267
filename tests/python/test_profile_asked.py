# SPDX-License-Identifier: GPL-2.0
"""What ssdqos profile is asked wrongly is said before anything is measured, and leaves nothing behind."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from ssdqos import profile
from ssdqos.errors import ToolError
from ssdqos.profiler import cell, emulated, limits, rehearsal, sources, wanted
from test_measurement import CELLS, TOOLS, Command

SIM = Path(os.environ.get("SSDQOS_SIM") or Path(os.environ.get("SSDQOS_BUILD") or TOOLS.parent / "build") / "sim" / "ssdqos-sim")
TWO = "read-rand-4k-d32,write-rand-4k-d32"


class Asked(Command):
    def refused(self, *words: str, **environment: str) -> str:
        """What is said: one sentence, and nothing else has changed."""
        before = sorted(self.path.rglob("*"))
        done = self.profile(*words, **environment)
        self.assertEqual((2, "", []), (done.returncode, done.stdout, self.steps()), done.stderr)
        self.assertEqual(before, sorted(self.path.rglob("*")))
        said, = done.stderr.splitlines()
        return said.removeprefix("ssdqos: ")

    def asked(self, *words: str, **environment: str) -> str:
        """The same command as destroy()."""
        return self.refused(str(self.drive), "--size", "1m", "--cells", CELLS, "--seconds", "20", "--warm-up", "60",
                            "--out", str(self.out), "--yes-destroy", str(self.drive), *words, **environment)

    def simulated(self, *words: str) -> tuple[str, ...]:
        """Words of a measurement that takes a second."""
        if not SIM.exists():
            self.skipTest("the simulator is not built")
        return ("--sim", "autossd", "--quick", "--cells", TWO, "--seconds", "4", "--cell-most", "4s", "--warm-up", "2",
                "--size-mb", "64", "--out", str(self.out), *words)


class Before(Asked):
    def test_meta(self) -> None:
        for word in ("room", "=12", "a b=c", "room=12\ncost read rand 4096 1 900 1"):
            self.assertEqual(f"--meta {word!r} is not KEY=VALUE in one line", self.asked("--meta", word))

    def test_where_the_profile_goes(self) -> None:
        (self.path / "taken.html").mkdir()
        (self.path / "kept").write_text("")
        for words, why in ((("--out", str(self.path)), f"{self.path} cannot be written: it is a directory"),
                           (("--out", "no/where"), "no/where cannot be written: No such file or directory"),
                           (("--out", "/proc/x"), "/proc/x cannot be written: "),
                           (("--checkpoint", "no/where"), "no/where cannot be written: No such file or directory"),
                           (("--checkpoint", "kept"), "kept, where cells would be kept, is no directory")):
            with self.subTest(words):
                self.assertIn(why, self.asked(*words))

    def test_whether_a_page_can_be_drawn(self) -> None:
        (self.path / "matplotlib.py").write_text("raise ModuleNotFoundError(name='matplotlib')\n")
        said = self.asked("--html", PYTHONPATH=f"{self.path}:{TOOLS}", PYTHONDONTWRITEBYTECODE="1")
        self.assertEqual("--html needs the Python package matplotlib (Debian: python3-matplotlib)", said)

    def test_where_the_page_goes(self) -> None:
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("no matplotlib")
        (self.path / "taken.html").mkdir()
        self.assertEqual("taken.html cannot be written: it is a directory", self.asked("--html", "--out", "taken"))

    def test_ranges(self) -> None:
        for words, said in ((("--sizes", "4"), "--sizes: '4' is not a power of two from 512 to 16m"),
                            (("--sizes", "4k,0"), "--sizes: '0' is not a power of two from 512 to 16m"),
                            (("--sizes", "12k"), "--sizes: '12k' is not a power of two from 512 to 16m"),
                            (("--sizes", "32m"), "--sizes: '32m' is not a power of two from 512 to 16m"),
                            (("--sizes", ""), "'' is no size such as 4k, 64k or 1m"),
                            (("--depths", "99999"), "--depths: '99999' is not from 1 to 65535 requests"),
                            (("--depths", "x"), "--depths 'x' is no list of numbers, such as 1,8,32"),
                            (("--warm-up", "-5"), "--warm-up: '-5' is not from 0 to 86400 s"),
                            (("--seconds", "-1"), "--seconds: '-1' is not from 1 to 86400 s"),
                            (("--cells", "read-rand-3k-d1"),
                             "--cells read-rand-3k-d1: size: '3k' is not a power of two from 512 to 16m"),
                            (("--cells", "read-rand-4k-d0"), "--cells read-rand-4k-d0: depth: '0' is not from 1 to 65535 requests"),
                            (("--cells", ""), "'' is no cell such as read-rand-4k-d32, mix-rand-4k-d32-r70 or "
                                              "beside-rand-4k-d1-w10"),
                            (("--cells", "discard-seq-2g-d1"), "--cells discard-seq-2g-d1: size: '2g' is not whole sectors of "
                                                               "512 bytes from 512 to 1g")):
            with self.subTest(words):
                grid = ("--quick",) if words[0] == "--cells" else ("--cells", "*")
                self.assertEqual(said, self.refused("--plan", "plan", *grid, *words))
                self.assertEqual(said, self.asked(*grid, *words))
        self.assertEqual("--depths: '0' is not from 1 to 65535 requests", self.asked("--depths", "0", "--dry-run"))
        self.assertEqual("--cell-most: '25h' is not from 1 to 86400 s", self.asked("--cell-most", "25h"))
        self.assertIn("write-rand-16m-d65535 has 1024 GiB under way at a time, which may be 1 GiB at most",
                      self.asked("--cells", "write-rand-16m-d65535"))

    def test_a_drive_that_is_too_small(self) -> None:
        self.assertEqual(f"512 KiB of {self.drive} are to be used (--size, --range), at least 1 MiB are needed", self.asked("--size", "512k"))
        self.assertEqual(f"0 of {self.drive} are to be used (--size, --range), at least 1 MiB are needed", self.asked("--range", "0"))
        self.assertEqual(f"read-rand-2m-d1 is larger than what is used of {self.drive}, 1 MiB",
                         self.asked("--cells", f"{CELLS},read-rand-2m-d1"))
        with self.assertRaisesRegex(ToolError, "read-rand-512-d1 is smaller than a block of /dev/x, which has 4 KiB"):
            limits.check_fit([cell.parse("read-rand-512-d1")], 4096, 1 << 30, "/dev/x")

    def test_a_choice_that_makes_no_profile(self) -> None:
        for cells, lacks in (("read-rand-4k-d8", "writes"), ("write-*", "reads"), ("discard-*", "reads"),
                             ("mix-rand-4k-d8-r50", "reads")):
            for more in ((), ("--dry-run",)):
                said = self.asked("--cells", cells, *more)
                self.assertTrue(said.startswith(f"what is chosen has no cell that only {lacks}: a profile "), said)
        self.assertEqual("beside-rand-4k-d1-w50 goes by what writes get alone: measure also write-rand-4k-d32",
                         self.asked("--cells", "read-rand-4k-d1,write-seq-4k-d1,beside-rand-4k-d1-w50"))

    def test_what_is_kept_tells_the_rate_beside(self) -> None:
        self.assertEqual(0, self.destroy().returncode)
        cells = "read-rand-4k-d1,write-seq-4k-d8,beside-rand-4k-d1-w50"
        self.assertEqual(0, self.destroy("--cells", cells).returncode)

    def test_more_rows_than_the_kernel_takes(self) -> None:
        with self.assertRaisesRegex(ToolError, "^what is chosen has more than 256 mixed rows$"):
            rehearsal.check([cell.parse(f"{op}-rand-4k-d{depth}{pct}") for depth in range(1, 9)
                             for op, pcts in (("read", ("",)), ("write", ("",)), ("mix", [f"-r{9 * at}" for at in range(1, 10)]))
                             for pct in pcts], wanted.SECONDS)

    def test_a_profile_that_the_kernel_would_not_take(self) -> None:
        said = self.refused(str(self.drive), "--size", "64m", "--depths", "1,2,4,8,16,32,64", "--out", str(self.out),
                            "--yes-destroy", str(self.drive))
        self.assertRegex(said, r"^what is chosen has [0-9]+ bytes where the kernel takes 65536: leave sizes or depths out$")

    def test_both_grids_make_one(self) -> None:
        for grid in (cell.FULL, cell.QUICK):
            rehearsal.check(grid.cells(), wanted.SECONDS)


class Means(Asked):
    def test_every_option_has_a_row(self) -> None:
        parser = argparse.ArgumentParser()
        profile.set_arguments(parser)
        self.assertEqual({name for name in vars(parser.parse_args([]))}, set(sources.OPTIONS))
        known = {option for action in parser._actions for option in action.option_strings}
        self.assertEqual(set(), {sources.option(name) for name in sources.OPTIONS} - known - {sources.DEVICE})

    def test_what_means_nothing_is_refused(self) -> None:
        sim, logs = ("--sim", "autossd", "--out", "x"), ("--logs", str(self.path), "--out", "x")
        for words, option, means in ((sim, ("--range", "1m"), "DEV and --plan"), (sim, ("--size", "4g"), "DEV and --plan"),
                                     (sim, ("--yes-destroy", "/dev/sda"), "DEV"),
                                     (logs, ("--seconds", "0"), "DEV and --sim and --plan"),
                                     (logs, ("--cells", "x"), "DEV and --sim and --plan"),
                                     (("drive", "--out", "x"), ("--set", "a=b"), "--sim"),
                                     (("drive", "--out", "x"), ("--size-mb", "0"), "--sim"),
                                     (("--plan", "x"), ("--sim", "autossd"), "--sim"),
                                     (("--plan", "x"), ("--html",), "DEV and --sim and --logs")):
            with self.subTest(option):
                self.assertEqual(f"{option[0]} means nothing with {'DEV' if words[0] == 'drive' else words[0]}, "
                                 f"only with {means}", self.refused(*words, *option))
        self.assertEqual("--size is that of DEV, a regular file, and there is no DEV",
                         self.refused("--plan", "x", "--size", "1g"))

    def test_size_is_not_that_of_a_disk(self) -> None:
        args = argparse.Namespace(device=Path("/dev/x"), size="1t", range=None, quick=False)
        with mock.patch("ssdqos.device.Device.is_block", return_value=True), \
                self.assertRaisesRegex(ToolError, "--size is that of a regular file, and /dev/x is none: --range uses"):
            wanted.span_bytes(args)

    def test_no_name_is_no_drive(self) -> None:
        self.assertEqual("--sim '' is no preset and no file of the simulator", self.refused("--sim", "", "--out", "x"))

    def test_the_simulator_has_no_flushes(self) -> None:
        self.assertEqual("fsync-rand-4k-d1 is not for --sim: the simulator's loads have no flushes",
                         self.refused("--sim", "autossd", "--cells", f"{TWO},fsync-rand-4k-d1", "--out", "x"))

    def test_an_emulated_drive_is_full_already(self) -> None:
        self.assertEqual(0, self.profile(*self.simulated("--no-fill")).returncode)
        self.assertEqual("100", self.read().meta["filled_pct"])
        self.assertNotIn("range_bytes", self.read().meta)


class Simulated(Asked):
    def test_a_slip_of_the_finger_does_not_stay(self) -> None:
        for words, why in ((("--sim", "autosd"), "'autosd' is neither a preset"),
                           (("--set", "aged_pc=100"), "'aged_pc' is not a parameter"),
                           (("--size-mb", "1"), "--size-mb: '1' is not from 64 to 1048576 MiB"),
                           (("--cells", f"{TWO},read-rand-4k-d1,discard-seq-128m-d1"),
                            "discard-seq-128m-d1 is larger than what is used of the emulated autossd, 64 MiB")):
            with self.subTest(words):
                self.assertIn(why, self.refused(*self.simulated(*words)))
                self.assertIn(why, self.refused(*self.simulated(*words, "--dry-run")))
        done = self.profile(*self.simulated())
        self.assertEqual(0, done.returncode, done.stderr)

    def test_a_simulator_that_says_nothing(self) -> None:
        dies = self.path / "dies"
        dies.write_text("#!/bin/sh\nkill -9 $$\n")
        dies.chmod(0o755)
        self.assertEqual("the simulator failed in its first look at the drive: it ended with -9",
                         self.refused(*self.simulated(), SSDQOS_SIM=str(dies)))

    def test_a_look_at_the_drive_writes_nothing(self) -> None:
        done = self.profile(*self.simulated())
        (self.path / "profile.cells" / "result.json").unlink()
        limited = f"ulimit -f 0; exec {sys.executable} -m ssdqos profile \"$@\""
        done = subprocess.run(["sh", "-c", limited, "sh", *self.simulated("--dry-run")], cwd=self.path, capture_output=True,
                              env={**os.environ, "PYTHONPATH": str(TOOLS)}, text=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_sizes_are_those_of_the_simulator(self) -> None:
        self.simulated()
        done = subprocess.run([SIM, "run", "--drive", "autossd", "--size", "1m", "--load", "read"], capture_output=True,
                              text=True, check=False)
        self.assertIn("(64 MiB to 1 TiB)", done.stderr)
        self.assertEqual((64, 1 << 20), (limits.SIZE_MB.least, limits.SIZE_MB.most))

    def test_quick_says_what_was_measured(self) -> None:
        said = self.profile(*self.simulated()).stdout
        self.assertIn("This was quick: cells of 4 s, so no window above 2 s; what", said)
        self.assertEqual(2000, self.read().windows_ms[-1])

    def test_a_drive_says_its_size_before_anything_was_run(self) -> None:
        self.simulated()
        drive = emulated.Emulated("autossd", ["trim_ns=400000"], 64, self.path)
        self.assertEqual(400_000, drive.mean_ns(cell.parse("discard-rand-64k-d1")))
        with self.assertRaisesRegex(ToolError, "discard-rand-128m-d1 is larger than the drive, which has 64 MiB"):
            drive.mean_ns(cell.parse("discard-rand-128m-d1"))


if __name__ == "__main__":
    unittest.main()
