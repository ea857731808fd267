# SPDX-License-Identifier: GPL-2.0
"""Members of mirrors come back when the NVMe controller that they are behind has its link again."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from ssdqos import __main__ as tool
from ssdqos.device import System
from ssdqos.errors import ToolError
from ssdqos.mirror import join
from ssdqos.streams.memory import Memory
from test_mirror_tool import FAILED, REBUILDING, TURNS, MirrorDmsetup

WHERE = ("fail", "join", "reconnected")
LAST = "fail: member 1 is the last one that has all"


class Reconnected(unittest.TestCase):
    """Member 0 of mirror m is a local disk, member 1 a partition of one behind nvme1."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.memory = Memory(self.path / "run")
        self.dmsetup = MirrorDmsetup()
        self.disk("8:16", "devices/pci/nvme0/nvme0n1")
        self.disk("8:32", "devices/virtual/nvme-subsystem/nvme-subsys1/nvme1n1/nvme1n1p1", "partition")
        (self.path / "devices/virtual/nvme-subsystem/nvme-subsys1/nvme1").mkdir()
        patches = [mock.patch(f"ssdqos.mirror.{where}.Dmsetup", self.dmsetup) for where in WHERE]
        patches += [mock.patch(f"ssdqos.mirror.{where}.Memory", lambda: self.memory) for where in WHERE]
        patches += [mock.patch("ssdqos.mirror.reconnected.System", lambda: System(sys=self.path)),
                    mock.patch("ssdqos.streams.alone.LOCK", self.path / "run/lock"), mock.patch.object(join, "PAUSE_S", 0)]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)

    def disk(self, number: str, place: str, *files: str) -> None:
        directory = self.path / place
        directory.mkdir(parents=True)
        for name in files:
            (directory / name).touch()
        (self.path / "dev/block").mkdir(parents=True, exist_ok=True)
        (self.path / "dev/block" / number).symlink_to(directory)

    def told(self, *words: str) -> tuple[int, str]:
        """And what it prints."""
        self.dmsetup.calls.clear()
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out), \
                mock.patch("sys.argv", ["ssdqos", "mirror", *words]):
            return tool.main(), out.getvalue()

    def messages(self) -> list[tuple[str, ...]]:
        return [call[3:] for call in self.dmsetup.calls if call[0] == "message"]

    def test_one_that_had_failed_joins(self) -> None:
        self.dmsetup.add("m", told=FAILED)
        self.assertEqual(0, self.told("reconnected", "nvme1")[0])
        self.assertEqual([("join", "1")], self.messages())

    def test_what_it_may_have_lost_is_copied_again(self) -> None:
        for status in (TURNS, REBUILDING):
            self.dmsetup.add("m", told=status)
            self.assertEqual(0, self.told("reconnected", "nvme1")[0])
            self.assertEqual([("fail", "1"), ("join", "1")], self.messages())

    def test_it_has_more_patience_than_people(self) -> None:
        self.dmsetup.add("m", told=FAILED)
        self.dmsetup.not_yet = join.TRIES
        self.assertEqual(0, self.told("reconnected", "nvme1")[0])
        self.assertEqual(join.TRIES + 1, len(self.messages()))

    def test_others_are_left_alone(self) -> None:
        self.dmsetup.add("m", told=FAILED)
        self.assertEqual(0, self.told("reconnected", "nvme2")[0])
        self.assertEqual([], self.messages())

    def test_one_that_is_no_path_of_several(self) -> None:
        self.dmsetup.add("m")
        self.told("reconnected", "nvme0")
        self.assertEqual([("fail", "0"), ("join", "0")], self.messages())

    def test_a_member_that_is_not_here(self) -> None:
        self.dmsetup.add("m", "0 131072 ssdqos-ianus 2 8:16 0 - 0 8:48 0", FAILED)
        self.assertEqual(0, self.told("reconnected", "nvme1")[0])
        self.assertEqual([], self.messages())

    def test_who_was_given_up_by_hand_stays_so(self) -> None:
        self.dmsetup.add("m", told=FAILED)
        self.told("fail", "m", "1")
        self.assertIn("given up by hand", self.told("reconnected", "nvme1")[1])
        self.assertEqual([], self.messages())
        self.told("join", "m", "1")
        self.told("reconnected", "nvme1")
        self.assertEqual([("join", "1")], self.messages())

    def test_until_the_mirror_begins_anew(self) -> None:
        self.memory.note_given_up("m", 1)
        self.memory.note_given_up("m2", 1)
        self.memory.note_all_back("m")
        self.assertFalse(self.memory.is_given_up("m", 1))
        self.assertTrue(self.memory.is_given_up("m2", 1))

    def test_who_alone_has_all_stays(self) -> None:
        self.dmsetup.add("m")
        with mock.patch.object(self.dmsetup, "do_message", side_effect=ToolError(LAST)):
            self.assertEqual((1, f"ssdqos: m: member 1: {LAST}\n"), self.told("reconnected", "nvme1"))


if __name__ == "__main__":
    unittest.main()
