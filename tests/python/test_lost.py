# SPDX-License-Identifier: GPL-2.0
"""Disks that come back under another number, streams that come back unasked, lives that are gone unsaved."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

import fake_life
from ssdqos.device import System
from ssdqos.errors import ToolError
from ssdqos.streams import segment
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.maker import Maker
from test_streams import Machine

TOP = Path(__file__).resolve().parents[2]


class Told(Machine):
    def setUp(self) -> None:
        super().setUp()
        self.etc = self.path / "etc"

    def tell(self, *words: str) -> str:
        """What goes to stderr."""
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.out = self.run_tool(*words)
        return told.getvalue()

    def save(self) -> None:
        self.run_tool("save", "--dir", str(self.etc))

    def restore(self, *words: str) -> str:
        return self.tell("restore", *words, "--dir", str(self.etc))


class Replugged(Told):
    """gold stands on a disk that was 8:16; it was unplugged, and is `disk` again."""

    def setUp(self) -> None:
        super().setUp()
        self.create("gold", "--profile", str(self.profile), "--offset", "1m", "min_iops=1000", "window_ms=3000")
        self.save()
        self.line = self.dmsetup.devices["gold"][0]
        self.dmsetup.devices["gold"] = [self.line.replace(str(self.disk), "8:16")]
        self.dmsetup.profiles.clear()

    def is_new(self) -> None:
        self.assertEqual([self.line], self.dmsetup.devices["gold"])
        self.assertIn("8:16", self.dmsetup.profiles)
        self.assertEqual(0, self.status)

    def test_its_table_gets_the_new_number(self) -> None:
        for words in (("gold",), ("--all",), ("--device", str(self.disk))):
            with self.subTest(words):
                self.dmsetup.devices["gold"] = [self.line.replace(str(self.disk), "8:16")]
                self.dmsetup.profiles.clear()
                self.restore(*words)
                self.is_new()
                self.assertIn(f"gold: its disk was 8:16 and is {self.disk} now", self.out)

    def test_one_that_is_in_order_is_left_alone(self) -> None:
        self.dmsetup.devices["gold"] = [self.line]
        self.restore("--all")
        self.assertNotIn("reload", [call[0] for call in self.dmsetup.calls])
        self.assertEqual("", self.out)

    def test_what_was_changed_meanwhile_stays(self) -> None:
        self.dmsetup.devices["gold"] = ["0 2095104 ssdqos 8:16 2048 6 weight 7 window_ms 3000 min_iops 500"]
        self.restore("gold")
        self.assertEqual([f"0 2095104 ssdqos {self.disk} 2048 6 weight 7 window_ms 3000 min_iops 500"],
                         self.dmsetup.devices["gold"])

    def test_a_number_that_the_next_disk_has_got(self) -> None:
        kernel = self.path / "kernel"
        (kernel / "block/dm-7/dm").mkdir(parents=True)
        (kernel / "block/dm-7/dm/name").write_text("gold\n")
        self.dmsetup.devices["gold"] = [self.line.replace(str(self.disk), "0:0")]
        self.restore("--all")
        self.assertEqual([self.line], self.dmsetup.devices["gold"])
        self.assertEqual(["0 2095104 error"], self.dmsetup.tables[0], "what it held was let go first")
        (kernel / "devices/disk/holders/dm-7").mkdir(parents=True)
        self.dmsetup.tables.clear()
        self.restore("--all")
        self.assertEqual([], self.dmsetup.tables, "it holds the disk that is there")

    def test_a_disk_that_fails_again_can_be_given_later(self) -> None:
        """It was let go of the number that the disk has again, and the new table was refused."""
        self.dmsetup.devices["gold"] = ["0 2095104 error"]
        self.dmsetup.profiles.clear()
        self.restore("--all")
        self.is_new()
        self.assertIn(f"gold: its disk is {self.disk} now", self.out)
        self.dmsetup.devices["gold"] = ["0 8 error"]
        self.assertIn("gold is not as long as gold.conf says", self.restore("--all"))
        with mock.patch.object(type(self.dmsetup), "is_ours", lambda *_: False):
            self.assertIn("gold, which is no stream", self.restore("--all"))

    def test_no_healthy_stream_is_moved(self) -> None:
        (self.path / "kernel/dev/block/8:16").symlink_to(self.path / "kernel/devices/disk")
        for words in (("--all",), ("--device", str(self.disk))):
            self.assertIn("it stands on 8:16, which is there", self.restore(*words))
            self.assertEqual(1, self.status)
        with self.assertRaisesRegex(ToolError, "which is there"):
            self.restore("gold")

    def test_a_name_that_any_disk_may_have_is_not_enough(self) -> None:
        dev = self.path / "dev"
        dev.mkdir()
        node = dev / "sdb"
        node.touch()
        path = self.etc / "gold.conf"
        path.write_text(path.read_text().replace(str(self.disk), str(node)))
        self.assertIn("may be any disk: ssdqos restore gold puts", self.restore("--all"))
        self.assertEqual(1, self.status)
        self.restore("gold")
        self.assertIn(str(node), self.dmsetup.devices["gold"][0])
        link = dev / "by-id"
        link.symlink_to(node)
        path.write_text(path.read_text().replace(str(node), str(link)))
        self.dmsetup.devices["gold"] = [self.line.replace(str(self.disk), "8:16")]
        self.restore("--all")
        self.assertIn(str(link), self.dmsetup.devices["gold"][0])

    def test_a_disk_that_is_not_back_is_told(self) -> None:
        self.disk.unlink()
        self.assertRegex(self.restore("--all"), r"ssdqos: gold\.conf: its disk 8:16 has gone, and .*/disk is not there")
        self.assertEqual(1, self.status)
        with self.assertRaisesRegex(ToolError, "its disk 8:16 has gone"):
            self.restore("gold")

    def test_other_places_on_the_disk_are_not_guessed(self) -> None:
        self.dmsetup.devices["gold"] = [self.line.replace(str(self.disk), "8:16").replace("2048", "4096")]
        self.assertIn("other places", self.restore("--all"))
        self.assertEqual(1, self.status)

    def test_a_table_that_is_refused_changes_nothing(self) -> None:
        self.dmsetup.refuse = "reload"
        old = list(self.dmsetup.devices["gold"])
        self.assertIn("the kernel refuses", self.restore("--all"))
        self.assertEqual((1, old), (self.status, self.dmsetup.devices["gold"]))

    def test_another_device_of_that_name(self) -> None:
        self.dmsetup.devices["gold"] = ["0 8 linear 8:16 0"]
        self.assertIn("gold, which is no stream", self.restore("--all"))
        self.assertEqual(1, self.status)

    def test_its_life_goes_on(self) -> None:
        stream = fake_life.make(self.sysfs, "dm-0", "gold",
                                raw=fake_life.raw_state(life_ns=5 * 10**9, host_bytes=700))
        self.restore("gold")
        self.assertEqual((stream / "life_state").read_bytes(), (self.var / "disk.life").read_bytes())

    def test_a_device_for_the_lifetime_needs_no_holder(self) -> None:
        """The target has it, and not the device mapper."""
        kernel = self.path / "kernel"
        (kernel / "block/dm-7/dm").mkdir(parents=True)
        (kernel / "block/dm-7/dm/name").write_text("gold\n")
        (kernel / "devices/disk/holders/dm-7").mkdir(parents=True)
        (kernel / "dev/block/8:1").symlink_to(kernel / "devices/disk/holders")
        maker = Maker(self.dmsetup, self.memory, DiskNames(self.path / "dev", System(self.path / "proc", kernel)))
        for meta, gone in (("8:1", []), ("8:2", ["8:2"])):
            live = [segment.parse(f"0 8 ssdqos 0:0 0 2 drive_meta {meta}")]
            self.assertEqual(gone, maker.gone("gold", live))

    def test_a_device_for_the_lifetime_comes_last(self) -> None:
        meta = self.path / "meta"
        del self.dmsetup.devices["gold"]
        path = self.etc / "gold.conf"
        path.write_text(path.read_text() + f"drive_meta = {meta}\n")
        self.restore("--device", str(self.disk))
        self.assertEqual({}, self.dmsetup.devices)
        meta.touch()
        self.restore("--device", str(meta))
        self.assertIn("gold", self.dmsetup.devices)


class Removed(Told):
    def setUp(self) -> None:
        super().setUp()
        self.create("gold")
        self.save()
        self.file = self.etc / "gold.conf"

    def remove(self, *words: str) -> str:
        return self.run_tool("remove", "gold", "--dir", str(self.etc), *words)

    def test_says_that_it_comes_back(self) -> None:
        self.assertRegex(self.remove(), r"gold\.conf stays: .*at the next boot.*ssdqos remove --forget gold")
        self.assertTrue(self.file.exists())

    def test_nothing_to_say(self) -> None:
        self.file.unlink()
        self.assertEqual("", self.remove())

    def test_forgets_it(self) -> None:
        self.assertIn(f"{self.file} is gone", self.remove("--forget"))
        self.assertEqual((False, {}), (self.file.exists(), self.dmsetup.devices))

    def test_forgets_one_that_is_not_live(self) -> None:
        del self.dmsetup.devices["gold"]
        self.remove("--forget")
        self.assertFalse(self.file.exists())
        with self.assertRaisesRegex(ToolError, "does not exist"):
            self.remove("--forget")

    def test_forgets_nothing_that_is_busy(self) -> None:
        self.dmsetup.refuse = "remove gold"
        with self.assertRaises(ToolError):
            self.remove("--forget")
        self.assertTrue(self.file.exists())

    def test_an_event_of_its_disk_does_not_bring_it_back(self) -> None:
        self.remove()
        self.restore("--device", str(self.disk))
        self.assertEqual({}, self.dmsetup.devices)
        self.restore("--all")
        self.assertIn("gold", self.dmsetup.devices)
        self.remove()
        self.restore("gold")
        del self.dmsetup.devices["gold"]
        self.restore("--device", str(self.disk))
        self.assertIn("gold", self.dmsetup.devices, "it was wanted again")


class OneAtATime(Told):
    """A drive that has just come back has a new life until the old one goes on: nobody looks between."""

    def is_locked(self) -> bool:
        with (self.path / "run" / "lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def locked_in(self, function: str, *words: str) -> bool:
        seen = []
        with mock.patch(f"ssdqos.{function}", lambda *_: seen.append(self.is_locked()) or True):
            self.tell(*words)
        return bool(seen) and all(seen)

    def test_a_save_waits_for_a_restore(self) -> None:
        self.assertTrue(self.locked_in("restore.goes_on", "restore", "--life"))
        self.assertTrue(self.locked_in("save.keep", "save", "--life"))

    def test_a_save_waits_for_a_drive_that_is_made(self) -> None:
        self.assertTrue(self.locked_in("create.goes_on", "create", "gold", str(self.disk)))

    def test_a_save_waits_for_a_removal(self) -> None:
        self.create("gold")
        self.assertTrue(self.locked_in("remove.keep", "remove", "gold"))

    def test_a_stream_that_goes_while_we_look_is_none(self) -> None:
        self.create("gold", "--size", "64m")
        self.create("other", "--offset", "64m")

        def goes(name: str, text: str | None) -> str:
            self.dmsetup.devices.pop("other", None)
            return "\n".join(self.dmsetup.lines(name)) + "\n"

        with mock.patch.object(self.dmsetup, "do_table", goes):
            self.assertEqual("", self.tell("save", "--life"))
        self.assertEqual(0, self.status)

    def test_who_is_not_root_is_told(self) -> None:
        with mock.patch("pathlib.Path.open", side_effect=PermissionError):
            with self.assertRaisesRegex(ToolError, "^this is for root only$"):
                self.run_tool("save", "--life")


class Expected(Told):
    """A save that finds nothing where there was a life is no success."""

    def setUp(self) -> None:
        super().setUp()
        self.create("gold")
        fake_life.make(self.sysfs, "dm-0", "gold", raw=fake_life.raw_state(life_ns=5 * 10**9, host_bytes=500))
        self.run_tool("save", "--life")

    def test_streams_that_have_gone(self) -> None:
        del self.dmsetup.devices["gold"]
        told = self.tell("save", "--life")
        self.assertRegex(told, r"drive disk: its lifetime was not saved, its streams have gone: .*disk\.life is older")
        self.assertEqual(1, self.status)

    def test_known_since_it_was_made_or_restored(self) -> None:
        for words in (("restore", "--life"), ("set", "gold", "drive_lifetime_h=5")):
            with self.subTest(words):
                (self.path / "run/lives").unlink(missing_ok=True)
                self.run_tool(*words)
                line = self.dmsetup.devices.pop("gold")
                self.tell("save", "--life")
                self.assertEqual(1, self.status)
                self.dmsetup.devices["gold"] = line

    def test_one_that_is_made_meanwhile_hides_nothing(self) -> None:
        del self.dmsetup.devices["gold"]
        self.tell("restore", "--life")
        self.tell("save", "--life")
        self.assertEqual(1, self.status)

    def test_is_told_once(self) -> None:
        del self.dmsetup.devices["gold"]
        self.tell("save", "--life")
        self.assertEqual(("", 0), (self.tell("save", "--life"), self.status))

    def test_what_is_there_is_enough_for_the_late_one(self) -> None:
        del self.dmsetup.devices["gold"]
        self.assertEqual(("", 0), (self.tell("save", "--life", "--present"), self.status))

    def test_remove_saves_first(self) -> None:
        fake_life.make(self.sysfs, "dm-0", "gold", raw=fake_life.raw_state(life_ns=6 * 10**9, host_bytes=800))
        self.tell("remove", "gold", "--dir", str(self.etc))
        raw = (self.sysfs / "dm-0/ssdqos/life_state").read_bytes()
        self.assertEqual(raw, (self.var / "disk.life").read_bytes())
        self.assertEqual(("", 0), (self.tell("save", "--life"), self.status))

    def test_wear_that_is_not_counted_any_more(self) -> None:
        (self.sysfs / "dm-0/ssdqos/life_state").unlink()
        self.assertEqual(("", 0), (self.tell("save", "--life"), self.status))


class Stopped(unittest.TestCase):
    def test_sigterm_leaves_nothing_half_done(self) -> None:
        code = ("import os, signal, sys; sys.argv[1:] = ['metrics']; from ssdqos import __main__, metrics\n"
                "def main(args):\n"
                "    try:\n        os.kill(os.getpid(), signal.SIGTERM)\n"
                "    finally:\n        print('tidied')\n"
                "metrics.main = main; sys.exit(__main__.main())")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(TOP / "tools")})
        self.assertEqual((128 + signal.SIGTERM, "tidied\n", ""), (done.returncode, done.stdout, done.stderr))


if __name__ == "__main__":
    unittest.main()
