# SPDX-License-Identifier: GPL-2.0
"""What the tool says when something is wrong: the kernel's own sentence, a hint, by whom; and what it has done."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import ssdqos
from fake_dmsetup import FakeDmsetup
from ssdqos import __main__ as tool
from ssdqos import life_view
from ssdqos.device import Device, System
from ssdqos.errors import ToolError
from ssdqos.streams import dry_run, hints
from ssdqos.streams.kernel_log import KernelLog, best
from test_streams import Machine

TOP = Path(__file__).resolve().parents[2]
REFUSED = ("device-mapper: ssdqos: weight: 0 is not in 1 to 10000",
           "device-mapper: table: 253:0: ssdqos: Invalid parameter (-EINVAL)",
           "device-mapper: ioctl: error adding target to table")


class KernelsSentence(unittest.TestCase):
    def test_ours_not_what_device_mapper_adds(self) -> None:
        self.assertEqual("weight: 0 is not in 1 to 10000", best(list(REFUSED)))

    def test_the_last_of_ours(self) -> None:
        self.assertEqual("two", best(["device-mapper: ssdqos: one", "device-mapper: ssdqos: two", "sd 0: three"]))
        self.assertEqual("it: is small", best(["device-mapper: ssdqos-flash: it: is small", *REFUSED[1:]]))

    def test_else_the_tables_reason(self) -> None:
        self.assertEqual("Invalid device (-EBUSY)", best(
            ["device-mapper: table: 253:0: ssdqos: Invalid device (-EBUSY)", REFUSED[2]]))

    def test_else_device_mappers_own(self) -> None:
        self.assertEqual("device-mapper: ioctl: unable to remove open device x",
                         best(["usb 1-1: new", "device-mapper: ioctl: unable to remove open device x"]))
        self.assertEqual("", best(["usb 1-1: new"]))

    def test_since_it_was_opened(self) -> None:
        reader, writer = os.pipe2(os.O_NONBLOCK)
        log = KernelLog(Path("/nowhere"))
        log.file = reader
        # Records come one with each read; a pipe gives all at once, so one is enough.
        os.write(writer, b"4,1234,5678,-;device-mapper: ssdqos: weight: no\n SUBSYSTEM=block\n")
        self.assertEqual("weight: no", log.last())
        os.close(writer)


class Hints(unittest.TestCase):
    def told(self, kernel: str = "", complaint: str = "", root: bool = True) -> str:
        return hints.explained(kernel, complaint, root, "6.1.0-9")

    def test_the_module_is_missing(self) -> None:
        for text in ("unknown target type (-EINVAL)", "device-mapper: table: 253:0: ssdqos: unknown target type"):
            told = self.told(kernel=text)
            for word in ("dm-ssdqos", "modprobe dm-ssdqos", "dkms status", "6.1.0-9"):
                self.assertIn(word, told)

    def test_not_root(self) -> None:
        told = self.told(complaint="/dev/mapper/control: open failed: Permission denied", root=False)
        self.assertEqual("this is for root only", told)

    def test_no_device_mapper(self) -> None:
        told = self.told(complaint="Failure to communicate with kernel device-mapper driver.")
        self.assertIn("modprobe dm_mod", told)

    def test_the_kernels_sentence_is_better_than_dmsetups(self) -> None:
        self.assertEqual("weight: no", self.told("weight: no", "device-mapper: create ioctl failed"))
        self.assertEqual("dmsetup: Device x not found", self.told("", "Device x not found"))


class Users(unittest.TestCase):
    """A disk of whom others hold parts."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.system = System(self.path / "proc", self.path / "sys")
        self.device = Device(Path("/dev/null"), self.system)  # 1:3
        self.place = self.path / "sys/dev/block/1:3"
        self.place.mkdir(parents=True)
        (self.path / "proc/self").mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def users(self) -> list[str]:
        with mock.patch.object(Device, "is_block", lambda _: True):
            return self.device.users()

    def test_nobody(self) -> None:
        self.assertEqual([], self.users())

    def test_a_file_system(self) -> None:
        self.write("proc/self/mountinfo", "1 2 1:3 / /data rw - ext4 /dev/null rw\n")
        self.assertEqual(["null is mounted on /data"], self.users())

    def test_a_device_above(self) -> None:
        (self.place / "holders/dm-5").mkdir(parents=True)
        self.write("sys/block/dm-5/dm/name", "vg-lv\n")
        self.assertEqual(["null is held by dm-5 (vg-lv)"], self.users())

    def test_swap(self) -> None:
        self.write("proc/swaps", "Filename Type\n/dev/null partition\n")
        with mock.patch.object(Device, "number_of", staticmethod(lambda _: "1:3")):
            self.assertEqual(["/dev/null is swap space"], self.users())

    def test_a_program(self) -> None:
        self.write("proc/77/comm", "fio\n")
        (self.path / "proc/77/fd").mkdir()
        (self.path / "proc/77/fd/3").symlink_to("/dev/null")
        with mock.patch.object(Device, "number_of", staticmethod(lambda name: "1:3" if "fd" in name else "")):
            self.assertEqual(["null is open in fio (pid 77)"], self.users())


class Sentences(Machine):
    def test_busy_by_whom(self) -> None:
        self.create("gold")
        with mock.patch.object(Device, "users", lambda _: ["gold is mounted on /data"]):
            self.dmsetup.refuse, self.dmsetup.why = "remove gold", "dmsetup: remove ioctl failed: Device or resource busy"
            with self.assertRaisesRegex(ToolError, "gold is mounted on /data"):
                self.run_tool("remove", "gold")
            self.dmsetup.refuse = "create tin"
            self.dmsetup.why = "Invalid device (-EBUSY)"
            self.dmsetup.devices.clear()
            with self.assertRaisesRegex(ToolError, "disk is in use: gold is mounted on /data"):
                self.create("tin")

    def test_create_says_what_it_made(self) -> None:
        told = self.run_tool("create", "gold", str(self.disk), "--size", "512m", "--offset", "1m", "--profile",
                             str(self.profile), "min_iops=1000", "window_ms=3000")
        self.assertEqual(f"/dev/mapper/gold: 512 MiB of {self.disk} from 1 MiB on; promised are min_iops=1000 "
                         "window_ms=3000, 5.00 % of the device time\n", told)
        told = self.run_tool("create", "tin", str(self.disk), "--size", "1m")
        self.assertEqual(f"/dev/mapper/tin: 1 MiB of {self.disk} from 0 on; nothing is promised, it gets what is "
                         "left, by weight\n", told)

    def test_names_that_would_be_trouble(self) -> None:
        for name in ("a b", "a/b", "-x", ".x", "", "x" * 128, "a\nb", "ä"):
            with self.subTest(name), self.assertRaisesRegex(ToolError, "is no name for a stream"):
                tool.load("create").check_name(name)
        with self.assertRaisesRegex(ToolError, "is no name for a stream"):
            self.run_tool("create", "a b", str(self.disk))

    def test_a_profile_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(ToolError, "nothing cannot be read: No such file"):
            self.create("gold", "--profile", str(self.path / "nothing"))
        self.create("gold")
        with self.assertRaisesRegex(ToolError, "nothing cannot be read: No such file"):
            self.run_tool("set", "gold", "--profile", str(self.path / "nothing"))

    def test_overlaps_are_refused(self) -> None:
        self.create("gold", "--offset", "1m", "--size", "1m")
        for words in (("--offset", "2047k", "--size", "4k"), ("--size", "1025k"), (), ("--offset", "1500k"),
                      ("--offset", "1m", "--size", "1m")):
            with self.subTest(words), self.assertRaisesRegex(
                    ToolError, r"gold has 1 MiB to 2 MiB of .*disk already: --offset 2m begins behind it"):
                self.create("tin", *words)
        self.assertEqual({"gold"}, set(self.dmsetup.devices))
        self.create("tin", "--size", "1m")
        self.create("lead", "--offset", "2m")

    def test_overlaps_of_a_partition_and_its_disk(self) -> None:
        self.dmsetup.devices["gold"] = ["0 8 ssdqos 8:17 0 0"]
        block = self.path / "kernel/dev/block"
        part = self.path / "kernel/devices/disk/sdb1"
        part.mkdir()
        (part / "partition").write_text("1\n")
        (part / "start").write_text("2048\n")
        (self.path / "kernel/devices/disk/dev").write_text("0:0\n")
        (block / "8:17").symlink_to(part)
        with self.assertRaisesRegex(ToolError, "gold has"):
            self.create("tin", "--offset", "1m", "--size", "4k")
        self.create("tin", "--size", "1m")
        self.create("lead", "--offset", "1028k", "--size", "4k")

    def volume(self, *lines: str) -> None:
        """The disk of the test is a mapped device on 8:16 and 8:32, as a logical volume is."""
        mapped = self.path / "kernel/devices/disk/dm"
        mapped.mkdir(exist_ok=True)
        (mapped / "name").write_text("volume\n")
        self.dmsetup.devices["volume"] = list(lines)

    def test_what_would_do_on_a_volume_is_said_of_the_volume(self) -> None:
        self.volume("0 4096 linear 8:16 1048576", "4096 2093056 linear 8:32 0")
        self.create("gold", "--size", "1m")
        with self.assertRaisesRegex(ToolError, "gold has 0 to 1 MiB of .*disk already: --offset 1m begins behind it"):
            self.create("tin")
        self.create("tin", "--offset", "1m")

    def test_overlaps_of_a_volume_and_the_disk_below(self) -> None:
        self.volume("0 100 linear 8:16 2048", "100 1000 linear 8:32 0")
        for taken, overlaps in (("8:16 2047", True), ("8:16 2140", True), ("8:16 2148", False), ("8:16 2040", False),
                                ("8:32 150", True), ("8:32 1000", False)):
            self.dmsetup.devices["gold"] = [f"0 8 ssdqos {taken} 0"]
            with self.subTest(taken):
                if overlaps:
                    with self.assertRaisesRegex(ToolError, "gold has sectors of .*disk already: both lie on"):
                        self.create("tin", "--size", "128k")
                else:
                    self.create("tin", "--size", "128k")
                    self.run_tool("remove", "tin")

    def test_overlaps_of_two_ways_down(self) -> None:
        for line, overlaps in (("0 4096 striped 2 128 8:16 0 8:32 64", True), ("0 4096 crypt aes - 0 8:16 4090", False),
                               ("0 4096 crypt aes - 0 8:16 996", True), ("0 4096 ssdqos 8:16 0 0", False)):
            self.volume(line)
            self.dmsetup.devices["gold"] = ["0 8 ssdqos 8:16 1000 0"]
            with self.subTest(line):
                if overlaps:
                    self.assertRaisesRegex(ToolError, "gold has", self.create, "tin", "--size", "4k")
                else:
                    self.create("tin", "--size", "4k")
                    self.run_tool("remove", "tin")

    def test_a_volume_on_itself(self) -> None:
        self.volume("0 4096 linear 0:0 0")
        with self.assertRaisesRegex(ToolError, "volume lies on itself"):
            self.create("tin", "--size", "4k")

    def test_a_floor_is_proposed(self) -> None:
        directory = self.path / "stream"
        for key, value in (("drive_throttle", "ready_opt"), ("drive_floor_kb_s", "0"), ("drive_lifetime_h", "43800"),
                           ("drive_endurance_gb", "600000"), ("drive_max_delay_ms", "100")):
            path = directory / "params" / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{value}\n")
        told = life_view.terms(directory)
        self.assertIn("600 TB in 5 y are 3.8 MB/s", told)
        self.assertIn("drive_floor_kb_s=951", told)
        (directory / "params/drive_throttle").write_text("horizon\n")
        told = life_view.terms(directory)
        self.assertIn("never slower than 951 KB/s", told)
        self.assertIn("100 ms", told)
        (directory / "params/drive_throttle").write_text("none\n")
        self.assertIn("nothing is throttled", life_view.terms(directory))
        (directory / "params/drive_endurance_gb").write_text("0\n")
        self.assertEqual("", life_view.terms(directory))


class DryRuns(Machine):
    """Commands are printed, and nothing is changed."""

    def setUp(self) -> None:
        super().setUp()
        self.etc = self.path / "etc"
        self.create("gold", "--size", "1m", "--profile", str(self.profile))
        self.run_tool("save", "--dir", str(self.etc))
        patch = mock.patch.object(dry_run.Dmsetup, "run", lambda _, *words, text=None: self.asked(*words, text=text))
        patch.start()
        self.addCleanup(patch.stop)

    def asked(self, *words: str, text: str | None) -> str:
        self.assertNotIn(words[0], dry_run.CHANGES)
        return FakeDmsetup.run(self.dmsetup, *words, text=text)

    def told(self, *words: str) -> list[str]:
        before = self.all_there_is()
        told = self.run_tool(*words, "--dry-run")
        self.assertEqual(before, self.all_there_is())
        return told.splitlines()

    def all_there_is(self) -> tuple[dict[str, list[str]], list[Path]]:
        return dict(self.dmsetup.devices), sorted(path for path in self.path.rglob("*") if path.name != "lock")

    def test_create(self) -> None:
        told = self.told("create", "tin", str(self.disk), "--offset", "1m", "--size", "4k", "--profile",
                         str(self.profile), "min_iops=100")
        self.assertEqual(["dmsetup create tin --uuid SSDQOS-tin", f"    0 8 ssdqos {self.disk} 2048"], told[:2])
        self.assertTrue(told[2].startswith("dmsetup message tin 0 profile 'ssdqos-profile 1 "))
        self.assertEqual("dmsetup message tin 0 set min_iops 100", told[3])
        with self.assertRaisesRegex(ToolError, "already"):
            self.told("create", "tin", str(self.disk))

    def test_set(self) -> None:
        self.assertEqual(["dmsetup message gold 0 set weight 7"], self.told("set", "gold", "weight=7"))

    def test_remove(self) -> None:
        self.assertEqual(["dmsetup remove gold", f"rm {self.etc}/gold.conf"],
                         self.told("remove", "gold", "--forget", "--dir", str(self.etc)))

    def test_restore(self) -> None:
        del self.dmsetup.devices["gold"]
        told = self.told("restore", "--all", "--dir", str(self.etc))
        self.assertIn("dmsetup create gold --uuid SSDQOS-gold", told)


class Promising(Machine):
    QUESTION = ("--read", "rand", "--bs", "4k", "--iops", "1000", "--window", "3s", "--confidence", "99")

    def messages(self) -> list[str]:
        return [call[3] for call in self.dmsetup.calls if call[0] == "message"]

    def test_a_question_changes_nothing(self) -> None:
        self.create("gold", "--profile", str(self.profile), "min_iops=5")
        before = list(self.dmsetup.devices["gold"])
        for fits in (1, 0):
            self.dmsetup.fits = fits
            told = self.run_tool("admit", "gold", *self.QUESTION)
            self.assertEqual((before, int(not fits)), (self.dmsetup.devices["gold"], self.status))
            self.assertNotIn("is promised", told)
        self.assertEqual(2, self.messages().count("admit"))

    def test_json(self) -> None:
        self.create("gold")
        told = json.loads(self.run_tool("admit", "gold", *self.QUESTION, "--json"))
        self.assertEqual((1, 100000, 250), (told["fits"], told["util_ppm"], told["fit_iops"]))

    def test_apply_promises(self) -> None:
        self.create("gold")
        self.dmsetup.profiles["8:16"] = "x"
        self.assertIn("gold is promised that now.", self.run_tool("admit", "gold", *self.QUESTION, "--apply"))
        self.assertIn("min_iops 1000", self.dmsetup.devices["gold"][0])

    def test_apply_in_place_of_another(self) -> None:
        self.create("gold", "--profile", str(self.profile), "min_iops=5")
        self.dmsetup.fits = 0
        told = self.run_tool("admit", "gold", *self.QUESTION, "--apply")
        self.assertIn("gold is promised that now, in place of the 5.00 % that it had.", told)
        self.assertEqual(0, self.status)

    def test_the_kernel_refuses_it(self) -> None:
        self.create("gold", "--profile", str(self.profile), "min_iops=5")
        self.dmsetup.refuse = "set min_iops"
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.run_tool("admit", "gold", *self.QUESTION, "--apply")
        self.assertEqual((1, "ssdqos: the kernel refuses\n"), (self.status, told.getvalue()))

    def test_apply_is_for_a_stream_that_is_there(self) -> None:
        self.create("gold")
        for more in (("--drive", "gold"), ("--profile", str(self.profile))):
            with self.assertRaisesRegex(ToolError, "--apply"):
                self.run_tool("admit", "tin", *self.QUESTION, "--apply", *more)


class Program(unittest.TestCase):
    def run_it(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-m", "ssdqos", *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(TOP / "tools")})

    def test_version(self) -> None:
        package = (TOP / "dkms.conf").read_text().split('PACKAGE_VERSION="')[1].split('"')[0]
        self.assertEqual(package, ssdqos.__version__)
        self.assertEqual((0, f"ssdqos {package}\n"), (self.run_it("--version").returncode,
                                                      self.run_it("--version").stdout))

    def test_is_called_ssdqos(self) -> None:
        for words in ((), ("--help",), ("create",), ("create", "--help")):
            done = self.run_it(*words)
            self.assertNotIn("python3 -m", done.stdout + done.stderr)

    def test_an_error_of_the_system_is_a_sentence(self) -> None:
        def fail(_: object) -> int:
            raise PermissionError(13, "Permission denied", "/run/ssdqos/lock")
        with mock.patch.object(tool, "parse", lambda _: mock.Mock(main=fail)), \
                contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(2, tool.main())
        self.assertEqual("ssdqos: /run/ssdqos/lock: Permission denied\n", told.getvalue())


if __name__ == "__main__":
    unittest.main()
