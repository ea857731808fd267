# SPDX-License-Identifier: GPL-2.0
"""ssdqos profile, with a fio that makes its numbers up."""

from __future__ import annotations

import importlib.util
import os
import select
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fake_executor import FakeExecutor
from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.profiler import beside, build, cell, emulated, measurement, plan
from ssdqos.profiler.checkpoint import Checkpoint
from ssdqos.profiler.series import Series
from ssdqos.qos import profile_file
from ssdqos.qos.profile_file import BesideKey, CostKey, MixedKey, Profile
from ssdqos.qos.request import RequestClass

HERE = Path(__file__).parent
TOOLS = HERE.parents[1] / "tools"
# Nothing takes that long; what hangs is a failure.
LIMIT_S = 300
CELLS = "read-rand-4k-d8,write-rand-4k-d8,mix-rand-4k-d8-r50,write-seq-4k-d8"


class Command(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.drive, self.out, self.log = self.path / "drive", self.path / "profile", self.path / "fio.log"
        self.drive.write_bytes(b"data")

    def environment(self, **more: str) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(TOOLS), "SSDQOS_FIO": str(HERE / "fake_fio.py"),
                "FAKE_FIO_LOG": str(self.log), **more}

    def profile(self, *words: str, answer: str = "", **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-m", "ssdqos", "profile", *words], input=answer, capture_output=True,
                              text=True, check=False, timeout=LIMIT_S, cwd=self.path, env=self.environment(**environment))

    def words(self, *more: str) -> list[str]:
        return [str(self.drive), "--size", "1m", "--cells", CELLS, "--seconds", "20", "--warm-up", "60",
                "--out", str(self.out), *more]

    def measure(self, *words: str, answer: str = "", **environment: str) -> subprocess.CompletedProcess:
        return self.profile(*self.words(*words), answer=answer, **environment)

    def destroy(self, *words: str, **environment: str) -> subprocess.CompletedProcess:
        return self.measure("--yes-destroy", str(self.drive), *words, **environment)

    def steps(self) -> list[str]:
        return [line.split()[0] for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def read(self) -> Profile:
        return profile_file.read(self.out)


class Measuring(Command):
    def test_prepares_and_measures(self) -> None:
        done = self.destroy()
        self.assertEqual((0, f"profile: {self.out}\n"), (done.returncode, done.stdout))
        # the throughput is the same in both stretches: two are enough
        self.assertEqual(["fill", "overwrite", "warm", "warm", *CELLS.split(",")[:3], "warm", "write-seq-4k-d8"],
                         self.steps())
        self.assertIn("4 of 4 cells, write-seq-4k-d8 100 IOPS", done.stderr)

    def test_costs_are_those_of_the_counts(self) -> None:
        self.destroy()
        profile = self.read()
        self.assertEqual((5_000_000,) * 8, profile.costs[CostKey(RequestClass("read", "rand"), 4096, 8, 999)])
        self.assertEqual((10_000_000,) * 8, profile.costs[CostKey(RequestClass("write", "seq"), 4096, 8, 900)])
        # 6 reads take 30 ms alone, 3 writes 60 ms; together 100 ms
        self.assertEqual({0: 1000, 67: 1111, 100: 1000}, profile.mix)

    def test_reads_beside_writes_go_by_what_writes_get_alone(self) -> None:
        cells = "read-rand-4k-d1,write-rand-4k-d1,write-rand-4k-d8,write-rand-16k-d8,beside-rand-4k-d1-w50"
        self.assertEqual(0, self.destroy("--cells", cells).returncode)
        # the smallest, with the most at a time, get 50 a second alone
        self.assertIn(" beside 25 randwrite", self.log.read_text())
        beside = self.read().beside
        self.assertEqual({BesideKey(50, 1, confidence, 4096): (1000,) * 8 for confidence in (900, 950, 990, 999)}, beside)
        done = self.destroy("--cells", "read-rand-4k-d1,beside-rand-4k-d1-w50", "--checkpoint", str(self.path / "b"))
        self.assertIn("beside-rand-4k-d1-w50 goes by what writes get alone: measure also write-rand-4k-d32", done.stderr)

    def test_meta_has_the_conditions(self) -> None:
        self.destroy("--meta", "room_c=21")
        meta = self.read().meta
        self.assertEqual(("fio-3.99", "20", "30", "100", "1048576", "21", "0"),
                         tuple(meta[key] for key in ("fio", "seconds_per_cell", "warm_up_s", "filled_pct",
                                                     "range_bytes", "room_c", "quick")))
        self.assertEqual(os.uname().release, meta["kernel"])

    def test_goes_on_where_it_was_killed(self) -> None:
        killed = self.destroy(FAKE_FIO_DIES_IN="mix-rand-4k-d8-r50")
        self.assertEqual(-9, killed.returncode)
        self.assertFalse(self.out.exists())
        self.log.unlink()
        self.assertEqual(0, self.destroy().returncode)
        # neither filled again, nor are the first two cells measured again
        self.assertEqual(["warm", "warm", "mix-rand-4k-d8-r50", "warm", "write-seq-4k-d8"], self.steps())
        self.assertEqual(3, len({key.request for key in self.read().costs}))

    def test_what_is_finished_is_not_measured_again(self) -> None:
        self.destroy()
        self.log.unlink()
        self.assertEqual(0, self.destroy().returncode)
        self.assertEqual([], self.steps())

    def test_cells_of_other_conditions_are_not_mixed(self) -> None:
        self.destroy()
        done = self.destroy("--seconds", "30")
        self.assertEqual(2, done.returncode)
        self.assertIn("measured with seconds 20, not 30", done.stderr)

    def test_whoever_ends_it_ends_what_writes(self) -> None:
        """fio's workers are children of it; without it they would go on to the end of the drive."""
        ends = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)

        def as_by_default() -> None:
            """Who runs in the background ignores some."""
            for number in ends:
                signal.signal(number, signal.SIG_DFL)

        for number in ends:
            fifo = self.path / f"fifo-{number}"
            os.mkfifo(fifo)
            words = [sys.executable, "-m", "ssdqos", "profile", *self.words("--yes-destroy", str(self.drive))]
            with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.path,
                                  preexec_fn=as_by_default, env=self.environment(FAKE_FIO_LASTS_IN="fill", FAKE_FIO_WORKS_IN=str(fifo))) as tool, \
                    fifo.open("rb", buffering=0) as works:
                self.assertEqual(b"works", works.read(5))
                tool.send_signal(number)
                self.assertEqual(128 + number, tool.wait(LIMIT_S))
                # at the end of the pipe nobody has it any more
                self.assertEqual([works], select.select([works], [], [], LIMIT_S)[0], "a worker goes on")
                self.assertEqual(b"", works.read(1))

    def test_two_do_not_measure_one_drive(self) -> None:
        with Device(self.drive).held():
            done = self.destroy()
        self.assertEqual((2, f"ssdqos: {self.drive} is being measured by another ssdqos profile"),
                         (done.returncode, done.stderr.splitlines()[-1]))
        self.assertEqual([], self.steps())

    def test_a_colon_in_its_name(self) -> None:
        self.drive = self.path / "a:b"
        self.assertEqual(0, self.destroy().returncode)
        self.assertIn(f" {self.path}/a\\:b", self.log.read_text())

    def test_two_do_not_measure_into_one_directory(self) -> None:
        with Checkpoint(self.path / "profile.cells").alone():
            done = self.destroy()
        self.assertEqual(2, done.returncode)
        self.assertIn("profile.cells is being filled by another ssdqos profile: let it end", done.stderr)
        self.assertEqual([], self.steps())
        self.assertEqual(0, self.destroy().returncode)

    def test_says_where_sequential_writes_met_themselves(self) -> None:
        # 100 writes/s of 4 KiB for 20 s are 7.8 times 1 MiB
        done = self.destroy()
        self.assertIn("ssdqos: write-seq-4k-d8 wrote 7.8 times what there is", done.stderr)
        self.assertNotIn("wrote", self.destroy("--size", "8m", "--checkpoint", str(self.path / "other")).stderr)

    def test_says_that_fio_failed(self) -> None:
        done = self.destroy(FAKE_FIO_FAILS_IN="write-rand-4k-d8")
        self.assertEqual((2, "ssdqos: fio failed in write-rand-4k-d8: fio: it was told to fail"),
                         (done.returncode, done.stderr.splitlines()[-1]))

    def test_without_filling(self) -> None:
        self.destroy("--no-fill", "--warm-up", "0")
        self.assertEqual("read-rand-4k-d8", self.steps()[0])
        self.assertEqual("unknown", self.read().meta["filled_pct"])


class Longer(Command):
    """Writes stop each five seconds: the thirds of 20 and of 40 s differ in how often, those of 80 s agree."""

    CELL = "write-rand-4k-d8"

    def runtimes(self) -> list[int]:
        """Of the cell, as it was run; a second at its begin and its end does not count."""
        return [int(line.split()[1]) for line in self.log.read_text().splitlines() if line.startswith(f"{self.CELL} ")]

    def row(self) -> tuple[int | None, ...]:
        return self.read().costs[CostKey(RequestClass("write", "rand"), 4096, 8, 990)]

    def test_a_cell_gets_longer_until_it_has_settled(self) -> None:
        done = self.destroy(FAKE_FIO_STOPS_IN=self.CELL)
        self.assertEqual([22, 22, 42], self.runtimes())
        self.assertIn(f"1 of 4 cells, {self.CELL} 39 IOPS, not settled yet: 20 s more, ", done.stderr)
        self.assertEqual(f"profile: {self.out}\n", done.stdout)
        meta = self.read().meta
        self.assertEqual((f"{self.CELL}=80", "80"), (meta["longer_cells_s"], meta["cell_most_s"]))
        self.log.unlink()
        self.destroy(FAKE_FIO_STOPS_IN=self.CELL)
        self.assertEqual([], self.steps())

    def test_says_what_had_not_settled_at_most(self) -> None:
        done = self.destroy("--cell-most", "40s", FAKE_FIO_STOPS_IN=self.CELL)
        self.assertEqual([22, 22], self.runtimes())
        self.assertIn("Cells that have not settled: 1.", done.stdout)
        self.assertIn(f"  {self.CELL}: 9", done.stdout)
        self.assertIn(f"unsettled.{self.CELL}", self.read().meta)
        # more is allowed later: it goes on with what it has
        self.log.unlink()
        self.assertEqual(0, self.destroy("--cell-most", "80s", FAKE_FIO_STOPS_IN=self.CELL).returncode)
        self.assertEqual([42], self.runtimes())
        self.assertNotIn(f"unsettled.{self.CELL}", self.read().meta)

    def test_goes_on_between_two_stretches(self) -> None:
        self.destroy(FAKE_FIO_STOPS_IN=self.CELL)
        whole = self.row()
        other = ("--checkpoint", str(self.path / "other"))
        self.log.unlink()
        killed = self.destroy(*other, FAKE_FIO_STOPS_IN=self.CELL, FAKE_FIO_DIES_IN=self.CELL, FAKE_FIO_SPARES="1")
        self.assertEqual((-9, [22, 22]), (killed.returncode, self.runtimes()))
        self.log.unlink()
        self.assertEqual(0, self.destroy(*other, FAKE_FIO_STOPS_IN=self.CELL).returncode)
        self.assertEqual([22, 42], self.runtimes())
        self.assertEqual(whole, self.row())

    def test_writes_in_order_meet_disorder_in_each_stretch(self) -> None:
        self.destroy(FAKE_FIO_STOPS_IN="write-seq-4k-d8")
        self.assertEqual(["warm", "write-seq-4k-d8"] * 3, self.steps()[-6:])

    def test_most_is_at_least_a_cell(self) -> None:
        done = self.destroy("--cell-most", "19s")
        self.assertEqual((2, "ssdqos: --cell-most is 19s, which is less than the 20 s that each cell has\n"),
                         (done.returncode, done.stderr))


class Asking(Command):
    def test_asks_before_it_destroys(self) -> None:
        for answer in ("", "yes\n", "y\n"):
            done = self.measure(answer=answer)
            self.assertEqual(2, done.returncode)
            self.assertIn("will be lost", done.stderr)
            self.assertIn("nothing was touched", done.stderr)
        self.assertEqual([], self.steps())
        self.assertEqual(0, self.measure(answer=f"{self.drive}\n").returncode)

    def test_says_what_would_be_lost(self) -> None:
        blkid = self.path / "bin/blkid"
        blkid.parent.mkdir()
        blkid.write_text("#!/bin/sh\necho DEVNAME=$5; echo LABEL=my\\\\ data; echo TYPE=ext4\n")
        blkid.chmod(0o755)
        done = self.measure(answer="no\n", PATH=f"{blkid.parent}:/usr/bin:/bin")
        self.assertIn(f"{self.drive} is file {self.drive}, 4 bytes; on it: ext4 'my_data' on drive\n", done.stderr)

    def test_a_script_has_to_name_the_device_twice(self) -> None:
        done = self.measure("--yes-destroy", "/dev/other")
        self.assertEqual(2, done.returncode)
        self.assertIn("--yes-destroy says /dev/other", done.stderr)
        self.assertEqual([], self.steps())

    def test_dry_run_touches_nothing(self) -> None:
        done = self.measure("--dry-run")
        # 256 KiB/s of filling are nothing; 60 + 3 + 10 + 3 + 4 cells of 20 with their ends
        self.assertEqual((0, "4 cells, about 3 min; if none has settled before it has 1 min, 7 min"),
                         (done.returncode, done.stdout.splitlines()[-1]))
        self.assertNotIn("--", done.stdout, "fio's options are for --plan")
        for text in ("fill ", "all of it is written in order, 1m each, 1 s", "random writes of 4k until",
                     "read-rand-4k-d8 ", "reads of 4k at random, 8 at a time, 27 s"):
            self.assertIn(text, done.stdout)
        self.assertEqual([], self.steps())
        self.assertEqual(b"data", self.drive.read_bytes())

    def test_refuses_a_device_that_is_not_there(self) -> None:
        done = self.profile("/dev/nothing", "--out", "x")
        self.assertEqual((2, "ssdqos: /dev/nothing is not there, or has no size (--size for a file)\n"),
                         (done.returncode, done.stderr))

    def test_says_what_is_missing(self) -> None:
        for words, why in ((("--quick",), "one of DEV, --sim and --logs"),
                           (("--sim", "autossd"), "--out FILE"),
                           (("drive", "--sim", "x", "--out", "y"), "one of DEV"),
                           (("drive", "--out", "y", "--cells", "up*", "--dry-run"), "no cell is called"),
                           (("drive", "--out", "y", "--seconds", "0", "--dry-run"), "--seconds: '0' is not from 1 to 86400 s"),
                           (("drive", "--out", "y", "--range", "1g", "--dry-run"), "not 1g"),
                           (("drive", "--out", "y", "--depths", "0", "--dry-run"), "--depths: '0' is not from 1 to 65535 requests")):
            with self.subTest(words):
                done = self.profile(*words)
                self.assertEqual(2, done.returncode)
                self.assertIn(why, done.stderr)


class Logs(Command):
    def test_plan_elsewhere_and_logs_here(self) -> None:
        plan, logs = self.path / "plan", self.path / "logs"
        logs.mkdir()
        self.assertEqual(0, self.profile("--plan", str(plan), "--cells", CELLS, "--seconds", "20").returncode)
        script = (f"grep -v '^#' {plan} | while read -r name options; do "
                  f'{HERE}/fake_fio.py --filename=/dev/x --output="$name.json" $options; done')
        subprocess.run(["sh", "-c", script], cwd=logs, check=True)
        done = self.profile("--logs", str(logs), "--out", str(self.out))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        profile = self.read()
        self.assertEqual((5_000_000,) * 8, profile.costs[CostKey(RequestClass("read", "rand"), 4096, 8, 999)])
        self.assertEqual("fio-3.99", profile.meta["fio"])

    def test_a_quick_plan_uses_as_much_of_a_drive_that_is_not_named(self) -> None:
        for words, size in ((("--quick",), 8 << 30), (("--quick", "--range", "1g"), 1 << 30), ((), "100%")):
            with self.subTest(words):
                self.assertEqual(0, self.profile("--plan", str(self.out), *words).returncode)
                lines = [line for line in self.out.read_text().splitlines() if not line.startswith("#")]
                self.assertGreater(len(lines), 10)
                for line in lines:
                    self.assertIn(f" --size={size} ", line)

    def test_length_of_a_cell_without_fios_result_is_that_of_its_log(self) -> None:
        for name, direction, end in (("read-rand-4k-d8", 0, 8), ("write-rand-4k-d8", 1, 4)):
            rows = [f"{at}, {direction}, 4096, 3" for at in range(101, end * 1000, 100)]
            (self.path / f"{name}_clat_hist.1.log").write_text("\n".join(rows) + "\n")
        self.assertEqual(0, self.profile("--logs", str(self.path), "--out", str(self.out)).returncode)
        self.assertEqual((100, 200, 500, 1000), self.read().windows_ms)

    def test_a_directory_without_logs(self) -> None:
        done = self.profile("--logs", str(self.path), "--out", "x")
        self.assertEqual(2, done.returncode)
        self.assertIn("has no log of a cell", done.stderr)


class Simulator(Command):
    def simulator(self) -> Path:
        """Skips the test if there is none."""
        path = Path(os.environ.get("SSDQOS_BUILD") or TOOLS.parent / "build") / "sim" / "ssdqos-sim"
        if not path.exists():
            self.skipTest("the simulator is not built")
        return path

    def test_measures_an_emulated_drive(self) -> None:
        self.simulator()
        done = self.again()
        self.assertEqual((0, ""), (done.returncode, done.stderr.partition("Error")[2]))
        profile = self.read()
        self.assertEqual(("emulated autossd", "buffer_kib=256", str(64 << 20)),
                         tuple(profile.meta[key] for key in ("model", "set", "capacity_bytes")))
        # nothing is left to be measured, and the profile is the same
        self.assertEqual(0, self.again().returncode)
        self.assertEqual(profile.meta["capacity_bytes"], self.read().meta["capacity_bytes"])
        reads, writes = (profile.costs[CostKey(RequestClass(op, "rand"), 4096, 8, 900)][-1]
                         for op in ("read", "write"))
        self.assertLess(reads, writes)

    def test_cells_of_two_simulators_are_not_mixed(self) -> None:
        other = self.path / "other"
        other.write_text(f'#!/bin/sh\nexec {self.simulator()} "$@"\n')
        other.chmod(0o755)
        self.assertEqual(0, self.again().returncode)
        done = self.again(SSDQOS_SIM=str(other))
        self.assertEqual(2, done.returncode)
        self.assertRegex(done.stderr, "cells that were measured with simulator [0-9a-f]+, not [0-9a-f]+: remove it")

    def test_a_longer_cell_begins_like_a_shorter_one(self) -> None:
        self.simulator()
        drive = emulated.Emulated("autossd", ["buffer_kib=256"], 64, self.path)
        self.assertFalse(drive.goes_on)
        drive.run(plan.warm_step(2, "100%"))
        step = plan.cell_step(cell.parse("write-rand-4k-d8"), 4, "100%")
        short, long = drive.run(step), drive.run(plan.counted(step, 8))
        self.assertEqual((40, 80, short.writes), (len(short), len(long), long.writes[:40]))

    def again(self, **environment: str) -> subprocess.CompletedProcess:
        return self.profile("--sim", "autossd", "--size-mb", "64", "--set", "buffer_kib=256", "--cells",
                            "read-rand-4k-d8,write-rand-4k-d8", "--seconds", "4", "--warm-up", "2", "--out", str(self.out),
                            **environment)

    def test_says_what_the_simulator_says(self) -> None:
        done = self.profile("--sim", "nothing", "--out", str(self.out))
        self.assertEqual(2, done.returncode)
        self.assertRegex(done.stderr, "ssdqos: the simulator failed|No such file")


class Begun(FakeExecutor):
    """A drive whose runs all begin alike: a second of them stops, each ten seconds."""

    def run(self, step: plan.Step) -> Series:
        self.note(step)
        counts = ([50] * 90 + [0] * 10) * step.counted_s()
        return Series([0] * step.counted_s() * 10, counts[:step.counted_s() * 10])


class Going(Begun):
    """It goes on: the reads say which run it was."""

    goes_on = True

    def run(self, step: plan.Step) -> Series:
        made = super().run(step)
        return Series([len(self.ran)] * len(made), made.writes)


class Emulating(unittest.TestCase):
    def test_a_stretch_is_appended(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            drive = Going()
            run = measurement.Measurement(drive, Checkpoint(Path(scratch)), "100%", cell_most_s=60)
            counts, = run.run([plan.cell_step(cell.parse("write-rand-4k-d8"), 10, "100%")]).values()
            self.assertEqual([1] * 100 + [2] * 100 + [3] * 200 + [4] * 200, counts.reads)


    def test_a_longer_cell_is_measured_from_its_begin(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            drive, told = Begun(), []
            checkpoint = Checkpoint(Path(scratch))
            run = measurement.Measurement(drive, checkpoint, "100%", told.append, cell_most_s=60)
            steps = [plan.warm_step(5, "100%"), plan.cell_step(cell.parse("write-seq-4k-d8"), 10, "100%")]
            counted = run.run(steps)
            self.assertEqual(["warm 5", *(f"write-seq-4k-d8 {s}" for s in (10, 20, 40, 60))], drive.ran)
            self.assertEqual([600], [counts.duration_ms() // 100 for counts in counted.values()])
            self.assertEqual([1, 1, 1, 1, 0], [report.left for report in told])
            self.assertEqual(counted, checkpoint.load())
            self.assertEqual([], [step for step in run.remaining(steps, counted) if step.cell])


class BesideWrites(unittest.TestCase):
    READ = RequestClass("read", "rand")

    def test_each_size_has_its_rows_and_nothing_is_faster_than_alone(self) -> None:
        alone = {CostKey(self.READ, 4096, 1, 990): (100, 100, 100, None),
                 CostKey(self.READ, 65536, 1, 990): (1000, 1000, 1000, 1000)}
        rows = beside.rows({cell.parse("beside-rand-4k-d1-w10"): {990: (301, 90, 200, 500)},
                            cell.parse("beside-rand-64k-d1-w10"): {990: (2000, 900, None, 4000)},
                            cell.parse("beside-rand-4k-d8-w10"): {990: (1, 1, 1, 1)}}, alone)
        self.assertEqual({BesideKey(10, 1, 990, 4096): (3010, 1000, 2000, None),
                          BesideKey(10, 1, 990, 65536): (2000, 1000, None, 4000)}, rows)

    def test_reads_say_whether_the_cell_was_long_enough(self) -> None:
        steady, stops = [10] * 600, ([10] * 150 + [0] * 50) * 3
        for name, wanted in (("beside-rand-4k-d1-w10", False), ("mix-rand-4k-d1-r10", True)):
            one = cell.parse(name)
            found = build.verdict(one, {one: Series(stops, [count * 1000 for count in steady])}, (1000,))
            self.assertEqual(wanted, found.is_long_enough(), name)

    @staticmethod
    def built(depth: int) -> Profile:
        """64 KiB beside a tenth of the writes of 4 KiB: they take 10 % of the drive, and reads lose 20 %."""
        alone = {f"read-rand-4k-d{depth}": (400, 0), f"write-rand-4k-d{depth}": (0, 1000),
                 f"read-rand-64k-d{depth}": (100, 0), f"write-rand-64k-d{depth}": (0, 20)}
        counts = alone | {f"beside-rand-64k-d{depth}-w10": (80, 100)}
        return build.build({cell.parse(name): Series([reads] * 600, [writes] * 600)
                            for name, (reads, writes) in counts.items()}, {})

    def test_many_large_reads_beside_small_writes_are_a_mixture(self) -> None:
        profile = self.built(8)
        self.assertEqual({}, profile.beside)
        self.assertEqual({1112}, set(profile.mixed[MixedKey(11, 8, 990)]))

    def test_one_read_at_a_time_is_none(self) -> None:
        profile = self.built(1)
        self.assertEqual({}, profile.mixed)
        self.assertEqual({1250}, set(profile.beside[BesideKey(10, 1, 990, 64 << 10)]))

    def test_mixtures_alone_make_no_profile(self) -> None:
        with self.assertRaisesRegex(ToolError, "no cost of a read"):
            build.build({cell.parse("mix-rand-4k-d8-r50"): Series([10] * 600, [10] * 600)}, {})

    def test_in_the_simulator_they_are_two_clients(self) -> None:
        step = plan.cell_step(cell.parse("beside-rand-4k-d1-w10"), 30, "100%")
        words = emulated.Emulated.command(plan.beside(step, cell.parse("write-rand-4k-d32"), 5000))
        self.assertEqual("qos", words[0])
        self.assertIn('name=read load="randread bs=4096 iodepth=1"', words)
        self.assertIn('name=write load="randwrite bs=4096 iodepth=32" max_iops=500', words)


class Settling(unittest.TestCase):
    def test_two_stretches_that_differ_little(self) -> None:
        self.assertEqual([False, True, True, False],
                         [measurement.is_settled(*pair) for pair in ((0, 9), (100, 105), (100, 95), (100, 94))])


class Page(Command):
    def test_is_one_file(self) -> None:
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("no matplotlib")
        self.destroy("--html")
        text = (self.path / "profile.html").read_text()
        self.assertEqual(6, text.count("data:image/svg+xml;base64"))
        self.assertNotIn("http", text.replace("http://www.w3.org", ""))
        self.assertIn("Random writes, depth 8", text)
        self.assertNotIn("Not settled", text)

    def test_shows_what_had_not_settled(self) -> None:
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("no matplotlib")
        self.destroy("--html", "--cell-most", "20s", FAKE_FIO_STOPS_IN="write-rand-4k-d8")
        text = (self.path / "profile.html").read_text()
        self.assertIn("<h2>Not settled</h2>", text)
        self.assertIn("write-rand-4k-d8: 9", text)
        self.assertNotIn("<td>unsettled.", text)


if __name__ == "__main__":
    unittest.main()
