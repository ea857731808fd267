# SPDX-License-Identifier: GPL-2.0
"""A mirror becomes larger and gets members, with a dmsetup that does to the metadata what the kernel does."""

from __future__ import annotations

import unittest
from pathlib import Path
from unittest import mock

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.mirror import block, conf, line, metadata
from ssdqos.mirror.block import BLOCK_BYTES, PAYLOAD_BYTES, Block
from ssdqos.mirror.metadata import AT, Metadata
from test_mirror_identity import Placed
from test_mirror_tool import SECTORS, TURNS, MirrorDmsetup

UUID = b"u" * 16
REGION_SECTORS = 128
KEYS = " 2 region_kib 64"
# Masks of 256 MiB are two blocks.
LARGE = 256 << 11


class Cut(Exception):
    """The power was."""


class GrowingDmsetup(MirrorDmsetup):
    """Resumes grow the metadata on `meta`; as many as `bad_resumes` fail, `cut` is before or after the superblock."""

    def __init__(self) -> None:
        super().__init__()
        self.meta = Path()
        self.bad_resumes, self.cut = 0, ""

    def do_resume(self, name: str, text: str | None) -> str:
        # What could not begin is the table nevertheless.
        super().do_resume(name, text)
        wanted = line.parse(self.devices[name][0])
        if self.bad_resumes:
            self.bad_resumes -= 1
            raise ToolError("meta: 'x' can't be written (-5)")
        with metadata.opened(self.meta, for_writing=True) as found:
            self.grow(found, wanted)
        return ""

    def do_create(self, name: str, *words: str, text: str | None) -> str:
        super().do_create(name, *words, text=text)
        with metadata.opened(self.meta, for_writing=True) as found:
            self.grow(found, line.parse(self.devices[name][0]))
        return ""

    def grow(self, found: Metadata, wanted: line.Line) -> None:
        one, place = found.newest(block.SUPER, None, 0, 0)
        before = metadata.parse_super(one)
        for index in range(before.maps(), before.with_sectors(wanted.length).maps()):
            found.write(2 * (1 + index), Block(block.REGIONS, UUID, index, 1, bytes(PAYLOAD_BYTES)).raw())
        if self.cut == "before":
            raise Cut
        raw = bytearray(one.payload)
        raw[AT["SECTORS"]:AT["SECTORS"] + 8] = wanted.length.to_bytes(8, "little")
        raw[AT["NR_MEMBERS"]:AT["NR_MEMBERS"] + 4] = len(wanted.members).to_bytes(4, "little")
        if bytes(raw) != one.payload:
            found.write(place, one.after(bytes(raw)).raw())
        if self.cut == "after":
            raise Cut


class Growing(Placed):
    """Members a and b, 64 MiB; both have become larger, c and d are others."""

    DMSETUP = GrowingDmsetup

    def setUp(self) -> None:
        super().setUp()
        self.dmsetup.meta = self.path / "meta"
        self.says["d"] = "D"
        for name in "abcd":
            self.disk(name, LARGE * 512)
        self.dmsetup.add("m", self.table("a", "b", more=KEYS))
        self.keep("A", "B")
        conf.MirrorConf("m", line.parse(self.table("a", "b", more=KEYS))).write(self.etc)
        self.saved = (self.etc / "m.conf").read_text()

    def line(self, sectors: int, *members: str) -> str:
        return self.table(*members, more=KEYS).replace(f"0 {SECTORS} ", f"0 {sectors} ", 1)

    def is_line(self, sectors: int, *members: str) -> None:
        self.assertEqual([self.line(sectors, *members)], self.dmsetup.devices["m"])

    def grow(self, *words: str) -> tuple[int, str, str]:
        return self.run_tool("mirror", "grow", "m", *words, "--dir", self.etc)

    def refuses(self, why: str, *words: str) -> None:
        before = (self.path / "meta").read_bytes()
        code, _, told = self.grow(*words)
        self.assertEqual((2, True), (code, why in told), told)
        self.is_line(SECTORS, "a", "b")
        self.assertEqual((self.saved, before), ((self.etc / "m.conf").read_text(), (self.path / "meta").read_bytes()))
        self.assertNotIn("resume", self.changes())

    def changes(self) -> list[str]:
        return [call[0] for call in self.dmsetup.calls if call[0] in ("reload", "suspend", "resume", "clear")]

    def saved_line(self) -> line.Line:
        return conf.read(self.etc / "m.conf").line


class Grown(Growing):
    def test_larger(self) -> None:
        code, told, _ = self.grow()
        self.assertEqual(0, code)
        self.is_line(LARGE, "a", "b")
        self.assertEqual(["reload", "suspend", "resume"], self.changes())
        self.assertIn("m: 64 MiB on 2 members, becomes 256 MiB on 2\n", told)
        self.assertIn("/dev/mapper/m: 256 MiB on 2 members; all members have the same\n", told)
        self.assertEqual(LARGE, self.saved_line().length)

    def test_the_smallest_sets_the_size(self) -> None:
        self.disk("b", (LARGE - 1) * 512)
        self.assertEqual(0, self.grow()[0])
        self.is_line(LARGE - 8, "a", "b")

    def test_of_a_given_size(self) -> None:
        self.assertEqual(0, self.grow("--size", "128m")[0])
        self.is_line(SECTORS * 2, "a", "b")

    def test_more_members(self) -> None:
        for words in (("--add", self.path / "c", self.path / "d"), ("--add", self.path / "c", "--add", self.path / "d")):
            self.dmsetup.add("m", self.table("a", "b", more=KEYS))
            self.assertEqual(0, self.grow("--size", "64m", *words)[0])
            self.is_line(SECTORS, "a", "b", "c", "d")
            self.assertEqual(["A", "B", "C", "D"], self.kept())
        self.assertEqual([str(self.path / name) for name in "abcd"],
                         [member.device for member in self.saved_line().members])

    def test_both(self) -> None:
        self.assertEqual(0, self.grow("--add", self.path / "c")[0])
        self.is_line(LARGE, "a", "b", "c")
        self.assertEqual(["A", "B", "C"], self.kept())

    def test_members_begin_where_the_others_do(self) -> None:
        offset = self.table("a", "b", more=KEYS).replace("/a 0 ", "/a 2048 ").replace("/b 0 ", "/b 2048 ")
        self.dmsetup.add("m", offset)
        self.assertEqual(0, self.grow("--add", self.path / "c")[0])
        found = line.parse(self.dmsetup.devices["m"][0])
        self.assertEqual((LARGE - 2048, [2048] * 3), (found.length, [member.offset for member in found.members]))

    def test_only_what_lasts_is_said_again(self) -> None:
        self.dmsetup.add("m", self.table("a", "b", more=" 4 assume_same on region_kib 64"))
        self.assertEqual(0, self.grow()[0])
        self.is_line(LARGE, "a", "b")

    def test_without_a_file(self) -> None:
        (self.etc / "m.conf").unlink()
        self.assertEqual(0, self.grow()[0])
        self.assertEqual([], list(self.etc.iterdir()))

    def test_a_member_that_is_not_here(self) -> None:
        self.dmsetup.add("m", self.table("a", "-", more=KEYS))
        self.assertEqual(0, self.grow("--add", self.path / "c")[0])
        self.is_line(SECTORS, "a", "-", "c")
        self.assertEqual(["A", "B", "C"], self.kept())
        self.assertEqual(str(self.path / "b"), self.saved_line().members[1].device)

    def test_dry_run_changes_nothing(self) -> None:
        before = (self.path / "meta").read_bytes()
        code, told, _ = self.grow("--add", self.path / "c", "--dry-run")
        self.assertEqual((0, "m: 64 MiB on 2 members, becomes 256 MiB on 3\n"
                          f"dmsetup reload m\n    {self.line(LARGE, 'a', 'b', 'c')}\n"
                          "dmsetup suspend --nolockfs m\ndmsetup resume m\n"), (code, told))
        self.assertEqual((self.saved, before), ((self.etc / "m.conf").read_text(), (self.path / "meta").read_bytes()))
        self.is_line(SECTORS, "a", "b")


class Refused(Growing):
    def test_sizes(self) -> None:
        self.refuses("a has room for 268435456 bytes, 536870912 are needed", "--size", "512m")
        self.refuses("m has 67108864 bytes, and a mirror cannot become smaller", "--size", "32m")
        self.refuses("67112448 is no multiple of 4096 bytes", "--size", str((64 << 20) + 3584))
        self.refuses("'x' is no size", "--size", "x")
        self.refuses("m has 64 MiB and 2 members already", "--size", "64m")

    def test_nothing_to_do(self) -> None:
        self.disk("a", SECTORS * 512)
        self.refuses("m has 64 MiB and 2 members already: make its members larger, or give --add")

    def test_new_members(self) -> None:
        self.disk("c", SECTORS * 512 - 4096)
        self.refuses("c has room for 67104768 bytes, 67108864 are needed", "--add", self.path / "c")
        self.refuses("are the same device", "--add", self.path / "d", self.path / "d")
        self.refuses("are the same device", "--add", self.path / "a")
        self.refuses("are the same device", "--add", self.path / "meta")
        self.refuses("x is no block device", "--add", self.path / "x")
        self.refuses("at most 8 members, and m would have 9", "--add", *[self.path / "d"] * 7)

    def test_what_is_on_them(self) -> None:
        self.signatures["c"] = "xfs"
        self.refuses("c is xfs, which would be written over with the data of the mirror: --yes", "--add", self.path / "c")
        self.assertEqual(0, self.grow("--yes", "--add", self.path / "c")[0])

    def test_in_use(self) -> None:
        with mock.patch.object(Device, "check_unused", side_effect=ToolError("c is mounted on /mnt")):
            self.refuses("c is mounted on /mnt", "--add", self.path / "c")

    def test_the_metadata_device(self) -> None:
        self.sizes["meta"] = 6 * BLOCK_BYTES - 1
        self.refuses("meta has 24 KiB, 24576 bytes are needed for the metadata")

    def test_members_that_are_not_here(self) -> None:
        self.dmsetup.add("m", self.table("a", "-", more=KEYS))
        self.assertIn("member 1 is not here, so nobody knows", self.grow("--size", "128m")[2])
        self.assertIn("m has 64 MiB and 2 members already", self.grow()[2])
        self.dmsetup.add("m", self.table("a", "gone", more=KEYS))
        self.assertIn("/gone, is not there any more: ssdqos mirror replace m 1 NEWDEV", self.grow()[2])

    def test_one_that_cannot_rest(self) -> None:
        self.dmsetup.add("m", self.table("a", "b", more=KEYS), TURNS.replace("meta_failed=0", "meta_failed=1"))
        self.refuses("m cannot rest: its metadata cannot be written")

    def test_others(self) -> None:
        self.assertIn("n cannot be asked", self.run_tool("mirror", "grow", "n")[2])
        self.dmsetup.devices["gold"] = ["0 8 ssdqos 8:16 0"]
        self.assertIn("gold is no mirror", self.run_tool("mirror", "grow", "gold")[2])

    def test_by_the_kernel(self) -> None:
        self.dmsetup.refuse = "reload"
        self.refuses("the kernel refuses")


class Failed(Growing):
    """After the mirror rests: the old table goes on."""

    def as_before(self) -> None:
        self.assertEqual(self.saved, (self.etc / "m.conf").read_text())
        self.assertEqual(["A", "B"], self.kept())
        self.is_line(SECTORS, "a", "b")

    def test_a_suspend(self) -> None:
        self.dmsetup.refuse = "suspend"
        self.assertEqual(2, self.grow()[0])
        self.assertEqual(["reload", "suspend", "clear"], self.changes())
        self.as_before()

    def test_the_file(self) -> None:
        with mock.patch("ssdqos.streams.conf.write", side_effect=ToolError("m.conf cannot be written")):
            self.assertIn("m.conf cannot be written", self.grow()[2])
        self.assertEqual(["reload", "suspend", "clear", "resume"], self.changes())
        self.as_before()

    def test_the_metadata_cannot_be_written(self) -> None:
        self.dmsetup.bad_resumes = 1
        code, _, told = self.grow("--add", self.path / "c")
        self.assertEqual((2, True), (code, told.endswith("meta: 'x' can't be written (-5)\n")), told)
        self.assertEqual(["reload", "suspend", "resume", "reload", "resume"], self.changes())
        self.as_before()

    def test_nor_read(self) -> None:
        self.dmsetup.bad_resumes = 2
        self.assertIn("its old table cannot begin either (meta: 'x' can't be written (-5)): m is suspended",
                      self.grow()[2])
        self.as_before()

    def test_it_has_grown_all_the_same(self) -> None:
        """The kernel refuses the old table then; the file has to have the new one."""
        self.dmsetup.bad_resumes = 1
        with mock.patch.object(self.dmsetup, "go_back", side_effect=ToolError("can't become smaller")):
            self.assertEqual(2, self.grow()[0])
        self.assertEqual(LARGE, self.saved_line().length)


class Identities(Growing):
    """The map gets a block where they were."""

    def cut(self, when: str, *words: str) -> None:
        self.dmsetup.cut = when
        with self.assertRaises(Cut):
            self.grow(*words)
        self.dmsetup.cut = ""

    def test_they_are_kept(self) -> None:
        self.assertEqual(0, self.grow("--add", self.path / "c")[0])
        self.assertEqual(["A", "B", "C"], self.kept())

    def test_of_one_that_says_nothing_today(self) -> None:
        self.says["b"] = ""
        self.assertEqual(0, self.grow()[0])
        self.assertEqual(["A", "B"], self.kept())

    def test_in_whichever_place_they_are(self) -> None:
        for said in ("X", "B"):
            self.dmsetup.add("m", self.table("a", "b", more=KEYS))
            self.keep("A", said)
            self.cut("before")
            self.assertEqual(["A", said], self.kept())

    def test_a_cut_before_it_has_grown(self) -> None:
        """It has two members still, and three at the next boot; a and b have changed places."""
        self.cut("before", "--add", self.path / "c")
        self.assertEqual(["A", "B"], self.kept())
        self.says = {"a": "B", "b": "A", "c": "C"}
        del self.dmsetup.devices["m"]
        self.assertEqual((0, "", ""), self.restore("m"))
        self.is_line(LARGE, "b", "a", "c")
        self.assertEqual(["A", "B", "C"], self.kept())

    def test_a_cut_after_it_has_grown(self) -> None:
        """Nobody knows then, until it begins again."""
        self.cut("after")
        self.assertEqual([], self.kept())
        self.assertEqual(LARGE, self.saved_line().length)
        self.assertEqual(0, self.again()[0])
        self.assertEqual(["A", "B"], self.kept())

    def test_what_is_not_longer_is_left_alone(self) -> None:
        before = (self.path / "meta").read_bytes()[:6 * BLOCK_BYTES]
        self.cut("before", "--size", "128m")
        self.assertEqual(before, (self.path / "meta").read_bytes()[:6 * BLOCK_BYTES])

    def test_no_room(self) -> None:
        with (self.path / "meta").open("r+b") as file:
            file.truncate(6 * BLOCK_BYTES)
        told = self.grow()[1]
        self.assertIn("meta is too small to keep which disk is which member any longer: then only names count\n", told)
        self.assertEqual([], self.kept())

    def test_by_hand(self) -> None:
        """In the file it is longer, and b is not here: it grows when it is made again."""
        conf.MirrorConf("m", line.parse(self.line(LARGE, "a", "-"))).write(self.etc)
        del self.dmsetup.devices["m"]
        self.dmsetup.cut = "before"
        with self.assertRaises(Cut):
            self.restore("m")
        self.assertEqual(["A", "B"], self.kept())
        self.dmsetup.cut = ""
        del self.dmsetup.devices["m"]
        self.assertEqual((0, "", ""), self.restore("m"))
        self.is_line(LARGE, "a", "-")
        self.assertEqual(["A", "B"], self.kept())

    def test_they_cannot_be_kept(self) -> None:
        with mock.patch.object(Metadata, "keep_identities", side_effect=ToolError("the metadata cannot be written")):
            self.assertIn("m has grown, but which disk is which member is not kept: the metadata cannot be written",
                          self.grow()[2])
        self.assertEqual(LARGE, self.saved_line().length)


if __name__ == "__main__":
    unittest.main()
