# SPDX-License-Identifier: GPL-2.0
"""The live view, from files as the kernel has them in sysfs."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from ssdqos import top
from ssdqos.errors import ToolError

TOP_PY = Path(top.__file__)
# Who waits for so long waits for ever.
LONG_S = 20
STATUS = ("version=1 time_ns={time_ns} waf=1.500 free_blocks={free} free_blocks_min=20 mapped_units=5 "
          "buffered_units=0 wear_min=3 wear_max=9 read_count_max=77 memory_bytes=1 late_requests=0 "
          "late_sum_ns=0 map_hit_pct=99.500 map_cached_pages=8 share_host=800 share_map=250 "
          "share_gc={share} share_changes=12 lent_ops={lent} passed_ops={passed}\n")


class Sysfs(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.write(1_000_000_000, 100, "16", 0, 0)

    def write(self, time_ns: int, free: int, share: str, issued: int, reads: int) -> None:
        """The drive's files; every read waits 10 us for gc and 50 us for flash, every tenth operation is lent."""
        files = {"status": STATUS.format(time_ns=time_ns, free=free, share=share, lent=issued // 10 * 3,
                                         passed=issued // 100 * 3),
                 "waits": f"n={reads} flash={reads * 50000} by_gc={reads * 10000}\n"}
        for task, values in {"host": ("800", None), "map": ("250", None), "gc": (share, "feedback")}.items():
            files[f"tasks/{task}/share"] = f"{values[0]}\n"
            files[f"tasks/{task}/issued"] = f"{issued}\n"
            files[f"tasks/{task}/wait_ns"] = f"{issued * 3000}\n"
            if values[1]:
                files[f"tasks/{task}/mode"] = f"{values[1]}\n"
        for name, text in files.items():
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_text(text)

    def run_top(self, *words: str) -> str:
        done = subprocess.run([sys.executable, TOP_PY, *words], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "120"})
        return done.stdout


class Reading(Sysfs):
    def test_reads_a_drive(self) -> None:
        sample = top.read(top.directory(str(self.path)))
        self.assertEqual(["host", "map", "gc"], [task.name for task in sample.tasks])
        self.assertEqual(top.Task("gc", 16, "feedback", 0, 0), sample.tasks[2])
        self.assertEqual("", sample.tasks[0].mode)
        self.assertEqual({"flash": 0, "by_gc": 0}, sample.waits_ns)
        self.assertEqual(1.0, sample.seconds())

    def test_a_share_of_the_status_without_a_task_is_none(self) -> None:
        self.assertNotIn("changes", [task.name for task in top.read(self.path).tasks])

    def test_says_what_is_no_drive(self) -> None:
        with self.assertRaisesRegex(ToolError, "nothing is no live device"):
            top.directory("nothing")

    def test_a_mirror_is_no_drive(self) -> None:
        (self.path / "waits").unlink()
        with self.assertRaisesRegex(ToolError, "no live device .* no .*/waits"):
            top.directory(str(self.path))

    def test_what_is_no_drives_is_said_by_its_file_and_its_key(self) -> None:
        status, waits, share = (self.path / name for name in ("status", "waits", "tasks/gc/share"))
        for path, text, told in ((status, "", "no time_ns"), (status, "time_ns=1 waf=1", "no free_blocks"),
                                 (waits, "flash=1", "no n"), (waits, "n=many", "waits.*many"),
                                 (share, "half", "share.*half")):
            before = path.read_text()
            path.write_text(text)
            with self.subTest(text), self.assertRaisesRegex(ToolError, told):
                top.read(self.path)
            path.write_text(before)

    def test_says_that_the_drive_has_gone(self) -> None:
        (self.path / "waits").unlink()
        with self.assertRaisesRegex(ToolError, "gone"):
            top.read(self.path)


class Showing(Sysfs):
    def test_curve_spans_the_levels(self) -> None:
        self.assertEqual("▁▅█", top.curve([1, 5, 8]))
        self.assertEqual("▁▁", top.curve([4, 4]))

    def test_bar_is_never_longer_than_its_room(self) -> None:
        self.assertEqual(top.BAR_WIDTH, len(top.bar(2000, 1000)))
        self.assertEqual("·" * top.BAR_WIDTH, top.bar(0, 0))

    def test_shows_what_happened_between_two_looks(self) -> None:
        first = top.read(self.path)
        self.write(3_000_000_000, 60, "48.250", 500, 40)
        text = "\n".join(top.lines("drive", [first, top.read(self.path)]))
        self.assertRegex(text, r"free blocks +60 +█▁")
        self.assertRegex(text, r"share of gc +48.25 +▁█")
        self.assertRegex(text, r"gc +feedback +48\.2 ‰ .* 250/s +3\.0 us")
        self.assertRegex(text, r"flash +50\.0 us")
        self.assertRegex(text, r"by_gc +10\.0 us")
        self.assertIn("10.0 % went over the share of their task, 1.0 % as enough others", text)

    def test_a_module_that_does_not_count_them_has_none(self) -> None:
        samples = [top.read(self.path)]
        self.write(3_000_000_000, 60, "48.250", 500, 40)
        status = self.path / "status"
        status.write_text(status.read_text().replace("lent_ops", "other"))
        self.assertNotIn("went over", "\n".join(top.lines("drive", [*samples, top.read(self.path)])))

    def test_counters_that_were_reset_are_no_rate(self) -> None:
        self.write(1_000_000_000, 100, "16", 500, 40)
        first = top.read(self.path)
        self.write(2_000_000_000, 100, "16", 0, 0)
        text = "\n".join(top.lines("drive", [first, top.read(self.path)]))
        self.assertRegex(text, r"gc .* 0/s +0\.0 us")
        self.assertIn("no flash reads", text)

    def test_once_is_for_scripts(self) -> None:
        self.write(3_000_000_000, 60, "48.250", 500, 40)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(0, top.main(top.argparse.Namespace(device=str(self.path), once=True)))
        values = dict(line.split("=") for line in out.getvalue().split())
        self.assertEqual(("60", "48.25", "feedback", "400000", "150"),
                         (values["free_blocks"], values["share_gc"], values["mode_gc"],
                          values["read_wait_ns_by_gc"], values["lent_ops"]))


class Program(Sysfs):
    def test_runs_by_itself(self) -> None:
        self.assertIn("free_blocks=100\n", self.run_top("--once", str(self.path)))

    def test_watches(self) -> None:
        self.assertIn("free blocks", self.run_top("--count", "2", "--interval", "0.01", str(self.path)))

    def refused(self, *words: str) -> str:
        """The same sentence as a program of its own and as a command of the tool."""
        told = set()
        for command in ([TOP_PY], ["-m", "ssdqos", "top"]):
            done = subprocess.run([sys.executable, *command, *words, str(self.path)], capture_output=True, text=True,
                                  check=False, timeout=LONG_S, env={**os.environ, "PYTHONPATH": str(TOP_PY.parents[1])})
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            told.add(done.stderr.replace("ssdqos top: ", "ssdqos: "))
        self.assertEqual(1, len(told))
        return told.pop()

    def test_an_interval_that_nobody_can_wait_for_is_refused(self) -> None:
        for text in ("-1", "nan", "inf", "1e300", "0", "soon"):
            self.assertEqual(f"ssdqos: --interval: '{text}' is not from 0.01 to 86400 s\n",
                             self.refused("--count", "2", "--interval", text))

    def test_a_number_of_looks_that_is_none_is_refused(self) -> None:
        for text in ("-1", "0", "1.5", "1000000001"):
            self.assertEqual(f"ssdqos: --count: '{text}' is not from 1 to 1000000000\n", self.refused("--count", text))

    def test_a_directory_of_no_drive_is_refused(self) -> None:
        (self.path / "status").write_text("")
        self.assertEqual(f"ssdqos: {self.path}/status is not a drive's: it has no time_ns\n", self.refused("--once"))


if __name__ == "__main__":
    unittest.main()
