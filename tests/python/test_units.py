# SPDX-License-Identifier: GPL-2.0
"""Units of systemd, the rule of udev, and what is left of them afterwards."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
UNITS = TOP / "tools/systemd"
ON_STREAM = TOP / "tools/udev/is-saved"
# Started again and again, and hence also while the machine is shut down.
BY_TIMER = ("ssdqos-metrics.service", "ssdqos-save.service", "ssdqos-wear@.service")


def lines(name: str) -> list[str]:
    return [line for line in (UNITS / name).read_text().splitlines() if line and not line.startswith("#")]


def values(name: str, key: str) -> list[str]:
    """All words of all lines KEY=."""
    return [word for line in lines(name) if line.startswith(f"{key}=") for word in line.split("=", 1)[1].split()]


class Order(unittest.TestCase):
    def test_lives_are_saved_before_devices_are_removed(self) -> None:
        # Units stop in the reverse order.
        self.assertIn("blk-availability.service", values("ssdqos-life.service", "After"))

    def test_one_life_that_fails_keeps_none_from_being_saved(self) -> None:
        """systemd ends no unit that did not begin, and does no step behind one that failed."""
        for line in lines("ssdqos-life.service"):
            if line.startswith("ExecStart="):
                self.assertTrue(line.startswith("ExecStart=-"), line)
        for name in ("ssdqos-life.service", "ssdqos-life-late.service"):
            stops = [line for line in lines(name) if line.startswith("ExecStop=")]
            self.assertEqual([True] * (len(stops) - 1) + [False], [line.startswith("ExecStop=-") for line in stops])

    def test_what_services_write_while_they_stop_is_saved_too(self) -> None:
        self.assertIn("basic.target", values("ssdqos-life-late.service", "Before"))
        self.assertIn("local-fs.target", values("ssdqos-life-late.service", "After"))
        self.assertIn("ssdqos-life-late.service", values("ssdqos-life.service", "Also"))

    def test_the_late_one_is_in_no_circle(self) -> None:
        # blk-availability comes after the network where there is iSCSI, and that after basic.target.
        self.assertNotIn("blk-availability.service", values("ssdqos-life-late.service", "After"))

    def test_a_stop_has_a_bound(self) -> None:
        for name in ("ssdqos-life.service", "ssdqos-life-late.service"):
            self.assertRegex("\n".join(lines(name)), r"(?m)^TimeoutStopSec=\d+s$")

    def test_a_shutdown_is_no_failure_of_theirs(self) -> None:
        for name in BY_TIMER:
            with self.subTest(name):
                self.assertEqual({"SIGTERM", "143"}, set(values(name, "SuccessExitStatus")))


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class Systemd(unittest.TestCase):
    """It reads them itself, and finds nothing wrong."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        for unit in UNITS.iterdir():
            text = unit.read_text().replace("@SBINDIR@/ssdqos", shutil.which("true"))
            # The manual is not installed here.
            (self.path / unit.name).write_text(re.sub(r"Documentation=.*\n", "", text))

    def test_verify(self) -> None:
        names = sorted(str(path) for path in self.path.iterdir())
        done = subprocess.run(["systemd-analyze", "verify", "--recursive-errors=no", *names], capture_output=True,
                              text=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_they_may_do_little_else(self) -> None:
        for name in sorted(path.name for path in UNITS.glob("*.service")):
            with self.subTest(name):
                for key in ("NoNewPrivileges", "LockPersonality", "RestrictRealtime", "RestrictNamespaces"):
                    self.assertEqual(["yes"], values(name, key))


class Saved(unittest.TestCase):
    """The question that the rule of udev asks for each disk: does a stream stand on it?"""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.etc = Path(scratch.name)

    def ask(self, *names: str) -> int:
        done = subprocess.run(["sh", str(ON_STREAM), *names], env={**os.environ, "SSDQOS_ETC": str(self.etc)},
                              capture_output=True, text=True, check=False)
        self.assertEqual(("", ""), (done.stdout, done.stderr))
        return done.returncode

    def conf(self, name: str, *lines_of_it: str) -> None:
        (self.etc / name).write_text("\n".join(lines_of_it) + "\n")

    def test_nothing_was_saved(self) -> None:
        self.assertEqual(1, self.ask("sda", "disk/by-id/ata-x"))
        self.etc = self.etc / "missing"
        self.assertEqual(1, self.ask("sda"))

    def test_by_any_name_of_the_disk(self) -> None:
        self.conf("gold.conf", "[segment 1]", "device = /dev/disk/by-id/ata-x", "offset_bytes = 0")
        self.conf("tin.conf", "[segment 1]", "device=/dev/vg/lv", "offset_bytes = 0")
        self.assertEqual(0, self.ask("sda", "disk/by-path/pci-1", "disk/by-id/ata-x"))
        self.assertEqual(0, self.ask("dm-3", "vg/lv", "mapper/vg-lv"))
        self.assertEqual(1, self.ask("sdb", "disk/by-id/ata-xy", "disk/by-id/ata"))
        self.assertEqual(1, self.ask("sda"))

    def test_a_device_for_the_lifetime_counts(self) -> None:
        self.conf("gold.conf", "[segment 1]", "device = /dev/sdx", "drive_meta = /dev/disk/by-partuuid/5")
        self.assertEqual(0, self.ask("sdb1", "disk/by-partuuid/5"))

    def test_all_devices_of_a_mirror_count(self) -> None:
        self.conf("pair.conf", "[mirror]", "meta_device = /dev/vg/meta", "[member 0]", "device = /dev/sdx",
                  "[member 1]", "device = /dev/disk/by-id/ata-y")
        for names in (("dm-1", "vg/meta"), ("sdx",), ("sdc", "disk/by-id/ata-y")):
            self.assertEqual(0, self.ask(*names), names)

    def test_a_mirrors_journal_counts(self) -> None:
        self.conf("pair.conf", "[mirror]", "journal = /dev/sdd1")
        self.assertEqual(0, self.ask("sdd1"))

    def test_keys_may_be_written_as_the_tool_reads_them(self) -> None:
        self.conf("gold.conf", "[segment 1]", "  Device = /dev/sdx")
        self.assertEqual(0, self.ask("sdx"))

    def test_names_are_no_patterns(self) -> None:
        self.conf("gold.conf", "device = /dev/sda1", "# device = /dev/sdc", "profile = /dev/sdd")
        for name in ("sda.", "sda*", "sd", "sdc", "sdd"):
            self.assertEqual(1, self.ask(name))

    def test_only_confs_count(self) -> None:
        self.conf(".gold.conf.new", "device = /dev/sda")
        self.conf("gold.profile", "device = /dev/sda")
        self.assertEqual(1, self.ask("sda"))


class Rule(unittest.TestCase):
    def test_asks_before_it_starts_anything(self) -> None:
        rule = (TOP / "tools/udev/69-ssdqos.rules").read_text()
        asked = rule.index('PROGRAM!="@PYTHONDIR@/is-saved $name $links", GOTO="ssdqos_end"')
        self.assertLess(asked, rule.index("SYSTEMD_WANTS"))


class Uninstalled(unittest.TestCase):
    """Links of units that were enabled, and what was exported, go with the tool."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)

    def make(self, what: str) -> str:
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
        done = subprocess.run(["make", "-s", "-C", str(TOP), what, f"DESTDIR={self.root}", "PREFIX=/opt/x"],
                              check=True, env=environment, capture_output=True, text=True)
        return done.stdout

    def link(self, place: str, target: str) -> Path:
        path = self.root / "etc/systemd/system" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
        return path

    def test_nothing_dangles(self) -> None:
        self.make("install-tools")
        units = "/opt/x/lib/systemd/system"
        mine = [self.link("multi-user.target.wants/ssdqos-life.service", f"{units}/ssdqos-life.service"),
                self.link("basic.target.wants/ssdqos-life-late.service", f"{units}/ssdqos-life-late.service"),
                self.link("timers.target.wants/ssdqos-wear@nvme0n1.timer", f"{units}/ssdqos-wear@.timer")]
        other = self.link("timers.target.wants/other.timer", "/usr/lib/systemd/system/other.timer")
        exported = self.root / "var/lib/prometheus/node-exporter/ssdqos.prom"
        kept = [self.root / "etc/ssdqos/gold.conf", self.root / "var/lib/ssdqos/disk.life"]
        for path in (exported, *kept):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        told = self.make("uninstall-tools")
        for path in (*mine, exported):
            self.assertFalse(path.is_symlink() or path.exists(), path)
        self.assertTrue(other.is_symlink())
        for path in kept:
            self.assertTrue(path.exists())
            self.assertIn(str(path.parent), told)
        self.assertEqual([], [path for path in (self.root / "opt").rglob("*") if path.is_file()])

    def test_twice(self) -> None:
        self.make("install-tools")
        self.make("uninstall-tools")
        self.assertEqual("", self.make("uninstall-tools"))

    def test_a_rule_that_finds_what_it_asks(self) -> None:
        self.make("install-tools")
        rule = (self.root / "opt/x/lib/udev/rules.d/69-ssdqos.rules").read_text()
        program = re.search(r'PROGRAM!="(\S+) ', rule)[1]
        self.assertTrue(os.access(f"{self.root}{program}", os.X_OK), program)


if __name__ == "__main__":
    unittest.main()
