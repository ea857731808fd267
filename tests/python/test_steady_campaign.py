# SPDX-License-Identifier: GPL-2.0
"""Pure functions of tests/campaign/lib/steady, and runs that are kept."""

import array
import pathlib
import struct
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib import campaign  # noqa: E402
from lib.steady import drives, large, state, written  # noqa: E402
from lib.steady.runs import Drive, Run, Runs  # noqa: E402

BLOCK_SHIFT = 2
UNMAPPED = 0xffffffff


def saved_state(states: list[int], l2p: list[int], nr_planes: int) -> bytes:
    header = state.HEADER.pack(0, 0, 0, 4, len(l2p), 0, len(states), nr_planes, BLOCK_SHIFT, 0, 0, 0,
                               len(l2p), 1, 0, 0, 0, 0, 0)
    blocks = b"".join(struct.pack("<QIIII", 0, 0, 0, 0, one) for one in states)
    return (header.ljust(state.HEADER_BYTES, b"\0") + bytes(state.CHIP_BYTES) + blocks
            + bytes(nr_planes * state.PLANE_BYTES) + bytes(4 * len(states)) + array.array("I", l2p).tobytes())


class Looks(unittest.TestCase):

    def test_a_state_is_read(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch, "state")
            path.write_bytes(saved_state([0, 2, 2, 1], [4, 5, 8, UNMAPPED, 12], 2))
            self.assertEqual(state.look(path), {"free": {"0": 1, "1": 1}, "tenths": {"2": 1, "5": 1}})

    def test_looks_are_added(self) -> None:
        looks = [{"free": {"2": 3, "3": 1}}, {"free": {"3": 4}}]
        self.assertEqual(state.add(looks, "free"), {2: 37.5, 3: 62.5})

    def test_farthest_has_its_sign(self) -> None:
        found = {"written_seen": {"free": {"2": 60, "3": 40}}, "aged_seen": {"free": {"2": 50, "3": 45, "4": 5}}}
        self.assertEqual(drives.farthest(found, "free"), -10)

    def test_who_was_written_most(self) -> None:
        self.assertEqual(large.most({"aged": [], "10": [], "200": []}), "200")


class Kept(unittest.TestCase):
    """A simulator that writes down what it was asked for."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = pathlib.Path(scratch.name)
        patch = mock.patch.object(campaign, "runs_of", lambda name: self.place / name)
        patch.start()
        self.addCleanup(patch.stop)
        simulator = self.place / "sim"
        simulator.write_text("")
        self.runs = Runs(simulator, quick=True, again=False)
        self.runs.say = lambda _text: None
        self.asked: list[Run] = []
        self.runs._make = self.make  # type: ignore[method-assign]
        self.drive = Drive("a", "a", "ttflash", 100)

    def make(self, run: Run, key: str, path: pathlib.Path) -> None:
        self.asked.append(run)
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")
        if run.ends:
            self.runs.state(key).touch()

    def test_it_goes_on_where_it_was(self) -> None:
        key = written.write(self.runs, self.drive, 10)
        self.assertEqual(len(self.asked), 3)
        self.assertEqual(written.write(self.runs, self.drive, 10), key)
        self.assertEqual(len(self.asked), 3)
        written.write(self.runs, self.drive, 15)
        self.assertEqual(len(self.asked), 4)
        self.assertEqual(self.asked[-1].start, key)

    def test_a_state_that_is_gone_is_made_again(self) -> None:
        key = written.write(self.runs, self.drive, 5)
        self.runs.state(key).unlink()
        self.assertEqual(written.write(self.runs, self.drive, 5), key)
        self.assertEqual(len(self.asked), 3)


if __name__ == "__main__":
    unittest.main()
