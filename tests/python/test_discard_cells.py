# SPDX-License-Identifier: GPL-2.0
"""What ssdqos profile says of discards: measured on a disk that is made up, on an emulated drive, or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from ssdqos import profile
from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.profiler import build, cell, discards
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.checkpoint import Checkpoint
from ssdqos.qos import profile_file
from ssdqos.qos.profile_file import Profile
from ssdqos.trim.measurement import Limits
from test_measurement import CELLS, TOOLS, Command
from test_trim_advise import FakeDisk

try:
    from ssdqos.profiler import page
except ModuleNotFoundError:
    page = None

KIB, MIB = 1 << 10, 1 << 20
MS = 1_000_000
SIZES = ("64k", "1m", "32m")


class SizedDisk(FakeDisk):
    """A discard takes 1 ms, and another one for each MiB; somewhere else than where the last one ended, 3 ms more."""

    def discard(self, at: int, length: int) -> None:
        follows = self.orders and sum(self.orders[-1]) == at
        super().discard(at, length)
        self.clock += MS * (length // MIB) + (0 if follows else 3 * MS)


class Cells(unittest.TestCase):
    def test_both_grids_have_them_behind_all_others(self) -> None:
        for grid in (cell.FULL, cell.QUICK):
            names = [one.name for one in grid.cells()]
            self.assertEqual({f"discard-{order}-{size}-d1" for order in ("rand", "seq") for size in SIZES},
                             set(names[-6:]))
            self.assertFalse([name for name in names[:-6] if name.startswith("discard")])

    def test_names_and_back(self) -> None:
        self.assertEqual(Cell("discard", "seq", 32 * MIB, 1), cell.parse("discard-seq-32m-d1"))

    def test_one_at_a_time(self) -> None:
        with self.assertRaisesRegex(ToolError, "'discard-seq-64k-d8' has a depth of 8: discards are measured one at a"):
            cell.parse("discard-seq-64k-d8")


class OnDisk(unittest.TestCase):
    def measured(self, found: FakeDisk, *names: str) -> dict[str, int]:
        made: dict[str, int] = {}
        with tempfile.TemporaryDirectory() as scratch:
            checkpoint = Checkpoint(Path(scratch))
            discards.measure(discards.OnDisk(found, seconds=0.5), [cell.parse(name) for name in names], checkpoint,
                             lambda one, ns: made.update({one.name: ns}))
            self.assertEqual(made, {one.name: ns for one, ns in checkpoint.load_discards().items()})
        return made

    def test_by_size_and_order(self) -> None:
        found = SizedDisk(64 * MIB)
        made = self.measured(found, "discard-rand-64k-d1", "discard-seq-1m-d1", "discard-seq-32m-d1")
        # the first one of each round comes from somewhere else
        self.assertTrue(33 * MS < made["discard-seq-32m-d1"] < 36 * MS)
        self.assertLess(abs(made["discard-rand-64k-d1"] - 4 * MS), MS // 10)
        self.assertLess(abs(made["discard-seq-1m-d1"] - 2 * MS), MS // 10)
        self.assertEqual(0, found.missing, "what is discarded was written before")

    def test_one_that_is_larger_than_the_range(self) -> None:
        with self.assertRaisesRegex(ToolError, "discard-seq-32m-d1 is larger than the 16777216 bytes"):
            self.measured(SizedDisk(16 * MIB), "discard-seq-32m-d1")

    def on_device(self, found: FakeDisk, what: str) -> None:
        opened = mock.MagicMock()
        opened.return_value.__enter__.return_value = found
        opened.return_value.__exit__.return_value = False
        with mock.patch("ssdqos.trim.disk.check", return_value=Limits(4 * KIB, 1 << 30)) as checked, \
                mock.patch("ssdqos.trim.disk.opened", opened), \
                discards.on_device(Device(Path("/dev/x")), 64 * MIB + 5) as discarder:
            checked.assert_called_with(Device(Path("/dev/x")), 0, 64 * MIB)
            discarder.mean_ns(cell.parse(what))

    def test_all_is_written_in_the_end(self) -> None:
        found = SizedDisk(64 * MIB)
        with mock.patch("ssdqos.profiler.discards.SECONDS", 1):
            self.on_device(found, "discard-rand-64k-d1")
        self.assertEqual(64 * MIB // (4 * KIB), len(found.written))

    def test_a_drive_that_fails_them(self) -> None:
        found = SizedDisk(64 * MIB)
        found.fail = True
        with self.assertRaisesRegex(ToolError, "^/dev/x: Input/output error$"):
            self.on_device(found, "discard-rand-64k-d1")


class Lines(unittest.TestCase):
    def test_rows_of_the_profile(self) -> None:
        self.assertEqual({"seq": {65536: 5, 1048576: 7}, "rand": {65536: 9}}, build.discard_rows(
            {cell.parse(name): ns for name, ns in (("discard-seq-1m-d1", 7), ("discard-seq-64k-d1", 5),
                                                   ("discard-rand-64k-d1", 9))}))
        self.assertEqual({}, build.discard_rows({}))

    @unittest.skipIf(page is None, "no matplotlib")
    def test_page_has_a_table_of_them(self) -> None:
        self.assertEqual("", page.discard_table(Profile()))
        drawn = page.discard_table(Profile(discards={"seq": {65536: 400000, 1048576: 900000}, "rand": {65536: 500000}}))
        self.assertIn("<td>discard seq</td><td>400.0</td><td>900.0</td>", drawn)
        self.assertIn("<td>discard rand</td><td>500.0</td><td>-</td>", drawn)


class Measured(Command):
    def simulate(self, *words: str) -> str:
        if not (Path(os.environ.get("SSDQOS_BUILD") or TOOLS.parent / "build") / "sim" / "ssdqos-sim").exists():
            self.skipTest("the simulator is not built")
        done = self.profile("--sim", "autossd", "--size-mb", "64", "--set", "trim_ns=400000",
                            "--set", "trim_step_ns=100000", "--cells", "read-rand-4k-d8,write-rand-4k-d8,discard-seq-64k-d1,discard-rand-32m-d1",
                            "--seconds", "4", "--warm-up", "2", "--out", str(self.out), *words)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stderr

    def test_an_emulated_drive(self) -> None:
        self.assertIn("ssdqos: discard-rand-32m-d1 1.1 ms\n", self.simulate())
        # steps of 4 MiB
        self.assertEqual({"seq": {65536: 400_000}, "rand": {32 * MIB: 1_100_000}}, self.read().discards)
        self.assertNotIn("discard", self.simulate(), "they are there already")
        self.assertEqual({"seq": {65536: 400_000}, "rand": {32 * MIB: 1_100_000}}, self.read().discards)

    def test_one_that_takes_longer_than_a_profile_can_say_is_left_out(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertFalse(profile.is_told(cell.parse("discard-rand-32m-d1"), 5_000_000_000))
        self.assertEqual("ssdqos: discard-rand-32m-d1 takes 5000 ms, more than a profile can say: it is left out\n",
                         told.getvalue())
        self.assertTrue(profile.is_told(cell.parse("discard-rand-32m-d1"), profile_file.NS_MAX))

    def test_a_file_takes_none(self) -> None:
        done = self.destroy("--cells", f"{CELLS},discard-seq-64k-d1")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn(f"ssdqos: discards are not measured: {self.drive} is no block device\n", done.stderr)
        self.assertEqual({}, self.read().discards)

    def test_they_are_planned(self) -> None:
        done = self.measure("--dry-run", "--cells", f"{CELLS},discard-seq-64k-d1")
        self.assertIn("discard-seq-64k-d1       discards of 64k in order, one at a time, ", done.stdout)
        self.assertIn(f"{len(CELLS.split(',')) + 1} cells, about ", done.stdout)

    def test_fio_is_not_asked(self) -> None:
        self.profile("--plan", str(self.out))
        self.assertNotIn("discard", self.out.read_text())


if __name__ == "__main__":
    unittest.main()
