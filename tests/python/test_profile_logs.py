# SPDX-License-Identifier: GPL-2.0
"""Logs of fio that are damaged make no profile, and one sentence."""

from __future__ import annotations

import unittest

from test_measurement import Command


class Logs(Command):
    def test_garbage_is_said_in_a_sentence(self) -> None:
        for text, said in ((b"garbage\n", "read-rand-4k-d8_clat_hist.1.log:1: no row of fio's histogram log"),
                           (b"101, 0, 4096, 1\n8000\n", "read-rand-4k-d8_clat_hist.1.log:2: no row of fio's histogram log"),
                           (b"101, 0, 4096, 1\n-8000, 0, 4096, 1\n", ":2: no row of fio's histogram log"),
                           (b"9000, -1, 4096, 1\n", ":1: no row of fio's histogram log"),
                           (b"\xff\xfe\n", "is no log of fio: it is no text"),
                           (b"", "seconds that are counted: '-5' is not from 1 to 86400 s"),
                           (b"99999999999999, 0, 4096, 1\n", "seconds that are counted: '99999999994' is not from 1 to 86400 s")):
            (self.path / "read-rand-4k-d8_clat_hist.1.log").write_bytes(text)
            with self.subTest(text):
                done = self.profile("--logs", str(self.path), "--out", str(self.out))
                self.assertEqual((2, 1), (done.returncode, len(done.stderr.splitlines())), done.stderr)
                self.assertIn(said, done.stderr)
                self.assertFalse(self.out.exists())

    def test_a_result_that_is_none_is_not_asked(self) -> None:
        for name, direction in (("read-rand-4k-d8", 0), ("write-rand-4k-d8", 1)):
            (self.path / f"{name}_clat_hist.1.log").write_text("".join(f"{at}, {direction}, 4096, 3\n"
                                                                       for at in range(101, 9000, 100)))
            (self.path / f"{name}.json").write_text('{"jobs": {"0": 1}, "x": 2}' if direction else '{"jobs": [7]}')
        done = self.profile("--logs", str(self.path), "--out", str(self.out))
        self.assertEqual((0, ""), (done.returncode, done.stderr))


if __name__ == "__main__":
    unittest.main()
