# SPDX-License-Identifier: GPL-2.0
"""Streams in the live view, from files as the kernel has them in sysfs."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from ssdqos import stream_view, top
from ssdqos.errors import ToolError
from ssdqos.stream_view import Look

STATUS = {"drive": "8:16", "state": "reserved", "util_ppm": "250000", "used_ppm": "300000", "free_ppm": "690000",
          "spare_write_ppm": "125000",
          "profile": "ok", "drift_pct": "-7", "unmanaged": "0", "drive_queued": "3", "drive_in_flight": "4",
          "promised": "3000", "achieved": "2999", "reason": "deadline", "reads": "100", "writes": "50",
          "windows": "120",
          "windows_met": "97", "windows_missed": "3", "windows_idle": "20", "queue_ns_p99": "2000000",
          "device_ns_p99": "350000"}


class Sysfs(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.stream("dm-1", "gold")
        self.stream("dm-2", "tin", state="best_effort", util_ppm="0", drive="8:32", profile="none")
        self.write(self.path / "dm-9/ssdqos/status", "version=1 waf=1.0\n")
        (self.path / "sda").mkdir()

    @staticmethod
    def write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def stream(self, node: str, name: str, directory: str = "ssdqos", **words: str) -> None:
        self.write(self.path / node / "dm/name", f"{name}\n")
        self.write(self.path / node / directory / "status",
                   " ".join(f"{key}={value}" for key, value in (STATUS | words).items()) + "\n")

    def params(self, node: str, **values: str) -> None:
        for name, value in values.items():
            self.write(self.path / node / "ssdqos/params" / name, f"{value}\n")

    def look(self, device: str | None = None) -> Look:
        return stream_view.read(stream_view.directories(device, self.path, self.path / "mapper"))


class Reading(Sysfs):
    def test_all_streams_and_nothing_else(self) -> None:
        self.assertEqual(["gold", "tin"], list(self.look().streams))

    def test_one_by_node_or_name(self) -> None:
        self.assertEqual(["tin"], list(self.look("dm-2").streams))
        (self.path / "mapper").mkdir()
        (self.path / "dev/dm-2").parent.mkdir()
        (self.path / "dev/dm-2").touch()
        (self.path / "mapper/tin").symlink_to(self.path / "dev/dm-2")
        self.assertEqual(["tin"], list(self.look("tin").streams))

    def test_an_emulated_drive_is_no_stream(self) -> None:
        self.assertEqual({}, self.look("dm-9").streams)

    def test_several_streams_of_one_device(self) -> None:
        self.stream("dm-3", "two", "ssdqos-0")
        self.stream("dm-3", "two", "ssdqos-2048")
        self.assertEqual(["two+0", "two+2048"], list(self.look("dm-3").streams))

    def test_one_that_goes_meanwhile(self) -> None:
        found = stream_view.directories(None, self.path, self.path)
        (self.path / "dm-1/ssdqos/status").unlink()
        self.assertEqual(["tin"], list(stream_view.read(found).streams))


class Showing(Sysfs):
    def line(self, looks: list[Look], name: str) -> str:
        return next(line for line in stream_view.lines(looks) if line.startswith(f"  {name} "))

    def test_promise_and_what_came_of_it(self) -> None:
        self.assertRegex(self.line([self.look()], "gold"),
                         r"gold +3,000 +2,999 +97\.0 % +3 +25\.00 % +0 +0 +2\.00 ms +0\.35 ms  deadline$")

    def test_without_a_promise(self) -> None:
        self.assertRegex(self.line([self.look()], "tin"), r"tin +- +- ")

    def test_rates_between_two_looks(self) -> None:
        first = self.look()
        self.stream("dm-1", "gold", reads="300", writes="40")
        second = Look(first.at_s + 4, self.look().streams)
        self.assertRegex(self.line([first, second], "gold"), r"25\.00 % +50 +0 ")

    def test_a_new_stream_has_no_rate_yet(self) -> None:
        first = self.look()
        self.stream("dm-4", "new")
        self.assertRegex(self.line([first, Look(first.at_s + 1, self.look().streams)], "new"), r"25\.00 % +0 +0 ")

    def test_streams_stand_below_their_drive(self) -> None:
        self.stream("dm-1", "gold", profile="stale", drift_pct="80", unmanaged="1")
        shown = stream_view.lines([self.look()])
        self.assertEqual("drive 8:16: 30.00 % reserved, 69.00 % free, spare writes get 12.5 %, 4 requests in the drive, 3 wait, profile stale "
                         "(requests cost +80 %), SOMEBODY ELSE WRITES TO IT", shown[0])
        self.assertTrue(shown[4].startswith("drive 8:32: ") and shown[4].endswith("profile none"))

    def test_a_promise_at_risk(self) -> None:
        for windows in ("0", "2"):
            self.stream("dm-1", "gold", at_risk=windows, missed_why="depth")
            self.assertNotIn("AT RISK", "".join(stream_view.lines([self.look()])))
        self.stream("dm-1", "gold", at_risk="3", missed_why="depth")
        shown = stream_view.lines([self.look()])
        self.assertRegex(shown[3], r"^ +AT RISK: its client has few requests at a time: raise its depth")

    def test_a_risk_that_is_no_number_is_none(self) -> None:
        self.stream("dm-1", "gold", at_risk="many")
        self.assertNotIn("AT RISK", "".join(stream_view.lines([self.look()])))

    def test_a_status_that_is_no_text_is_no_streams(self) -> None:
        (self.path / "dm-1/ssdqos/status").write_bytes(b"drive=\xff")
        self.assertEqual(["tin"], list(self.look().streams))

    def test_whether_a_promise_is_kept(self) -> None:
        for node in ("dm-1", "dm-2"):
            self.params(node, window_ms="3000", confidence_permille="950", windows="aligned")
        for confidence, told in (("950", "95 % of windows of 3 s: kept, 3 of 100 were missed, 5 may be"),
                                 ("990", "99 % of windows of 3 s: BROKEN, 3 of 100 were missed, 1 may be"),
                                 ("999", "99.9 % of windows of 3 s: BROKEN, 3 of 100 were missed, 0 may be")):
            self.params("dm-1", confidence_permille=confidence)
            shown = stream_view.lines([self.look()])
            self.assertEqual(f"{'':<18}promised in {told}", shown[3])
            self.assertEqual(1, sum("promised in" in line for line in shown), "tin has no promise")

    def test_scripts_get_the_terms_and_the_verdict(self) -> None:
        self.params("dm-1", window_ms="3000", confidence_permille="990", windows="aligned")
        told = stream_view.once(self.look("dm-1"))
        for line in ("promise_window_ms=3000", "promise_confidence_permille=990", "verdict=broken", "windows=120"):
            self.assertIn(line, told)

    def test_no_streams(self) -> None:
        self.assertEqual(["no streams"], stream_view.lines([Look(0, {})]))


class Program(Sysfs):
    def run_top(self, *words: str) -> str:
        done = subprocess.run([sys.executable, top.__file__, *words], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONIOENCODING": "utf-8"})
        return done.stdout

    def test_runs_by_itself(self) -> None:
        told = self.run_top("--once", str(self.path / "dm-1/ssdqos"))
        self.assertTrue(told.startswith("device=gold\ndrive=8:16\nstate=reserved\n"))
        self.assertIn("gold", self.run_top("--count", "2", "--interval", "0.01", str(self.path / "dm-1/ssdqos")))
        self.params("dm-1", window_ms="3000", confidence_permille="950", windows="aligned")
        self.assertIn("promised in 95 %", self.run_top("--count", "1", str(self.path / "dm-1/ssdqos")))

    def test_without_a_name_and_without_streams(self) -> None:
        nothing = mock.patch.object(top, "SYSFS", self.path / "nothing")
        with nothing, mock.patch.object(top.mirrors, "names", lambda _: []), self.assertRaisesRegex(ToolError, "no streams and no mirrors here"):
            top.main(top.argparse.Namespace(device=None, once=True))


if __name__ == "__main__":
    unittest.main()
