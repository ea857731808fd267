# SPDX-License-Identifier: GPL-2.0
"""Streams: made, changed, written down and made again, with a dmsetup that is none."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fake_life
from fake_dmsetup import NOTHING, FakeDmsetup
from ssdqos import __main__ as tool
from ssdqos import restore
from ssdqos.device import Device, System
from ssdqos.errors import ToolError
from ssdqos.lifetime import place, state
from ssdqos.lifetime.keeper import Keeper
from ssdqos.lifetime.place import Place
from ssdqos.streams import conf, segment, status
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.memory import Memory

PROFILE = """\
ssdqos-profile 1
meta model X
window_ms 1000 3000
cost read rand 4096 32 990 150000 100000
cost write rand 4096 32 990 800000 400000
"""


class Machine(unittest.TestCase):
    """A disk of 1 GiB, /tmp/.../disk, and no streams."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.disk, self.profile = self.path / "disk", self.path / "profile"
        self.disk.touch()
        self.profile.write_text(PROFILE)
        self.dmsetup = FakeDmsetup()
        self.memory = Memory(self.path / "run")
        names = DiskNames(self.path / "dev", System(self.path / "proc", self.path / "kernel"))
        numbers = self.path / "kernel/dev/block"
        (self.path / "kernel/devices/disk").mkdir(parents=True)
        numbers.mkdir(parents=True)
        (numbers / "0:0").symlink_to(self.path / "kernel/devices/disk")
        patches = [mock.patch(f"ssdqos.{where}.Dmsetup", self.dmsetup)
                   for where in ("admit", "remove", "set", "save")]
        patches += [mock.patch(f"ssdqos.{where}.Memory", lambda: self.memory) for where in ("remove", "set", "save")]
        maker = restore.Maker
        patches += [mock.patch(f"ssdqos.{where}.Maker", lambda *who: maker(*(who or (self.dmsetup, self.memory)), names))
                    for where in ("create", "restore")]
        self.sysfs, self.var = self.path / "sys", self.path / "var"
        keeper = Keeper(self.dmsetup, names, Place(self.sysfs), self.var, self.memory)
        patches += [mock.patch(f"ssdqos.{where}.Keeper", lambda: keeper)
                    for where in ("create", "remove", "save", "set", "restore")]
        patches += [mock.patch("ssdqos.save.DiskNames", lambda: names),
                    mock.patch("ssdqos.streams.alone.LOCK", self.path / "run" / "lock"),
                    mock.patch.object(Device, "is_block", lambda device: device.path == self.disk),
                    mock.patch.object(Device, "size_bytes", lambda _: 1 << 30),
                    mock.patch.object(DiskNames, "drive_of", lambda _, path: self.below)]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)

    below = ""

    def run_tool(self, *words: str) -> str:
        """What it prints; raises ToolError."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            args = tool.parse(list(words))
            self.status = args.main(args)
        return out.getvalue()

    def told(self, *words: str) -> str:
        """What it says beside that."""
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.run_tool(*words)
        return told.getvalue()

    def create(self, name: str, *words: str) -> None:
        self.run_tool("create", name, str(self.disk), *words)


class Creating(Machine):
    def test_all_of_a_disk(self) -> None:
        self.create("gold", "weight=200")
        self.assertEqual([f"0 2097152 ssdqos {self.disk} 0 2 weight 200"], self.dmsetup.devices["gold"])
        self.assertIn(("create", "gold", "--uuid", "SSDQOS-gold"), self.dmsetup.calls)

    def test_a_part_of_it(self) -> None:
        self.create("gold", "--offset", "1m", "--size", "4k")
        self.assertEqual([f"0 8 ssdqos {self.disk} 2048"], self.dmsetup.devices["gold"])

    def test_a_promise_comes_after_the_profile(self) -> None:
        self.create("gold", "--profile", str(self.profile), "min_iops=1000", "window_ms=3000")
        self.assertEqual([f"0 2097152 ssdqos {self.disk} 0 4 window_ms 3000 min_iops 1000"],
                         self.dmsetup.devices["gold"])
        self.assertTrue(self.dmsetup.profiles["8:16"].startswith("ssdqos-profile 1 window_ms 1000 3000 cost"))
        self.assertNotIn("meta", self.dmsetup.profiles["8:16"])
        self.assertEqual(["create", "profile", "set"],
                         [call[3] if call[0] == "message" else call[0] for call in self.dmsetup.calls
                          if call[0] in ("create", "message")])

    def test_nothing_stays_of_what_was_refused(self) -> None:
        with self.assertRaisesRegex(ToolError, "needs a profile"):
            self.create("gold", "min_iops=1000")
        self.assertEqual({}, self.dmsetup.devices)

    def test_nothing_stays_of_what_was_interrupted(self) -> None:
        for error in (KeyboardInterrupt, SystemExit, OSError):
            with mock.patch.object(Memory, "keep", side_effect=error), self.assertRaises(error):
                self.create("gold", "--profile", str(self.profile), "min_iops=1000")
            self.assertEqual({}, self.dmsetup.devices)

    def test_a_wrong_profile_makes_nothing(self) -> None:
        self.profile.write_text("hello\n")
        with self.assertRaisesRegex(ToolError, "first line"):
            self.create("gold", "--profile", str(self.profile))
        self.assertNotIn("create", [call[0] for call in self.dmsetup.calls])

    def test_volumes_share_the_disk_below(self) -> None:
        self.below = "sdb"
        self.create("gold", "weight=5", "--size", "4k")
        self.create("tin", "drive=pool", "--offset", "4k")
        self.assertTrue(self.dmsetup.devices["gold"][0].endswith(" 4 drive sdb weight 5"))
        self.assertTrue(self.dmsetup.devices["tin"][0].endswith(" 2 drive pool"))

    def test_says_what_is_wrong(self) -> None:
        for words, why in ((("gold", "/dev/nothing"), "no block device"),
                           (("gold", str(self.disk), "--offset", "1g"), "not enough"),
                           (("gold", str(self.disk), "--size", "2g"), "not enough"),
                           (("gold", str(self.disk), "--size", "100"), "multiple of 512"),
                           (("gold", str(self.disk), "weight"), "not KEY=VALUE"),
                           (("gold", str(self.disk), "weight=a b"), "not KEY=VALUE")):
            with self.subTest(words), self.assertRaisesRegex(ToolError, why):
                self.run_tool("create", *words)
        self.create("gold")
        with self.assertRaisesRegex(ToolError, "gold already"):
            self.create("gold")


class Changing(Machine):
    def test_set(self) -> None:
        self.create("gold")
        self.run_tool("set", "gold", "weight=7", "max_iops=50")
        self.assertEqual(("message", "gold", "0", "set", "weight", "7", "max_iops", "50"), self.dmsetup.calls[-1])

    def test_set_profile_first(self) -> None:
        self.create("gold")
        self.run_tool("set", "gold", "min_iops=5", "--profile", str(self.profile))
        self.assertIn("min_iops 5", self.dmsetup.devices["gold"][0])
        self.assertEqual(str(self.profile), self.memory.recall("8:16"))

    def test_set_is_all_or_nothing(self) -> None:
        other = self.path / "other"
        other.write_text(PROFILE.replace("150000", "170000"))
        self.create("gold")
        for before in ("", str(self.profile)):
            if before:
                self.run_tool("set", "gold", "--profile", before)
            had = self.dmsetup.profiles.get("8:16", "none")
            self.dmsetup.refuse = "min_iops"
            with self.assertRaisesRegex(ToolError, "^the kernel refuses$"):
                self.run_tool("set", "gold", "--profile", str(other), "min_iops=1000")
            self.dmsetup.refuse = ""
            self.assertEqual((had, before), (self.dmsetup.profiles["8:16"], self.memory.recall("8:16")))
        for path in self.memory.directory.glob("*.profile"):
            path.unlink()
        self.dmsetup.refuse = "min_iops"
        with self.assertRaisesRegex(ToolError, "the kernel refuses; the drive has .*/other now, as the profile that it had "
                                               "cannot be loaded: its file is not known"):
            self.run_tool("set", "gold", "--profile", str(other), "min_iops=1000")

    def test_a_stream_of_several(self) -> None:
        self.dmsetup.devices["two"] = ["0 8 ssdqos 8:16 0 0", "8 8 ssdqos 8:16 64 0"]
        self.run_tool("set", "two", "weight=7", "--segment", "8")
        self.assertEqual(["0 8 ssdqos 8:16 0 0", "8 8 ssdqos 8:16 64 2 weight 7"], self.dmsetup.devices["two"])
        with self.assertRaisesRegex(ToolError, "no stream at sector 4"):
            self.run_tool("set", "two", "weight=7", "--segment", "4")

    def test_set_nothing(self) -> None:
        with self.assertRaisesRegex(ToolError, "nothing is to be changed"):
            self.run_tool("set", "gold")

    def test_remove(self) -> None:
        self.create("gold")
        self.run_tool("remove", "gold")
        self.assertEqual({}, self.dmsetup.devices)

    def test_removes_no_other_device(self) -> None:
        self.dmsetup.devices["root"] = ["0 8 linear 8:16 0"]
        with self.assertRaisesRegex(ToolError, "root is no live device of target ssdqos"):
            self.run_tool("remove", "root")
        self.assertIn("root", self.dmsetup.devices)


class Lasting(Machine):
    def setUp(self) -> None:
        super().setUp()
        self.etc = self.path / "etc"
        self.create("gold", "--profile", str(self.profile), "--offset", "1m", "min_iops=1000", "window_ms=3000")

    def save(self) -> str:
        return self.run_tool("save", "--dir", str(self.etc))

    def restore(self, *words: str) -> str:
        return self.run_tool("restore", *words, "--dir", str(self.etc))

    def test_is_text_that_can_be_read(self) -> None:
        self.assertEqual(f"{self.etc}/gold.conf\n", self.save())
        self.assertEqual(["[device]", f"profile = {self.profile}", "", "[segment 1]", f"device = {self.disk}",
                          "offset_bytes = 1048576", "length_bytes = 1072693248", "window_ms = 3000",
                          "min_iops = 1000"],
                         (self.etc / "gold.conf").read_text().splitlines()[2:])

    def test_comes_back_as_it_was(self) -> None:
        self.save()
        table, profile = self.dmsetup.devices.pop("gold"), self.dmsetup.profiles.pop("8:16")
        self.restore("gold")
        self.assertEqual(table, self.dmsetup.devices["gold"])
        self.assertEqual(profile, self.dmsetup.profiles["8:16"])

    def test_all_and_those_that_are_there_stay(self) -> None:
        self.create("tin", "weight=5", "--size", "4k")
        self.save()
        del self.dmsetup.devices["tin"]
        self.restore("--all")
        self.assertEqual((0, {"gold", "tin"}), (self.status, set(self.dmsetup.devices)))
        self.assertEqual(3, [call[0] for call in self.dmsetup.calls].count("create"))

    def test_the_profile_that_a_drive_has_stays(self) -> None:
        self.save()
        del self.dmsetup.devices["gold"]
        self.dmsetup.profiles["8:16"] = "another"
        self.restore("--all")
        self.assertEqual("another", self.dmsetup.profiles["8:16"])
        self.assertIn("min_iops 1000", self.dmsetup.devices["gold"][0])

    def test_of_a_disk_that_appears(self) -> None:
        self.save()
        del self.dmsetup.devices["gold"]
        self.restore("--device", "/dev/null")
        self.assertEqual({}, self.dmsetup.devices)
        link = self.path / "link"
        link.symlink_to(self.disk)
        self.restore("--device", str(link))
        self.assertEqual({"gold"}, set(self.dmsetup.devices))

    def test_passes_over_disks_that_are_not_there(self) -> None:
        self.save()
        del self.dmsetup.devices["gold"]
        self.disk.unlink()
        self.restore("--all")
        self.assertEqual((0, {}), (self.status, self.dmsetup.devices))
        with self.assertRaisesRegex(ToolError, "disk is not there"):
            self.restore("gold")

    def test_one_that_fails_does_not_keep_the_others_out(self) -> None:
        self.save()
        table = self.dmsetup.devices.pop("gold")
        (self.etc / "a.conf").write_text("[segment 1]\n")
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.restore("--all")
        self.assertEqual((1, {"gold": table}), (self.status, self.dmsetup.devices))
        self.assertIn("ssdqos: a.conf: ", told.getvalue())

    def test_a_drive_that_is_found_anew_is_not_written_down(self) -> None:
        self.below = "sdb"
        self.create("tin", "weight=5", "--size", "4k")
        self.create("lead", "drive=pool", "--offset", "4k", "--size", "4k")
        self.save()
        self.assertNotIn("drive", (self.etc / "tin.conf").read_text())
        self.assertIn("drive = pool", (self.etc / "lead.conf").read_text())

    def test_a_drive_that_keeps_its_state_on_a_device(self) -> None:
        meta = self.path / "meta"
        meta.touch()
        self.create("tin", f"drive_meta={meta}", "drive_throttle=ready_opt", "drive_endurance_gb=5",
                    "--size", "4k")
        self.assertTrue(self.dmsetup.devices["tin"][0].endswith(
            f" 6 drive_meta {meta} drive_throttle ready_opt drive_endurance_gb 5"))
        with mock.patch.object(DiskNames, "stable", lambda _, device: f"/by-id{device}"):
            self.save()
        self.assertIn(f"drive_meta = /by-id{meta}\ndrive_throttle = ready_opt\n", (self.etc / "tin.conf").read_text())
        self.save()
        table = self.dmsetup.devices.pop("tin")
        self.restore("tin")
        self.assertEqual(table, self.dmsetup.devices.pop("tin"))
        meta.unlink()
        with self.assertRaisesRegex(ToolError, "meta is not there"):
            self.restore("tin")

    def test_a_device_that_has_more_than_streams(self) -> None:
        self.dmsetup.devices["odd"] = ["0 8 ssdqos 8:16 0 0", "8 8 linear 8:16 64"]
        with self.assertRaisesRegex(ToolError, "not made of streams only"):
            self.run_tool("save", "odd", "--dir", str(self.etc))


    def test_what_was_set_since_is_told_to_be_unsaved(self) -> None:
        with mock.patch("ssdqos.streams.conf.DIRECTORY", self.etc):
            self.assertEqual("", self.told("set", "gold", "weight=7"))
            self.save()
            self.assertIn("gold: that holds until the next boot", self.told("set", "gold", "weight=8"))

    def test_a_profile_that_is_mounted_late(self) -> None:
        words = ("save", "--dir", str(self.etc))
        with mock.patch("ssdqos.save.ROOT", self.path):
            self.assertEqual("", self.told(*words))
        with mock.patch("ssdqos.save.ROOT", Path("/proc")):
            self.assertIn(f"{self.profile} is not on the root file system", self.told(*words))

    def test_a_file_that_is_no_text_does_not_keep_the_others_out(self) -> None:
        self.save()
        table = self.dmsetup.devices.pop("gold")
        (self.etc / "a.conf").write_bytes("# für\n".encode("latin-1"))
        self.assertRegex(self.told("restore", "--all", "--dir", str(self.etc)), r"^ssdqos: a\.conf: .*a\.conf cannot be read: it is no text")
        self.assertEqual((1, {"gold": table}), (self.status, self.dmsetup.devices))

    def test_a_stream_that_cannot_be_noted_does_not_keep_the_others_out(self) -> None:
        self.save()
        table = self.dmsetup.devices.pop("gold")
        self.dmsetup.profiles.clear()
        (self.etc / "a.conf").write_text((self.etc / "gold.conf").read_text())
        keep = Memory.keep

        def full(memory: Memory, drive: str, profile: Path) -> None:
            if "a" in self.dmsetup.devices:
                raise OSError(28, "No space left on device")
            keep(memory, drive, profile)

        with mock.patch.object(Memory, "keep", full):
            self.assertIn("ssdqos: a.conf: No space left on device\n", self.told("restore", "--all", "--dir", str(self.etc)))
        self.assertEqual((1, {"gold": table}), (self.status, self.dmsetup.devices))

    def test_a_disk_that_has_gone_keeps_its_name(self) -> None:
        """Its number may be another one's when it is saved."""
        self.save()
        old = (self.etc / "gold.conf").read_text()
        self.dmsetup.devices["gold"] = [self.dmsetup.devices["gold"][0].replace(str(self.disk), "8:32")]
        self.save()
        self.assertEqual((0, old), (self.status, (self.etc / "gold.conf").read_text()))
        (self.etc / "gold.conf").unlink()
        with self.assertRaisesRegex(ToolError, "gold: its disk 8:32 has gone, and its name is not known: nothing is written"):
            self.run_tool("save", "gold", "--dir", str(self.etc))
        self.assertEqual([], list(self.etc.iterdir()))

    def test_one_that_cannot_be_written_down_keeps_no_other_from_it(self) -> None:
        self.dmsetup.devices["a"] = ["0 8 ssdqos 8:32 0 0"]
        self.assertEqual("ssdqos: a: its disk 8:32 has gone, and its name is not known: nothing is written down\n",
                         self.told("save", "--dir", str(self.etc)))
        self.assertEqual((1, ["gold.conf"]), (self.status, [path.name for path in self.etc.iterdir()]))

    def test_a_broken_file_is_replaced(self) -> None:
        self.save()
        old = (self.etc / "gold.conf").read_text()
        (self.etc / "gold.conf").write_text("[segment")
        self.save()
        self.assertEqual((0, old), (self.status, (self.etc / "gold.conf").read_text()))

    def test_a_profile_that_was_loaded_otherwise(self) -> None:
        self.save()
        old = (self.etc / "gold.conf").read_text()
        for path in self.memory.directory.glob("*.profile"):
            path.unlink()
        self.save()
        self.assertEqual((0, old), (self.status, (self.etc / "gold.conf").read_text()))
        (self.etc / "gold.conf").unlink()
        with self.assertRaisesRegex(ToolError, "gold: the promise needs its drive's profile, .*: ssdqos set gold --profile FILE"):
            self.run_tool("save", "gold", "--dir", str(self.etc))

    def test_a_profile_that_has_gone(self) -> None:
        self.profile.unlink()
        self.assertIn("cannot be read (No such file or directory), so the stream will not come back",
                      self.told("save", "--dir", str(self.etc)))
        self.assertEqual(1, self.status)
        self.assertTrue((self.etc / "gold.conf").exists())


class Lifetimes(Machine):
    """dm-0 is gold, on a drive whose wear is counted."""

    def setUp(self) -> None:
        super().setUp()
        self.etc = self.path / "etc"
        self.create("gold", "--size", "1m")
        self.stream = self.live(life_ns=5 * 10**9, host_bytes=500)
        self.file = self.var / "disk.life"

    def live(self, node: str = "dm-0", name: str = "gold", **fields: int) -> Path:
        self.fields = fields
        return fake_life.make(self.sysfs, node, name, raw=fake_life.raw_state(**fields))

    def after_a_boot(self) -> None:
        """The drive knows nothing of its life."""
        self.live(life_ns=0, host_bytes=0)

    def host_bytes(self) -> int:
        return state.parse((self.stream / "life_state").read_bytes(), "x").fields["host_bytes"]

    def test_save_keeps_it(self) -> None:
        self.assertEqual(f"{self.etc}/gold.conf\n{self.file}\n", self.run_tool("save", "--dir", str(self.etc)))
        self.assertEqual((self.stream / "life_state").read_bytes(), self.file.read_bytes())
        self.assertEqual([self.file], list(self.var.iterdir()))

    def test_the_timer_writes_no_streams_down(self) -> None:
        self.assertEqual(f"{self.file}\n", self.run_tool("save", "--life", "--dir", str(self.etc)))
        self.assertFalse(self.etc.exists())

    def test_it_goes_on_after_a_boot(self) -> None:
        self.run_tool("save", "--dir", str(self.etc))
        for words in (("restore", "--all", "--dir", str(self.etc)), ("restore", "gold", "--dir", str(self.etc)),
                      ("restore", "--life")):
            with self.subTest(words):
                self.after_a_boot()
                del self.dmsetup.devices["gold"]
                if "--life" in words:
                    self.dmsetup.devices["gold"] = [f"0 8 ssdqos {self.disk} 0 0"]
                self.assertEqual(f"drive disk: its lifetime goes on from {self.file}\n", self.run_tool(*words))
                self.assertEqual((0, 500), (self.status, self.host_bytes()))
                self.assertEqual("", self.run_tool(*words), "it is there already")

    def test_it_goes_on_when_it_is_made_by_hand(self) -> None:
        self.run_tool("save", "--life")
        self.after_a_boot()
        del self.dmsetup.devices["gold"]
        self.create("gold")
        self.assertEqual(500, self.host_bytes())

    def test_a_life_that_is_further_stays(self) -> None:
        self.run_tool("save", "--life")
        self.live(life_ns=6 * 10**9, host_bytes=600)
        self.assertEqual("", self.run_tool("restore", "--life"))
        self.assertEqual(600, self.host_bytes())

    def test_a_longer_life_is_not_overwritten(self) -> None:
        self.run_tool("save", "--life")
        old = self.file.read_bytes()
        self.after_a_boot()
        self.assertIn("of a longer life than the drive's now: ssdqos restore --life goes on with it",
                      self.told("save", "--life"))
        self.assertEqual((1, old), (self.status, self.file.read_bytes()))

    def test_a_file_that_is_broken(self) -> None:
        self.run_tool("save", "--life")
        self.file.write_bytes(self.file.read_bytes()[:-5])
        self.assertIn("disk.life has 36859 bytes", self.told("restore", "--life"))
        self.assertEqual((1, 500), (self.status, self.host_bytes()))
        self.run_tool("save", "--life")
        self.assertEqual((0, state.STATE_BYTES), (self.status, self.file.stat().st_size))

    def test_a_file_of_a_later_version_stays(self) -> None:
        self.run_tool("save", "--life")
        raw = bytearray(self.file.read_bytes())
        struct.pack_into("<Q", raw, state.W_NR_FIELDS * state.WORD, len(state.FIELDS) + 1)
        struct.pack_into("<Q", raw, state.W_CHECKSUM * state.WORD,
                         state.checksum(bytes(raw[state.W_VERSION * state.WORD:state.HEADER_BYTES])))
        self.file.write_bytes(raw)
        self.assertIn("disk.life is of a later version", self.told("save", "--life"))
        self.assertEqual((1, bytes(raw)), (self.status, self.file.read_bytes()))

    def test_a_stream_whose_life_cannot_be_saved_is_not_removed(self) -> None:
        self.var.touch()
        with self.assertRaisesRegex(ToolError, "^gold stays, since what is known of its drive's lifetime would be lost with it; "
                                               "dmsetup remove gold"):
            self.told("remove", "gold", "--dir", str(self.etc))
        self.assertIn("gold", self.dmsetup.devices)

    def test_the_kernel_does_not_take_it(self) -> None:
        self.run_tool("save", "--life")
        self.after_a_boot()
        with mock.patch("ssdqos.lifetime.place.Path.open", side_effect=OSError(22, "Invalid argument")):
            with self.assertRaisesRegex(ToolError, "life_state is not taken: Invalid argument"):
                place.write_state(self.stream, b"x")

    def test_one_file_for_a_drive(self) -> None:
        self.create("tin", "--offset", "1m")
        self.live("dm-1", "tin", life_ns=5 * 10**9, host_bytes=500)
        self.assertEqual(f"{self.file}\n", self.run_tool("save", "--life"))

    def test_a_drive_with_a_name(self) -> None:
        self.create("lead", "drive=pool/a", "--offset", "2m")
        self.live("dm-2", "lead", life_ns=5 * 10**9, host_bytes=500)
        self.assertIn(f"{self.var}/pool!a.life\n", self.run_tool("save", "--life"))

    def test_a_drive_that_keeps_it_itself(self) -> None:
        self.dmsetup.devices["tin"] = [f"0 8 ssdqos {self.disk} 8 2 drive_meta 8:1"]
        self.assertEqual("", self.run_tool("save", "--life"))

    def test_nothing_where_wear_is_not_counted(self) -> None:
        (self.stream / "life_state").unlink()
        self.assertEqual("", self.run_tool("save", "--life"))

    def test_where_it_cannot_be_written(self) -> None:
        self.var.touch()
        self.assertIn("disk.life cannot be read: Not a directory", self.told("save", "--life"))
        self.assertEqual(1, self.status)


class Conf(unittest.TestCase):
    def test_there_and_back(self) -> None:
        second = segment.Segment(8, 16, "/dev/b", 64, {"op": "write", "drive_mode": "strict"})
        made = conf.Conf("two", "/etc/x", [segment.Segment(0, 8, "/dev/a", 0, {"weight": "5"}), second])
        self.assertEqual(made, conf.parse("two", made.text()))

    def test_says_what_is_wrong(self) -> None:
        good = "[segment 1]\ndevice = /dev/a\noffset_bytes = 0\nlength_bytes = 512\n"
        conf.parse("x", good)
        for old, new, why in (("[segment 1]", "[part]", r"no \[segment 1\]"), ("= 512", "= 500", "multiple of 512"),
                              ("= 512", "= many", "many"), ("device =", "disk =", "device"),
                              ("[segment 1]", "x", "x.conf")):
            with self.subTest(new), self.assertRaisesRegex(ToolError, why):
                conf.parse("x", good.replace(old, new))

    def test_table_line_there_and_back(self) -> None:
        for line in ("0 8 ssdqos 8:16 64", "8 8 ssdqos 8:16 64 4 drive pool weight 5"):
            self.assertEqual(line, segment.parse(line).line())
        self.assertEqual({}, segment.parse("0 8 ssdqos 8:16 64 0").keys)


class Asking(Machine):
    QUESTION = ("--read", "rand", "--bs", "4k", "--iops", "1000", "--window", "3s", "--confidence", "99")

    def messages(self) -> list[str]:
        return [" ".join(call[3:]) for call in self.dmsetup.calls if call[0] == "message"]

    def test_the_kernel_is_asked_and_told(self) -> None:
        self.create("gold")
        self.dmsetup.profiles["8:16"] = "x"
        with mock.patch("ssdqos.streams.conf.DIRECTORY", self.path):
            conf.write(self.path, "gold", "")
            self.assertIn("gold: that holds until the next boot", self.told("admit", "gold", *self.QUESTION, "--apply"))
            del self.dmsetup.calls[:]
            told = self.run_tool("admit", "gold", *self.QUESTION, "--apply")
        wanted = ("min_iops 1000 min_mb_s 0 util_ppm 0 op read pattern rand block_bytes 4096 window_ms 3000 "
                  "confidence_permille 990 windows aligned iodepth 0")
        self.assertEqual([f"admit {wanted}", f"set {wanted}"], self.messages())
        self.assertEqual(0, self.status)
        for text in ("fits.", "10.00 %", "400 µs", "88.00 % could", "39.00 % are", "gold is promised that now"):
            self.assertIn(text, told)

    def test_windows_that_slide_are_asked_for(self) -> None:
        self.create("gold")
        told = self.run_tool("admit", "gold", *self.QUESTION, "--windows", "sliding")
        self.assertIn("windows sliding", self.messages()[0])
        self.assertIn("in 99 % of sliding windows: fits", told)

    def test_what_does_not_fit_is_not_set(self) -> None:
        self.create("gold")
        self.dmsetup.fits = 0
        told = self.run_tool("admit", "gold", *self.QUESTION, "--apply")
        self.assertEqual(1, self.status)
        self.assertIn("does not fit", told)
        self.assertIn("What would fit: 250 IOPS over 3 s or this rate over 3 s.", told)
        self.assertIn("has 5.00 % of the time: gold.", told)
        self.assertEqual(["admit"], [message.split()[0] for message in self.messages()])
        self.dmsetup.largest_sector = 64
        self.assertIn("gold from sector 64 on.", self.run_tool("admit", "gold", *self.QUESTION))

    def test_what_the_profile_promises_nothing_of_is_an_answer(self) -> None:
        self.create("gold")
        self.dmsetup.reply = NOTHING
        self.assertEqual(["1000 IOPS of read rand 4k over 3 s in 99 % of windows: does not fit.",
                          "The profile promises nothing of read rand of 4k in windows of 3 s.",
                          "What would fit: this rate over 10 s.",
                          "The largest promise that there is has 5.00 % of the time: gold."],
                         self.run_tool("admit", "gold", *self.QUESTION).splitlines())
        self.assertEqual(1, self.status)
        told = json.loads(self.run_tool("admit", "gold", *self.QUESTION, "--json"))
        self.assertEqual((0, 10000, "the profile promises nothing of read rand of 4k in windows of 3 s"),
                         (told["fits"], told["fit_window_ms"], told["why"]))
        self.assertNotIn("doubts", told)

    def test_another_stream_of_the_drive_answers_for_a_new_one(self) -> None:
        self.create("gold")
        for drive in ("gold", "8:16"):
            self.run_tool("admit", "tin", *self.QUESTION, "--drive", drive)
        self.assertEqual(["admit", "admit"], [message.split()[0] for message in self.messages()])
        with self.assertRaisesRegex(ToolError, "neither a stream nor a drive"):
            self.run_tool("admit", "tin", *self.QUESTION, "--drive", "8:32")

    def test_a_disk_whose_streams_are_on_volumes_is_found(self) -> None:
        """They have its name, others its number."""
        self.create("gold", "--profile", str(self.profile), "--size", "1m", "drive=sdb")
        kernel = self.path / "kernel/devices/sdb"
        kernel.mkdir()
        (kernel / "dev").write_text("8:16\n")
        with mock.patch.object(Device, "disk_directory", lambda _: kernel):
            self.assertIn(": fits.", self.run_tool("admit", "tin", *self.QUESTION, "--drive", str(self.disk)))

    def test_computed(self) -> None:
        told = self.run_tool("admit", "new", *self.QUESTION, "--profile", str(self.profile),
                             "--with", "write rand 4k 500iops 3s")
        self.assertEqual(([], 0), (self.messages(), self.status))
        # 1000 * 100 us beside 500 * 400 us, and a margin of 2.5 %
        for text in ("1000 IOPS of read rand 4k over 3 s in 99 % of windows: fits", "costs 10.25 %",
                     "78.50 % could", "30.75 % are"):
            self.assertIn(text, told)

    def test_computed_from_what_had_not_settled(self) -> None:
        words = ("admit", "new", *self.QUESTION, "--profile", str(self.profile))
        self.assertNotIn("settled", self.run_tool(*words))
        self.profile.write_text(PROFILE.replace("window_ms", "meta unsettled.read-rand-4k-d32 99%:3s off 9% in 60s\n"
                                                             "window_ms"))
        self.assertIn("It rests on what had not settled when the drive was measured: read-rand-4k-d32.",
                      self.run_tool(*words))
        self.assertNotIn("settled", self.run_tool(*words, "--window", "1s"))
        self.assertIn("settled", " ".join(json.loads(self.run_tool(*words, "--json"))["doubts"]))

    def test_computed_from_what_was_not_measured(self) -> None:
        """This profile has neither mixtures by window nor reads beside writes, and is an older one."""
        words = ("admit", "new", *self.QUESTION, "--profile", str(self.profile))
        old, average, beside = "The profile is an older one", "only on average", "8 at a time were not measured beside writes"
        told = self.run_tool(*words)
        self.assertEqual((True, True, False), tuple(text in told for text in (old, average, beside)))
        self.assertIn(beside, self.run_tool(*words, "--iodepth", "8"))
        self.assertNotIn(beside, self.run_tool(*words, "--iodepth", "8", "--queue-depth", "8"))
        self.assertIn(average, " ".join(json.loads(self.run_tool(*words, "--json"))["doubts"]))
        rows = "mixed 50 32 990 1000 1000\nbeside 10 1 990 1000 1000\n"
        self.profile.write_text(PROFILE.replace("window_ms", "meta missed_spent_pct 50\nwindow_ms") + rows)
        told = self.run_tool(*words, "--iodepth", "8")
        self.assertEqual((False, False, False), tuple(text in told for text in (old, average, beside)))
        self.assertNotIn(old, self.run_tool("admit", "new", "--op", "read", "--util-ppm", "1000", "--profile", str(self.profile)))

    def test_promised_writes_in_order_may_make_the_drive_stop(self) -> None:
        words = ("admit", "new", "--iops", "10", "--profile", str(self.profile), "--op", "write")
        stops = "this drive stops for 2.1 s after each 250 MiB"
        self.assertNotIn(stops, self.run_tool(*words, "--pattern", "seq"))
        self.profile.write_text(PROFILE + "stop 2100 256000\n")
        told = self.run_tool(*words, "--pattern", "seq")
        self.assertIn(stops, told)
        self.assertIn("windows shorter than 4.2 s may miss some", told)
        self.assertNotIn(stops, self.run_tool(*words, "--pattern", "rand"))

    def test_computed_and_refused(self) -> None:
        told = self.run_tool("admit", "new", "--op", "write", "--iops", "2000", "--profile", str(self.profile))
        self.assertEqual(1, self.status)
        self.assertIn("What would fit: 1207 IOPS over 1 s or this rate over 3 s.", told)
        self.assertNotIn("largest", told)
        other = "read rand 4k 100000ppm"
        told = self.run_tool("admit", "new", "--op", "write", "--iops", "2000", "--profile", str(self.profile),
                             "--with", "read rand 4k 1000ppm", "--with", other)
        self.assertIn(f"has 10.00 % of the time: {other}.", told)

    def test_says_what_is_missing(self) -> None:
        for words, why in ((("--op", "read", "--iops", "0"), "--iops: '0' is not from 1 to"),
                           ((*self.QUESTION, "--with", "write rand 4k 5iops"), "--with is for --profile"),
                           ((*self.QUESTION,), "does not exist")):
            with self.subTest(words), self.assertRaisesRegex(ToolError, why):
                self.run_tool("admit", "gold", *words)


class Program(unittest.TestCase):
    """The class itself, with a program of that name."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.program("cat > stdin; echo \"$@\" > words; printf 'gold\\t(253:0)\\n'")
        for patch in (mock.patch.dict("os.environ", {"PATH": f"{self.path}:/usr/bin:/bin"}),):
            patch.start()
            self.addCleanup(patch.stop)

    def program(self, script: str) -> None:
        path = self.path / "dmsetup"
        path.write_text(f"#!/bin/sh\ncd {self.path}\n{script}\n")
        path.chmod(0o755)

    def test_names(self) -> None:
        self.assertEqual(["gold"], Dmsetup().names())
        self.program("echo No devices found")
        self.assertEqual([], Dmsetup().names())

    def test_the_table_goes_to_its_input(self) -> None:
        Dmsetup().create("gold", ["0 8 ssdqos 8:16 0"])
        self.assertEqual("0 8 ssdqos 8:16 0\n", (self.path / "stdin").read_text())
        self.assertEqual("create gold --uuid SSDQOS-gold\n", (self.path / "words").read_text())

    def test_its_complaint_is_one_sentence(self) -> None:
        self.program("echo 'Device x not found' >&2; echo 'Command failed.' >&2; exit 1")
        with self.assertRaisesRegex(ToolError, "^dmsetup: Device x not found$"):
            Dmsetup().status("x")
        self.assertFalse(Dmsetup().exists("x"))

    def test_the_kernels_reason_is_better(self) -> None:
        self.program("exit 1")
        with mock.patch("ssdqos.streams.dmsetup.KernelLog") as log:
            log.return_value.last.return_value = "ssdqos: min_iops: too much"
            with self.assertRaisesRegex(ToolError, "^ssdqos: min_iops: too much$"):
                Dmsetup().message("x", 0, "set", "min_iops", "5")

    def test_not_installed(self) -> None:
        with mock.patch.dict("os.environ", {"PATH": "/nowhere"}), self.assertRaisesRegex(ToolError, "not installed"):
            Dmsetup().names()

    def test_status_of_something_else(self) -> None:
        with self.assertRaisesRegex(ToolError, "no stream"):
            status.parse("x", "0 8 linear 8:16 0")


if __name__ == "__main__":
    unittest.main()
