# SPDX-License-Identifier: GPL-2.0
"""Questions for a computed answer: what makes no sense is said in one sentence, and how answers are told."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import tempfile
import unittest
from pathlib import Path

from ssdqos import __main__ as tool
from ssdqos.errors import ToolError
from ssdqos.qos import promise, ranges
from ssdqos.qos.admission import DriveSettings
from ssdqos.qos.promise import RATE_KEYS

TOP = Path(__file__).resolve().parents[2]
PROFILE = """\
ssdqos-profile 1
window_ms 100 1000 3000
cost read rand 4096 1 990 - 200000 200000
cost read rand 4096 32 990 - 150000 100000
cost write rand 4096 32 990 - 800000 400000
"""
# As "make docs" writes a parameter that has a range.
PARAMETER = re.compile(r"``(\w+)``\n    [^\n]*?Range: (\d+) to (\d+)(?: ([^.]+))?\.  Default: (\d+)\.")
RATE = ("--read", "rand", "--iops", "100")


class Asked(unittest.TestCase):
    """A profile, and a question of it."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.profile = Path(scratch.name) / "drive.profile"
        self.profile.write_text(PROFILE)

    def ask(self, *words: str) -> str:
        """What it prints; raises ToolError."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            args = tool.parse(["admit", "gold", "--profile", str(self.profile), *words])
            self.status = args.main(args)
        return out.getvalue()

    def refuses(self, why: str, *words: str) -> None:
        with self.subTest(words):
            with self.assertRaises(ToolError) as refused:
                self.ask(*words)
            self.assertEqual(why, str(refused.exception))


class Ranges(Asked):
    def test_they_are_those_of_the_module(self) -> None:
        rows = {name: (int(least), int(most), unit, int(default)) for name, least, most, unit, default in
                PARAMETER.findall((TOP / "docs/ssdqos-params.rst").read_text())}
        for name, found in ranges.RANGES.items():
            with self.subTest(name):
                # a rate of 0 is no promise, and nobody asks for none
                least = max(rows[name][0], 1 if name in RATE_KEYS else 0)
                self.assertEqual((least, rows[name][1]), (found.least, found.most))
                self.assertIn(found.unit, ("", rows[name][2]))
        for name, value in promise.DEFAULTS.items():
            if name not in promise.WORD_KEYS:
                self.assertIn(name, ranges.RANGES)
                self.assertEqual(rows[name][3], int(value), name)
        for name, value in dataclasses.asdict(DriveSettings()).items():
            self.assertEqual(rows[f"drive_{name}"][3], value, name)

    def test_what_is_outside_is_refused_by_the_option(self) -> None:
        for option, values, why in (
                ("--bs", ("1g", "4", "0", "511", "17m"), "--bs is from 512 to 16m, not {}"),
                ("--window", ("61s", "1h", "99ms", "0s"), "--window is from 100 ms to 60 s, not {}"),
                ("--confidence", ("0", "1", "49", "49.9%"), "--confidence is from 50 % to 99.9 %, not {}"),
                ("--iodepth", ("-1", "1025"), "--iodepth is from 0 to 1024 requests, not {}"),
                ("--queue-depth", ("-1", "0", "99999999"), "--queue-depth is from 1 to 1024 requests, not {}"),
                ("--best-effort", ("-500", "0", "501", "1000"), "--best-effort is from 1 to 500 permille, not {}")):
            for value in values:
                self.refuses(why.format(value), *RATE, option, value)

    def test_a_rate_that_is_none_or_too_much(self) -> None:
        for option, values, why in (("--iops", ("0", "-1", "100000001"), "--iops is from 1 to 100000000 IOPS, not {}"),
                                    ("--mb-s", ("0", "1000001"), "--mb-s is from 1 to 1000000 MB/s, not {}"),
                                    ("--util-ppm", ("0", "1000001"), "--util-ppm is from 1 to 1000000 ppm, not {}")):
            for value in values:
                self.refuses(why.format(value), "--read", "rand", option, value)
        self.refuses("--bs is from 512 to 16m, not 0", "--read", "rand", "--mb-s", "5", "--bs", "0")

    def test_the_ends_are_allowed(self) -> None:
        for words in (("--bs", "512"), ("--bs", "16m"), ("--window", "60s"), ("--confidence", "50"), ("--confidence", "99.9"),
                      ("--iodepth", "1024"), ("--queue-depth", "1024"), ("--best-effort", "1"), ("--best-effort", "500")):
            with self.subTest(words):
                self.assertTrue(self.ask(*RATE, *words))

    def test_what_is_no_such_word_is_refused_by_the_option(self) -> None:
        self.refuses("--window: '0' is no time such as 3s or 500ms", *RATE, "--window", "0")
        self.refuses("--bs: 'big' is no size such as 4k, 64k or 1m", *RATE, "--bs", "big")
        self.refuses("--confidence: '100' is no confidence in percent such as 99 or 99.9", *RATE, "--confidence", "100")

    def test_other_promises_have_the_same_ranges(self) -> None:
        for text, why in (("write rand 4k 0iops", "its rate is from 1 to 100000000 IOPS, not 0iops"),
                          ("write rand 4k 1000001mb/s", "its rate is from 1 to 1000000 MB/s, not 1000001mb/s"),
                          ("write rand 4k 2000000ppm", "its rate is from 1 to 1000000 ppm, not 2000000ppm"),
                          ("read rand 4 10iops", "its size is from 512 to 16m, not 4"),
                          ("read rand 4k 10iops d5000", "its depth is from 0 to 1024 requests, not d5000"),
                          ("read rand 4k 10iops 100s 3%", "its window is from 100 ms to 60 s, not 100s"),
                          ("read rand 4k 10iops 10s 3%", "its confidence is from 50 % to 99.9 %, not 3%"),
                          ("read rand 4k 10iops 10", "its window: '10' is no time such as 3s or 500ms"),
                          ("read up 4k 10iops", "'read up' is not read or write, seq or rand"),
                          ("read rand 4k", "it is not such as 'write rand 4k 500iops 3s 99%'")):
            self.refuses(f"--with {text!r}: {why}", *RATE, "--with", text)


if __name__ == "__main__":
    unittest.main()
