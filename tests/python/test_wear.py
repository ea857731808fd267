# SPDX-License-Identifier: GPL-2.0
"""Reports of wear: what is taken of what drives say, and what is not."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import smart_samples as samples
from fake_dmsetup import FakeDmsetup
from smart_samples import GIB, MIB32
from ssdqos import __main__ as tool
from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.smart import ata, commands, nvme
from ssdqos.smart.report import Report, WearError, number


class Numbers(unittest.TestCase):
    def test_however_they_are_written(self) -> None:
        for value, wanted in ((5, 5), (5.0, 5), ("1,234", 1234), (" 7 ", 7), (None, None), ("x", None), (-1, None),
                              (True, None), (float("inf"), None), (float("nan"), None)):
            self.assertEqual(wanted, number(value), value)


class Nvme(unittest.TestCase):
    def test_versions_of_the_tool(self) -> None:
        for log, host_bytes, used_permyriad in ((samples.NVME_CLI_1, 40_000_000 * 512_000, 1200),
                                                (samples.NVME_CLI_2, 81_920_000 * 512_000, 300),
                                                (samples.NVME_FLOAT, 4 * 10**9 * 512_000, 25500)):
            made = nvme.report(log, "x")
            self.assertEqual((host_bytes, used_permyriad, 0), (made.host_bytes, made.used_permyriad, made.flash_bytes))
            made.check()

    def test_percentage_used_saturates(self) -> None:
        self.assertIn("stays at 255", nvme.report(samples.NVME_FLOAT, "x").ignored[0])
        with self.assertRaisesRegex(WearError, "percentage_used is 300"):
            nvme.report({"percentage_used": 300}, "x")

    def test_nothing_is_in_it(self) -> None:
        with self.assertRaisesRegex(WearError, "x has neither"):
            nvme.report({"temperature": 311}, "x")
        with self.assertRaisesRegex(WearError, "says nothing"):
            nvme.report(samples.NVME_NEW, "x").check()


class Ata(unittest.TestCase):
    def check(self, found: dict, host_bytes: int, used_permyriad: int, flash_bytes: int = 0) -> Report:
        made = ata.report(found)
        self.assertEqual((host_bytes, used_permyriad, flash_bytes),
                         (made.host_bytes, made.used_permyriad, made.flash_bytes))
        return made

    def test_statistics_come_first(self) -> None:
        made = self.check(samples.ATA_STANDARD, 50_000_000_000 * 512, 2100)
        self.assertEqual(("Logical Sectors Written", 21000), (made.sources["host_bytes"], made.power_on_h))

    def test_units_in_names(self) -> None:
        self.check(samples.ATA_32MIB, 600_000 * MIB32, 1200, 40_000 * GIB).check()

    def test_one_name_two_makers(self) -> None:
        self.check(samples.ATA_ERASES, 60_000_000_000 * 512, 700)
        made = self.check(samples.ATA_OTHER_177, 18_000 * GIB, 0)
        self.assertIn("attribute 177 Wear_Leveling_Count: its unit or direction", made.ignored[0])

    def test_down_from_100(self) -> None:
        made = self.check(samples.ATA_LEFT, 9_000_000_000 * 512, 400)
        self.assertEqual(["attribute 248 FTL_Program_Page_Count: its unit or direction is not known for sure"],
                         made.ignored)

    def test_those_that_contradict(self) -> None:
        made = self.check(samples.ATA_CONTRADICTS, 0, 0)
        self.assertIn("202 Percent_Lifetime_Remain 96 % used, attribute 231 SSD_Life_Left 4 % used", made.ignored[-1])

    def test_a_drive_that_nobody_knows(self) -> None:
        made = self.check(samples.ATA_UNKNOWN, 0, 0)
        self.assertEqual(2, sum("does not know this drive" in why for why in made.ignored))
        with self.assertRaisesRegex(WearError, "says nothing"):
            made.check()
        self.check(samples.ATA_UNKNOWN_STANDARD, 7_000_000 * 512, 500)
        self.check(samples.ATA_NOT_VALID, 0, 0)

    def test_large_sectors(self) -> None:
        self.check(samples.ATA_4K, 1_000_000 * 4096, 200)


class Plausible(unittest.TestCase):
    def test_what_cannot_be(self) -> None:
        for report, why in ((Report(), "says nothing"), (Report(used_permyriad=25600), "256 % used"),
                            (Report(host_bytes=10**15, power_on_h=1), "after 1 hours of power"),
                            (Report(flash_bytes=10**15, power_on_h=1), "flash_bytes is"),
                            (Report(host_bytes=10, flash_bytes=1001), "more than 100 times")):
            with self.subTest(why), self.assertRaisesRegex(WearError, why):
                report.check()
        Report(host_bytes=10**15, power_on_h=10).check()
        Report(flash_bytes=10**15).check()


class Programs(unittest.TestCase):
    """`programs` by name: what they print and their exit status."""

    def setUp(self) -> None:
        self.programs: dict[str, tuple[object, int]] = {}
        self.called: list[list[str]] = []
        patch = mock.patch.object(commands.subprocess, "run", self.run_program)
        patch.start()
        self.addCleanup(patch.stop)

    def run_program(self, words: list[str], **_: object) -> subprocess.CompletedProcess:
        self.called.append(words)
        if words[0] not in self.programs:
            raise FileNotFoundError(words[0])
        said, status = self.programs[words[0]]
        if said is None:
            raise subprocess.TimeoutExpired(words, 60)
        return subprocess.CompletedProcess(words, status, said if isinstance(said, str) else json.dumps(said), "")


class Reading(Programs):
    def test_how_they_are_called(self) -> None:
        self.programs = {"nvme": (samples.NVME_CLI_1, 0), "smartctl": (samples.ATA_STANDARD, 0)}
        nvme.read(Path("/dev/nvme0n1"))
        ata.read(Path("/dev/sda"))
        self.assertEqual([["nvme", "smart-log", "-o", "json", "/dev/nvme0n1"],
                          ["smartctl", "-j", "-i", "-A", "-l", "devstat", "/dev/sda"]], self.called)

    def test_smartctl_where_nvme_is_not_or_fails(self) -> None:
        self.programs = {"smartctl": (samples.SMARTCTL_NVME, 0)}
        self.assertEqual(123456 * 512_000, nvme.read(Path("/dev/nvme0")).host_bytes)
        self.programs["nvme"] = ({"error": "no"}, 1)
        self.assertEqual(700, nvme.read(Path("/dev/nvme0")).used_permyriad)

    def test_health_is_no_failure(self) -> None:
        self.programs = {"smartctl": (samples.ATA_STANDARD, 0b1000000)}
        self.assertEqual(2100, ata.read(Path("/dev/sda")).used_permyriad)

    def test_says_what_is_wrong(self) -> None:
        cannot = {"smartctl": {"messages": [{"string": "Unable to detect device type", "severity": "error"}]}}
        for programs, read, why in (
                ({}, nvme.read, "nvme is not installed .package nvme-cli., and smartctl is not installed .package smartmontools."),
                ({}, ata.read, "smartctl is not installed .package smartmontools."),
                ({"smartctl": (cannot, 1)}, ata.read, "smartctl cannot read /dev/x: Unable to detect"),
                ({"smartctl": ("", 0)}, ata.read, "gave no JSON: no message"),
                ({"smartctl": ("[1]", 0)}, ata.read, "gave no JSON"),
                ({"smartctl": (None, 0)}, ata.read, "has not answered for 60 s"),
                ({"smartctl": (samples.ATA_TURNS, 0)}, ata.read, "a disk that turns"),
                ({"nvme": ("oops", 0), "smartctl": (samples.ATA_STANDARD, 0)}, nvme.read,
                 "nvme gave no JSON: oops; smartctl found no NVMe")):
            self.programs = programs
            with self.subTest(why), self.assertRaisesRegex(WearError, why):
                read(Path("/dev/x"))


class Sending(Programs):
    def setUp(self) -> None:
        super().setUp()
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.disk, self.other = Path(scratch.name) / "nvme0n1", Path(scratch.name) / "sda"
        self.disk.touch()
        self.other.touch()
        self.dmsetup = FakeDmsetup()
        self.dmsetup.devices = {"gold": [f"0 8 ssdqos {self.disk} 0 0"], "lead": [f"0 8 ssdqos {self.disk} 8 0"],
                                "tin": [f"0 8 linear {self.disk} 0", f"8 8 ssdqos {self.other} 0 2 drive 8:32"]}
        self.programs = {"nvme": (samples.NVME_CLI_1, 0), "smartctl": (samples.ATA_LEFT, 0)}
        for patch in (mock.patch("ssdqos.wear.Dmsetup", self.dmsetup),
                      mock.patch.object(Device, "is_block", lambda _: False)):
            patch.start()
            self.addCleanup(patch.stop)

    def wear(self, *words: str) -> tuple[int, str]:
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            args = tool.parse(["wear", *words])
            return args.main(args), out.getvalue()

    def messages(self) -> list[tuple[str, ...]]:
        return [call[1:] for call in self.dmsetup.calls if call[0] == "message"]

    def test_a_drive_hears_of_it_once(self) -> None:
        self.assertEqual((0, ""), self.wear(str(self.disk)))
        self.assertEqual([("gold", "0", "wear", "host_bytes", "20480000000000", "used_permyriad", "1200")],
                         self.messages())

    def test_a_controller_is_its_namespaces(self) -> None:
        controller = self.disk.with_name("nvme0")
        controller.touch()
        self.wear(str(controller))
        self.assertEqual("gold", self.messages()[0][0])

    def test_where_the_stream_begins(self) -> None:
        self.wear("--from", "ata", str(self.other))
        self.assertEqual([("tin", "8", "wear", "host_bytes", "4608000000000", "used_permyriad", "400")],
                         self.messages())

    def test_a_stream_by_name(self) -> None:
        self.wear("--from", "nvme", "--drive", "tin", str(self.disk))
        self.assertEqual([("tin", "8", "wear")], [call[:3] for call in self.messages()])

    def test_dry_run(self) -> None:
        status, said = self.wear("--dry-run", str(self.other))
        self.assertEqual((0, []), (status, self.messages()))
        self.assertEqual(["host_bytes=4608000000000 (attribute 246 Total_LBAs_Written)",
                          "used_permyriad=400 (attribute 202 Percent_Lifetime_Remain)",
                          "ignored: attribute 248 FTL_Program_Page_Count: its unit or direction is not known for sure"],
                         said.splitlines())

    def test_no_report(self) -> None:
        self.programs["smartctl"] = (samples.ATA_UNKNOWN, 0)
        self.assertEqual((1, "ssdqos: no report of wear: the drive says nothing about its wear that is known "
                             "for sure\n"), self.wear(str(self.other)))
        self.assertEqual((1, "ssdqos: no report of wear: /dev/nothing is not there\n"), self.wear("/dev/nothing"))
        self.assertEqual([], self.messages())

    def test_the_kernel_does_not_believe_it(self) -> None:
        self.dmsetup.refuse = "wear"
        status, said = self.wear(str(self.disk))
        self.assertEqual((1, "ssdqos: no report of wear: gold does not take it: the kernel refuses\n"), (status, said))

    def test_wrong_use(self) -> None:
        self.dmsetup.devices = {}
        with self.assertRaisesRegex(ToolError, "no stream on .*--drive names one"):
            self.wear(str(self.disk))


if __name__ == "__main__":
    unittest.main()
