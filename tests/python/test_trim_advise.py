# SPDX-License-Identifier: GPL-2.0
"""What discards cost: measured on a disk that is made up, proposed from numbers that are."""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
import threading
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from ssdqos import __main__ as tool
from ssdqos.device import Device, System
from ssdqos.errors import ToolError
from ssdqos.trim import disk, plan, proposal, told
from ssdqos.trim.measurement import (ASCENDING, BYTES_PER_MIB, ORDERS, RANDOM, Cell, Discards, Limits, Measurement,
                                     Reads, Times, times)
from ssdqos.trim.runner import Runner, merged

try:
    from ssdqos.trim import page
except ModuleNotFoundError:
    page = None

CONFIG = Path(__file__).resolve().parents[2] / "dm-ssdqos/core/rules/config.h"
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
US, MS = 1000, 1_000_000
SIZES = plan.sizes(GIB, 512)
READ_NS = 100 * US
# Only what fails takes so long.
LONG_S = 30


def same(ns: int, n: int = 100) -> Times:
    return Times(n, ns, ns, ns)


def measured(fixed_ns: int = 400 * US, mib_ns: int = 20 * US, many: float = 1.0, write_ns: int = 2 * MS,
             harm_ns: int = MS, granularity: int = 4 * KIB, most: int = GIB, sizes: list[int] = SIZES,
             harm_many_ns: int | None = None) -> Measurement:
    """A drive whose discards take so long each and for each MiB; `many` is what 8 at a time bring."""
    discards = []
    for size in sizes:
        ns = fixed_ns + mib_ns * size // MIB
        for order in ORDERS:
            discards += [Discards(Cell(size, order, 1), same(ns), 100 * ns),
                         Discards(Cell(size, order, 8), same(int(8 * ns / many)), int(100 * ns / many))]
    harm_many_ns = harm_ns if harm_many_ns is None else harm_many_ns
    reads = [Reads(None, same(READ_NS)), Reads(Cell(sizes[0], RANDOM, 8), same(harm_many_ns))]
    for size in (size for size in sizes if size in plan.BESIDE_BYTES):
        reads += [Reads(Cell(size, ASCENDING, 1), same(harm_ns)), Reads(Cell(size, ASCENDING, 8), same(harm_many_ns))]
    return Measurement(Limits(granularity, most), write_ns, tuple(discards), tuple(reads))


class Proposed(unittest.TestCase):
    def values(self, found: Measurement) -> dict[str, str]:
        return {one.key.removeprefix("drive_trim").removeprefix("_") or "policy": one.value
                for one in proposal.propose(found).settings}

    def why(self, key: str, found: Measurement) -> str:
        return next(one.why for one in proposal.propose(found).settings if one.key == key)

    def test_a_usual_drive(self) -> None:
        """0.4 ms each: 256 KiB cost 1.6 ms per MiB, 64 KiB 6.4, writing 2; 64 MiB take 1.7 ms, 256 MiB 5.5."""
        self.assertEqual({"policy": "batch", "granule_kib": "256", "max_kib": str(256 * KIB), "min_kib": "64",
                          "depth": "1", "age_ms": "531000"}, self.values(measured()))

    def test_passes_where_discards_keep_nobody(self) -> None:
        found = measured(fixed_ns=150 * US, harm_ns=READ_NS)
        self.assertEqual("pass", self.values(found)["policy"])
        self.assertEqual("ssdqos set gold drive_trim=pass", proposal.propose(found).command("gold"))

    def test_each_of_both_makes_it_batch(self) -> None:
        self.assertEqual("batch", self.values(measured(fixed_ns=250 * US, harm_ns=READ_NS))["policy"])
        self.assertEqual("batch", self.values(measured(fixed_ns=150 * US, harm_ns=2 * READ_NS))["policy"])

    def test_without_reads_it_is_batch(self) -> None:
        found = replace(measured(fixed_ns=10 * US), reads=())
        self.assertEqual("batch", self.values(found)["policy"])
        self.assertIn("nothing shows", self.why(proposal.POLICY, found))
        self.assertEqual("0", self.values(found)["min_kib"])

    def test_granule_is_where_writing_takes_longer(self) -> None:
        for write_ns, wanted in ((MS // 2, "1024"), (8 * MS, "64"), (100 * MS, "16"), (200 * MS, "4")):
            self.assertEqual(wanted, self.values(measured(write_ns=write_ns))["granule_kib"], write_ns)

    def test_granule_is_what_the_disk_asks_for_at_least(self) -> None:
        found = measured(granularity=3 * MIB)
        self.assertEqual("3072", self.values(found)["granule_kib"])
        self.assertIn("asks for 3 MiB", self.why(proposal.GRANULE, found))

    def test_discards_that_are_never_worth_it(self) -> None:
        found = measured(write_ns=MS // 100)
        self.assertEqual(str(MIB), self.values(found)["granule_kib"])
        self.assertIn("of no size", self.why(proposal.GRANULE, found))
        self.assertEqual(str(MIB), self.values(found)["max_kib"])

    def test_largest_takes_10_ms(self) -> None:
        for mib_ns, wanted in ((0, GIB), (9 * US, GIB), (10 * US, 256 * MIB), (150 * US, 64 * MIB), (MS, 4 * MIB)):
            self.assertEqual(str(wanted // KIB), self.values(measured(mib_ns=mib_ns))["max_kib"], mib_ns)

    def test_largest_is_what_the_disk_takes(self) -> None:
        found = measured(most=2 * GIB // 16)
        self.assertEqual(str(128 * KIB), self.values(found)["max_kib"])
        self.assertIn("takes no more at once", self.why(proposal.MAX, found))

    def test_largest_is_no_less_than_a_granule(self) -> None:
        found = measured(fixed_ns=20 * MS)
        self.assertEqual(self.values(found)["granule_kib"], self.values(found)["max_kib"])
        self.assertEqual(str(16 * KIB), self.values(found)["max_kib"])
        self.assertEqual("4096", self.values(measured(granularity=4 * MIB, most=MIB))["max_kib"])

    def test_small_ones_are_left_out_only_where_they_hurt(self) -> None:
        self.assertEqual("0", self.values(measured(harm_ns=READ_NS))["min_kib"])
        self.assertEqual("0", self.values(measured(fixed_ns=50 * US))["min_kib"])
        self.assertEqual("1024", self.values(measured(fixed_ns=10 * MS))["min_kib"])

    def test_several_at_a_time_have_to_bring_something(self) -> None:
        self.assertEqual(["1", "8"], [self.values(measured(many=many))["depth"] for many in (1.9, 2.1)])
        self.assertEqual("1", self.values(measured(many=4, harm_many_ns=2 * MS))["depth"])
        self.assertIn("one after the other", self.why(proposal.DEPTH, measured()))

    def test_age_leaves_the_drive_to_others(self) -> None:
        """65536 pieces of 50 us in half of it are 10 % of 65.5 s."""
        self.assertEqual("66000", self.values(measured(fixed_ns=50 * US, mib_ns=0))["age_ms"])
        self.assertEqual("30000", self.values(measured(fixed_ns=US, mib_ns=0))["age_ms"])
        found = measured(fixed_ns=5 * MS)
        self.assertEqual("600000", self.values(found)["age_ms"])
        self.assertIn("help nobody", self.why(proposal.AGE, found))

    def test_the_kernel_takes_whatever_is_proposed(self) -> None:
        ranges = {key: (int(low), high) for key, low, high in
                  re.findall(r'P\((drive_trim\w*), "\w*", (\d+), (\w+),', CONFIG.read_text())}
        most = {"SSDQOS_QOS_MAX_TRIM_KIB": proposal.MOST_KIB}
        for fixed in (US, 400 * US, 50 * MS, 5000 * MS):
            for write in (1, MS, 1000 * MS):
                for granularity in (0, 512, 4 * KIB, 2 * GIB):
                    for disks_most in (4 * KIB, GIB, 1 << 42):
                        found = self.values(measured(fixed, write_ns=write, granularity=granularity, most=disks_most))
                        for key, value in found.items():
                            if key != "policy":
                                low, high = ranges[f"drive_trim_{key}"]
                                self.assertTrue(low <= int(value) <= int(most.get(high, high)), (key, value))
                        self.assertLessEqual(int(found["min_kib"]), int(found["max_kib"]))

    def test_bounds_are_the_kernels(self) -> None:
        text = CONFIG.read_text()
        self.assertEqual(str(proposal.MOST_KIB), re.search(r"SSDQOS_QOS_MAX_TRIM_KIB\s+(\d+)", text)[1])
        self.assertIn(f'P(drive_trim_max_kib, "KiB", {proposal.LEAST_MAX_KIB},', text)
        self.assertIn(f'P(drive_trim_granule_kib, "KiB", 0, {proposal.MOST_GRANULE_KIB},', text)
        self.assertRegex(text, rf'P\(drive_trim_ranges, "ranges", \d+, \d+, {proposal.RANGES},')

    def test_command(self) -> None:
        self.assertRegex(proposal.propose(measured()).command("NAME"),
                         r"^ssdqos set NAME drive_trim=batch drive_trim_granule_kib=256 .*drive_trim_age_ms=\d+$")

    def test_each_has_a_reason(self) -> None:
        for found in (measured(), measured(fixed_ns=10 * US, harm_ns=READ_NS), measured(sizes=SIZES[:2])):
            for one in proposal.propose(found).settings:
                self.assertGreater(len(one.why.split()), 4, one)


class FakeDisk:
    """A discard takes 1 ms, a write 10 us for 4 KiB, a read 100 us, by a clock of its own; knows what is written."""

    def __init__(self, size: int) -> None:
        self.size, self.clock = size, 0
        self.written: set[int] = set()
        self.orders: list[tuple[int, int]] = []
        self.missing = 0
        self.fail = False
        # so many reads have to come before a discard is done; threads have no order of their own
        self.waits_for, self.reads = 0, 0
        self.has_read = threading.Event()
        self.lock = threading.Lock()

    def now_ns(self) -> int:
        return self.clock

    def wait_for_reads(self, nr: int) -> None:
        self.waits_for = self.reads + nr

    def blocks(self, at: int, length: int) -> range:
        assert 0 <= at and at + length <= self.size and not (at | length) % (4 * KIB)
        return range(at // (4 * KIB), (at + length) // (4 * KIB))

    def discard(self, at: int, length: int) -> None:
        if self.waits_for:
            self.has_read.wait(LONG_S)
        with self.lock:
            if self.fail:
                raise OSError(5, "Input/output error")
            self.orders.append((at, length))
            blocks = self.blocks(at, length)
            self.missing += not all(block in self.written for block in blocks)
            self.written.difference_update(blocks)
            self.clock += MS

    def write(self, at: int, length: int) -> None:
        with self.lock:
            self.written.update(self.blocks(at, length))
            self.clock += 10 * US * (length // (4 * KIB))

    def read(self, at: int) -> None:
        with self.lock:
            assert self.blocks(at, 4 * KIB)[0] in self.written, "what is read is not discarded"
            self.clock += READ_NS
            self.reads += 1
            if self.reads == self.waits_for:
                self.has_read.set()


class Measured(unittest.TestCase):
    def runner(self, size: int = 16 * MIB, seconds: float = 0.02) -> Runner:
        self.disk = FakeDisk(size)
        return Runner(self.disk, plan.make(size, 512, seconds))

    def test_times_of_discards(self) -> None:
        found = self.runner().discards(Cell(4 * KIB))
        self.assertEqual((20, MS, MS), (found.times.n, found.times.p50_ns, found.spent_ns // 20))
        self.assertEqual(256 * MS, found.ns_per_mib())

    def test_ascending_and_random(self) -> None:
        runner = self.runner()
        runner.discards(Cell(64 * KIB))
        places = [at for at, _ in self.disk.orders]
        self.assertEqual(sorted(places), places)
        self.disk.orders.clear()
        runner.discards(Cell(64 * KIB, RANDOM))
        places = [at for at, _ in self.disk.orders]
        self.assertNotEqual(sorted(places), places)
        self.assertEqual(len(set(places)), len(places))

    def test_what_is_discarded_was_written(self) -> None:
        runner = self.runner()
        for cell in runner.plan.cells:
            runner.discards(cell)
        self.assertEqual(0, self.disk.missing)

    def test_a_range_is_written_again_when_it_is_used_up(self) -> None:
        found = self.runner(seconds=0.1).discards(Cell(16 * MIB))
        self.assertGreater(found.times.n, 1)
        self.assertEqual(0, self.disk.missing)

    def test_writing_costs(self) -> None:
        runner = self.runner()
        runner.fill()
        self.assertAlmostEqual(256 * 10 * US, runner.write_ns_per_mib)

    def test_reads_alone_and_beside(self) -> None:
        """The first read of a part is not counted."""
        runner = self.runner()
        alone = runner.reads(None)
        self.assertEqual((READ_NS, 199), (alone.times.p50_ns, alone.times.n))
        self.disk.wait_for_reads(10)
        beside = runner.reads(Cell(4 * KIB, RANDOM, 8))
        self.assertGreaterEqual(beside.times.n, 9)
        self.assertGreaterEqual(len(self.disk.orders), 8)

    def test_all_of_it(self) -> None:
        told_of = []
        runner = self.runner(20 * MIB)
        runner.tell = told_of.append
        discards, reads = runner.run()
        self.assertEqual((len(runner.plan.cells), len(runner.plan.beside)), (len(discards), len(reads)))
        self.assertEqual(list(range(1, runner.plan.parts() + 1)), [report.number for report in told_of])
        self.assertEqual(((0, 20 * MIB), set()), (self.disk.orders[-1], self.disk.written))
        self.assertIn("reads alone: median 0.1 ms", told.part(told_of[0]))

    def test_errors_of_threads_are_not_lost(self) -> None:
        runner = self.runner()
        runner.fill()
        self.disk.fail = True
        for depth in (1, 8):
            with self.assertRaisesRegex(OSError, "Input/output"):
                runner.discards(Cell(4 * KIB, RANDOM, depth))
            runner.errors.clear()

    def test_merged(self) -> None:
        self.assertEqual([(0, 8), (9, 12)], merged([(9, 12), (4, 8), (0, 4), (1, 2)]))

    def test_percentiles(self) -> None:
        self.assertEqual(Times(100, 50, 99, 100), times(range(100, 0, -1)))
        self.assertEqual(Times(1, 7, 7, 7), times([7]))
        self.assertEqual(0, times([]).n)


class Planned(unittest.TestCase):
    def test_sizes_fit(self) -> None:
        self.assertEqual((4 * KIB, GIB, 10), (SIZES[0], SIZES[-1], len(SIZES)))
        self.assertEqual([4 * KIB, 16 * KIB], plan.sizes(63 * KIB, 512))
        self.assertEqual(16 * KIB, plan.sizes(GIB, 16 * KIB)[0])

    def test_orders_and_depths(self) -> None:
        made = plan.make(GIB, 512, 3)
        self.assertEqual({(order, depth) for order in (ASCENDING, RANDOM) for depth in (1, 8)},
                         {(cell.order, cell.depth) for cell in made.cells if cell.bytes == GIB})
        self.assertIn(None, made.beside)

    def test_reads_are_not_discarded(self) -> None:
        for size in (16 * MIB, 20 * MIB + 4 * KIB):
            made = plan.make(size, 512, 1)
            self.assertTrue(all(cell.bytes <= size - size // plan.READ_PART for cell in made.beside if cell))

    def test_time(self) -> None:
        short, long = (plan.make(GIB, 512, seconds) for seconds in (1, 3))
        self.assertGreater(long.least_s(), short.least_s())
        self.assertGreater(long.most_s(), long.least_s())
        self.assertEqual(8 * GIB, plan.make(100 * GIB, 512, 1).range_bytes)


class Sysfs(unittest.TestCase):
    """A disk of 64 MiB."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.sys = Path(scratch.name)
        self.disk = self.sys / "block/sdq"
        self.write("size", str(64 * MIB // 512))
        for name, value in (("discard_granularity", 4096), ("discard_max_bytes", GIB), ("logical_block_size", 512)):
            self.write(f"queue/{name}", str(value))
        (self.sys / "dev/block").mkdir(parents=True)
        (self.sys / "dev/block/8:16").symlink_to(self.disk)
        self.device = Device(Path("/dev/sdq"), System(self.sys, self.sys))
        for name, value in (("is_block", True), ("number", "8:16"), ("open_exclusively", None)):
            patch = mock.patch.object(Device, name, lambda *_, value=value: value)
            patch.start()
            self.addCleanup(patch.stop)
        self.write("dev", "8:16")

    def write(self, name: str, text: str) -> None:
        (self.disk / name).parent.mkdir(parents=True, exist_ok=True)
        (self.disk / name).write_text(f"{text}\n")


class Refused(Sysfs):
    def refused(self, why: str, offset: int = 0, size: int = 32 * MIB) -> None:
        with self.assertRaisesRegex(ToolError, why):
            disk.check(self.device, offset, size)

    def test_what_may_be_measured(self) -> None:
        self.assertEqual(Limits(4096, GIB, 512), disk.check(self.device, 32 * MIB, 32 * MIB))

    def test_no_discards(self) -> None:
        self.write("queue/discard_max_bytes", "0")
        self.refused("does not support discards")

    def test_ranges(self) -> None:
        self.refused("ends at 68157440, /dev/sdq has 67108864 bytes", 33 * MIB)
        self.refused("not in whole units of 4 KiB", 512)
        self.refused("not in whole units", 0, 32 * MIB + 1)
        self.refused("at least 16 MiB", 0, MIB)

    def test_in_use(self) -> None:
        (self.sys / "mounts").write_text("")
        with mock.patch.object(Device, "mounted", lambda *_: "/home"):
            self.refused("sdq is mounted on /home")
        with mock.patch.object(Device, "open_exclusively", side_effect=ToolError("cannot be had alone")):
            self.refused("cannot be had alone")

    def test_no_block_device(self) -> None:
        with mock.patch.object(Device, "is_block", lambda _: False):
            self.refused("no block device")

    def test_a_stream_that_keeps_them_itself(self) -> None:
        self.write("ssdqos/params/drive_trim", "pass")
        disk.check(self.device, 0, 32 * MIB)
        self.write("ssdqos/params/drive_trim", "batch")
        self.refused("set drive_trim=pass")

    def test_nothing_outside_of_the_range(self) -> None:
        with tempfile.TemporaryFile() as file:
            file.truncate(64 * MIB)
            made = disk.Disk(file.fileno(), 32 * MIB, 16 * MIB)
            made.write(0, 16 * MIB)
            made.read(16 * MIB - 4 * KIB)
            for at, length in ((-4096, 8192), (16 * MIB - 4096, 8192), (0, 0)):
                with self.assertRaisesRegex(ToolError, "not in the range"):
                    made.write(at, length)
            file.seek(0)
            self.assertEqual(b"\0" * (32 * MIB), file.read(32 * MIB))
            self.assertEqual(16, len({file.read(MIB) for _ in range(16)}), "no two MiB are alike")
            self.assertEqual(b"\0" * (16 * MIB), file.read())


class Command(Sysfs):
    def run_tool(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        self.made = FakeDisk(32 * MIB)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
                mock.patch("ssdqos.trim.advise.Device", lambda path: self.device), \
                mock.patch("ssdqos.trim.disk.opened", lambda *_: contextlib.nullcontext(self.made)), \
                mock.patch("sys.argv", ["ssdqos", "trim", "advise", "/dev/sdq", *words]):
            code = tool.main()
        return code, out.getvalue(), err.getvalue()

    def test_without_consent_nothing_is_done(self) -> None:
        code, said, _ = self.run_tool("--range", "32m:32m")
        self.assertEqual((0, set(), []), (code, self.made.written, self.made.orders))
        self.assertRegex(said, r"32 MiB would be overwritten .* in \d+ parts of 3 s; that takes \d+ min to \d+ min")
        self.assertIn("--yes", said)

    def test_measures_and_proposes(self) -> None:
        path = self.sys / "out.json"
        code, said, progress = self.run_tool("--range", "32m:32m", "--yes", "--seconds", "0.02", "--json", str(path))
        self.assertEqual(0, code)
        self.assertRegex(said, r"\nssdqos set NAME drive_trim=batch drive_trim_granule_kib=\d+ ")
        self.assertRegex(progress, r"ssdqos: 1 of \d+, reads alone: median 0\.1 ms")
        found = json.loads(path.read_text())
        self.assertEqual("batch", found["proposal"]["drive_trim"]["value"])
        self.assertEqual(32 * MIB, found["measurement"]["range_bytes"])
        self.assertEqual(progress.count("\n"), len(found["measurement"]["discards"]) + len(found["measurement"]["reads"]))

    def test_arguments(self) -> None:
        for words, why in ((("--range", "32m"), "not OFFSET:SIZE"), (("--range", "a:b"), "no size"),
                           (("--range", "0:32m", "--seconds", "0"), "--seconds is 0"),
                           (("--range", "0:32m", "--json", "/nowhere/x"), "no directory /nowhere")):
            code, said, told_why = self.run_tool(*words, "--yes")
            self.assertEqual((2, "", 1), (code, said, told_why.count("\n")))
            self.assertIn(why, told_why)
            self.assertEqual(set(), self.made.written)

    @unittest.skipUnless(page, "matplotlib is not installed")
    def test_page(self) -> None:
        path = self.sys / "out.html"
        self.run_tool("--range", "0:32m", "--yes", "--seconds", "0.02", "--out", str(path))
        text = path.read_text()
        self.assertEqual(2, text.count("<img "))
        self.assertIn("ssdqos set NAME drive_trim=batch", text)


if __name__ == "__main__":
    unittest.main()
