# SPDX-License-Identifier: GPL-2.0
"""Members of mirrors that come back under other names, in another order, or not at all: what disks say decides."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from ssdqos.device import System
from ssdqos.mirror import block, conf, line, metadata
from ssdqos.mirror.block import BLOCK_BYTES, Block
from ssdqos.mirror.identity import Identity, known_as
from ssdqos.streams.disk_names import DiskNames
from test_mirror_tool import TURNS, Tool


class Known(unittest.TestCase):
    """Places below /sys."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.names = DiskNames(Path("/dev"), System(sys=self.path))
        (self.path / "class/block").mkdir(parents=True)

    def disk(self, name: str, **files: str) -> Path:
        """`__` in a file's name is a directory."""
        place = self.path / "devices" / name
        for file, text in files.items():
            (place / file.replace("__", "/")).parent.mkdir(parents=True, exist_ok=True)
            (place / file.replace("__", "/")).write_text(f"{text}\n")
        (self.path / "class/block" / place.name).symlink_to(place)
        return place

    def anywhere(self, wanted: str) -> str:
        return Identity([], self.names).anywhere(wanted)

    def test_what_they_say(self) -> None:
        self.assertEqual("eui.01", known_as(self.disk("nvme0n1", dev="", wwid="eui.01", serial="x")))
        self.assertEqual("eui.01, from sector 2048", known_as(self.disk("nvme0n1/nvme0n1p1", partition="1", start="2048")))
        self.assertEqual("LVM-a", known_as(self.disk("dm-0", dm__uuid="LVM-a", dm__name="vg-a")))
        self.assertEqual("leg0", known_as(self.disk("dm-1", dm__uuid="", dm__name="leg0")))
        self.assertEqual("", known_as(self.disk("nullb0", dev="")))
        self.assertEqual("", known_as(self.disk("nullb0/nullb0p1", partition="1", start="2048")))

    def test_where_they_are(self) -> None:
        self.disk("sdb", dev="8:16", device__wwid="naa.1")
        self.disk("cciss!c0d0", dev="8:48", device__wwid="naa.4")
        self.disk("nvme0n1", dev="259:0", wwid="eui.2")
        self.disk("nvme0c0n1", wwid="eui.2")
        for name in ("sdc", "sdd"):
            self.disk(name, dev="8:32", device__wwid="naa.3")
        self.assertEqual(["/dev/sdb", "/dev/nvme0n1", "/dev/cciss/c0d0", "", ""],
                         [self.anywhere(wanted) for wanted in ("naa.1", "eui.2", "naa.4", "naa.3", "naa.5")])


class Placed(Tool):
    """Disks a, b and c say A, B and C, or what `says` has."""

    def setUp(self) -> None:
        super().setUp()
        self.says = {"a": "A", "b": "B", "c": "C"}
        for patch in (mock.patch.object(Identity, "now", lambda _, device: self.now(device)),
                      mock.patch.object(Identity, "anywhere", lambda _, wanted: self.anywhere(wanted))):
            patch.start()
            self.addCleanup(patch.stop)
        self.format()

    def now(self, device: str) -> str:
        return self.says.get(Path(device).name, "")

    def anywhere(self, wanted: str) -> str:
        found = [name for name, said in self.says.items() if said == wanted and (self.path / name).exists()]
        return str(self.path / found[0]) if len(found) == 1 else ""

    def kept(self) -> list[str]:
        with metadata.opened(self.path / "meta") as found:
            return found.identities()

    def keep(self, *said: str) -> None:
        with metadata.opened(self.path / "meta", for_writing=True) as found:
            found.keep_identities(list(said))

    def again(self, *words: str, members: str = "ab") -> tuple[int, str, str]:
        self.dmsetup.devices.pop("m", None)
        return self.create("--again", *words, members=members)

    def save(self, *members: str) -> None:
        conf.MirrorConf("m", line.parse(self.table(*members))).write(self.etc)

    def restore(self, *words: str) -> tuple[int, str, str]:
        return self.run_tool("restore", *words, "--dir", self.etc)


class Made(Placed):
    def test_what_they_say_is_kept(self) -> None:
        self.assertEqual(0, self.again()[0])
        self.assertEqual(["A", "B"], self.kept())

    def test_nothing_is_written_twice(self) -> None:
        self.again()
        before = (self.path / "meta").read_bytes()
        self.again()
        self.assertEqual(before, (self.path / "meta").read_bytes())

    def test_a_dry_run_keeps_nothing(self) -> None:
        self.again("--dry-run")
        self.assertEqual([], self.kept())

    def test_what_two_say_is_nothing(self) -> None:
        self.says["b"] = "A"
        self.again()
        self.assertEqual([], self.kept())

    def test_no_room(self) -> None:
        with (self.path / "meta").open("r+b") as file:
            file.truncate(5 * BLOCK_BYTES)
        self.assertEqual(0, self.again()[0])
        self.assertEqual([], self.kept())

    def test_that_of_another_mirror(self) -> None:
        self.keep("X", "Y")
        with (self.path / "meta").open("r+b") as file:
            file.seek(4 * BLOCK_BYTES)
            file.write(Block(block.IDENTITIES, b"v" * 16, 0, 9, b"[]".ljust(block.PAYLOAD_BYTES, b"\0")).raw())
        self.assertEqual([], self.kept())

    def test_one_that_is_torn(self) -> None:
        self.keep("A", "B")
        self.keep("A", "C")
        with (self.path / "meta").open("r+b") as file:
            file.seek(5 * BLOCK_BYTES)
            file.write(bytes(BLOCK_BYTES // 2))
        self.assertEqual(["A", "B"], self.kept())


class Again(Placed):
    def setUp(self) -> None:
        super().setUp()
        self.keep("A", "B")

    def test_swapped(self) -> None:
        self.assertEqual(0, self.again(members="ba")[0])
        self.assertEqual([self.table("a", "b")], self.dmsetup.devices["m"])

    def test_another_disk(self) -> None:
        code, _, told = self.again(members="ac")
        self.assertEqual((2, True), (code, "member 1 is the disk B, and" in told and "/c is C" in told), told)
        self.says["c"] = ""
        self.assertIn("/c is one that does not say", self.again(members="ac")[2])
        self.assertNotIn("m", self.dmsetup.devices)

    def test_one_in_place_of_the_other(self) -> None:
        self.assertIn("/b is B, member 1", self.again(members="bc")[2])

    def test_two_in_one_place(self) -> None:
        """A is found for member 0, but nobody has asked who member 1 is."""
        self.keep("A", "")
        self.assertIn("would be two members", self.again(members="ca")[2])

    def test_who_is_trusted(self) -> None:
        self.assertEqual(0, self.again("--trust", members="ca")[0])
        self.assertEqual(([self.table("c", "a")], ["C", "A"]), (self.dmsetup.devices["m"], self.kept()))
        self.says["c"] = ""
        self.assertEqual(0, self.again("--trust", members="ca")[0])
        self.assertEqual(["", "A"], self.kept())

    def test_replaced(self) -> None:
        self.dmsetup.add("m", self.table("a", "b"))
        for said in ("C", ""):
            self.says["c"] = said
            self.assertEqual(0, self.run_tool("mirror", "replace", "m", 1, self.path / "c", "--dir", self.etc)[0])
            self.assertEqual(["A", said], self.kept())
            self.dmsetup.add("m", self.table("a", "b"))


class Saved(Placed):
    def setUp(self) -> None:
        super().setUp()
        self.keep("A", "B")

    def test_swapped(self) -> None:
        self.save("b", "a")
        self.assertEqual(0, self.restore("--all")[0])
        self.assertEqual([self.table("a", "b")], self.dmsetup.devices["m"])

    def test_another_name(self) -> None:
        self.save("a", "x")
        self.assertEqual(0, self.restore("m")[0])
        self.assertEqual([self.table("a", "b")], self.dmsetup.devices["m"])

    def test_another_disk(self) -> None:
        self.save("a", "b")
        self.says["b"] = "other"
        self.assertIn("b is other", self.restore("m")[2])
        code, _, told = self.restore("--all")
        self.assertEqual(1, code)
        self.assertRegex(told, "^ssdqos: m.conf: member 1 is the disk B, and .*b is other")
        self.assertNotIn("m", self.dmsetup.devices)

    def test_not_even_for_one_that_had_failed(self) -> None:
        self.format(out=2)
        self.test_another_disk()

    def test_one_comes_later(self) -> None:
        self.save("a", "x")
        self.dmsetup.add("m", self.table("a", "-"), TURNS)
        with mock.patch.object(DiskNames, "is_there", lambda *_: True):
            self.assertEqual((0, f"m: member 1 is {self.path / 'b'} now\n", ""), self.restore("m"))
            self.dmsetup.add("m", self.table("a", "-"))
            self.says["b"], self.says["x"] = "other", ""
            self.disk("x")
            self.assertIn("x is one that does not say", self.restore("m")[2])

    def test_by_itself_if_it_says_who_it_is(self) -> None:
        self.save("a", "b")
        with mock.patch.object(DiskNames, "is_there", lambda *_: True), \
                mock.patch.object(DiskNames, "is_lasting", lambda *_: False):
            self.dmsetup.add("m", self.table("a", "-"))
            self.assertEqual(0, self.restore("--all")[0])
            self.keep("A", "")
            self.dmsetup.add("m", self.table("a", "-"))
            self.assertIn("may be any disk", self.restore("--all")[2])


class AsTheKernel(unittest.TestCase):
    def test_no_other_block_is_of_that_kind(self) -> None:
        text = (Path(__file__).resolve().parents[2] / "dm-ssdqos/core/mirror/disk.h").read_text()
        kinds = re.search(r"enum ssdqos_disk_kind \{\n\tSSDQOS_DISK_SUPER = 1,\n(.*?)\};", text, re.S)[1].split()
        self.assertEqual("SSDQOS_DISK_IDENTITIES,", kinds[block.IDENTITIES - block.REGIONS])


if __name__ == "__main__":
    unittest.main()
