# SPDX-License-Identifier: GPL-2.0
"""Questions for a computed answer: what makes no sense is said in one sentence, and how answers are told."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

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
                ("--bs", ("1g", "4", "0", "511", "17m"), "--bs: '{}' is not from 512 to 16m"),
                ("--window", ("61s", "1h", "99ms", "0s"), "--window: '{}' is not from 100 ms to 60 s"),
                ("--confidence", ("0", "1", "49", "49.9%"), "--confidence: '{}' is not from 50 % to 99.9 %"),
                ("--iodepth", ("-1", "1025"), "--iodepth: '{}' is not from 0 to 1024 requests"),
                ("--queue-depth", ("-1", "0", "99999999"), "--queue-depth: '{}' is not from 1 to 1024 requests"),
                ("--best-effort", ("-500", "0", "501", "1000"), "--best-effort: '{}' is not from 1 to 500 permille")):
            for value in values:
                self.refuses(why.format(value), *RATE, option, value)

    def test_a_rate_that_is_none_or_too_much(self) -> None:
        for option, values, why in (("--iops", ("0", "-1", "100000001"), "--iops: '{}' is not from 1 to 100000000 IOPS"),
                                    ("--mb-s", ("0", "1000001"), "--mb-s: '{}' is not from 1 to 1000000 MB/s"),
                                    ("--util-ppm", ("0", "1000001"), "--util-ppm: '{}' is not from 1 to 1000000 ppm")):
            for value in values:
                self.refuses(why.format(value), "--read", "rand", option, value)
        self.refuses("--bs: '0' is not from 512 to 16m", "--read", "rand", "--mb-s", "5", "--bs", "0")

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
        for text, why in (("write rand 4k 0iops", "its rate: '0iops' is not from 1 to 100000000 IOPS"),
                          ("write rand 4k 1000001mb/s", "its rate: '1000001mb/s' is not from 1 to 1000000 MB/s"),
                          ("write rand 4k 2000000ppm", "its rate: '2000000ppm' is not from 1 to 1000000 ppm"),
                          ("read rand 4 10iops", "its size: '4' is not from 512 to 16m"),
                          ("read rand 4k 10iops d5000", "its depth: 'd5000' is not from 0 to 1024 requests"),
                          ("read rand 4k 10iops 100s 3%", "its window: '100s' is not from 100 ms to 60 s"),
                          ("read rand 4k 10iops 10s 3%", "its confidence: '3%' is not from 50 % to 99.9 %"),
                          ("read rand 4k 10iops 10", "its window: '10' is no time such as 3s or 500ms"),
                          ("read up 4k 10iops", "'read up' is not read or write, seq or rand"),
                          ("read rand 4k", "it is not such as 'write rand 4k 500iops 3s 99%'")):
            self.refuses(f"--with {text!r}: {why}", *RATE, "--with", text)


class Doubts(Asked):
    """Which cells that had not settled an answer rests on, besides those of its own cost."""

    ROWS = """\
mixed 20 1 990 - 1100 1000
mixed 20 32 990 - 1100 1000
beside_of 4096 1 1 990 - 1100 1000
beside_of 4096 10 1 990 - 1100 1000
beside_of 4096 40 1 990 - 1100 1000
beside_of 65536 10 1 990 - 1100 1000
"""
    LINE = "99%:1s off 9% in 60s"

    def unsettled(self, *cells: str) -> None:
        meta = "".join(f"meta unsettled.{cell} {self.LINE}\n" for cell in cells)
        self.profile.write_text(PROFILE.replace("window_ms", f"meta missed_spent_pct 50\n{meta}window_ms", 1) + self.ROWS)

    def rests_on(self, *words: str) -> list[str]:
        said = [line for line in self.ask(*words).splitlines() if "had not settled" in line]
        return said[0].partition("measured: ")[2].partition(". ")[0].split(", ") if said else []

    def test_mixtures_of_the_depth_that_counts(self) -> None:
        self.unsettled("mix-rand-4k-d32-r70", "mix-rand-4k-d1-r90", "beside-rand-64k-d32-w10", "beside-rand-64k-d8-w10",
                       "discard-seq-64k-d1", "colour-red")
        self.assertEqual(["mix-rand-4k-d32-r70", "beside-rand-64k-d32-w10"], self.rests_on(*RATE))
        self.assertEqual([], self.rests_on(*RATE, "--window", "3s"))
        # the longest window counts in mixtures too, and the smallest depth
        self.assertEqual(["mix-rand-4k-d32-r70", "beside-rand-64k-d32-w10"],
                         self.rests_on(*RATE, "--window", "3s", "--with", "write rand 4k 10iops 1s"))
        self.assertEqual(["mix-rand-4k-d1-r90"], self.rests_on(*RATE, "--iodepth", "1"))
        self.assertEqual(["mix-rand-4k-d1-r90"], self.rests_on(*RATE, "--with", "write rand 4k 10iops d1"))
        # a part of the time has no cost, and is in a mixture all the same
        self.assertEqual(["mix-rand-4k-d32-r70", "beside-rand-64k-d32-w10"], self.rests_on("--read", "rand", "--util-ppm", "500"))
        # reads are all there is, but for a thousandth
        self.assertEqual([], self.rests_on("--read", "rand", "--util-ppm", "990000", "--best-effort", "1"))

    def test_reads_beside_writes(self) -> None:
        self.unsettled("beside-rand-4k-d1-w1", "beside-rand-4k-d1-w10", "beside-rand-4k-d1-w40", "beside-rand-64k-d1-w10",
                       "beside-rand-4k-d8-w10")
        one = (*RATE, "--iodepth", "1")
        self.assertEqual(["beside-rand-4k-d1-w1"], self.rests_on(*one))
        more = ("--with", "write rand 4k 200000ppm")
        self.assertEqual(["beside-rand-4k-d1-w10", "beside-rand-4k-d1-w40"], self.rests_on(*one, *more))
        self.assertEqual(["beside-rand-4k-d1-w10", "beside-rand-4k-d1-w40", "beside-rand-64k-d1-w10"],
                         self.rests_on(*one, *more, "--bs", "16k"))
        self.assertEqual([], self.rests_on(*RATE, *more))

    def test_costs_of_other_promises(self) -> None:
        self.unsettled("write-rand-4k-d32", "read-rand-4k-d1")
        self.assertEqual([], self.rests_on(*RATE))
        self.assertEqual(["write-rand-4k-d32"], self.rests_on(*RATE, "--with", "write rand 4k 10iops"))

    def test_they_are_in_the_json(self) -> None:
        self.unsettled("mix-rand-4k-d32-r70")
        told = self.ask(*RATE).splitlines()
        doubts = json.loads(self.ask(*RATE, "--json"))["doubts"]
        self.assertEqual(1, len(doubts))
        self.assertEqual(told[-1:], doubts)
        self.assertIn("mix-rand-4k-d32-r70", doubts[0])


class NotToBeHad(Asked):
    """What the profile promises nothing of does not fit: it is an answer, not wrong input."""

    SHORT = (*RATE, "--window", "500ms")

    def test_it_does_not_fit(self) -> None:
        told = self.ask(*self.SHORT)
        self.assertEqual(1, self.status)
        self.assertEqual("100 IOPS of read rand 4k over 500 ms in 99 % of windows: does not fit.", told.splitlines()[0])
        self.assertIn("nothing can be promised; 1 s and more can.", told)
        self.assertIn("What would fit: this rate over 1 s.", told)
        self.assertNotIn("It costs", told)
        self.profile.write_text(PROFILE.replace("150000 100000", "- -"))
        told = self.ask(*self.SHORT)
        self.assertIn("no other window can either.", told)
        self.assertIn("No rate and no window would fit.", told)

    def test_it_has_an_answer_in_json(self) -> None:
        told = json.loads(self.ask(*self.SHORT, "--json"))
        self.assertEqual(1, self.status)
        self.assertEqual((0, 0, 0, 1000), (told["fits"], told["cost_ns"], told["fit_iops"], told["fit_window_ms"]))
        self.assertEqual(990000, told["free_ppm"])
        self.assertIn("nothing can be promised; 1 s and more can", told["why"])
        self.assertIn("doubts", told)
        self.assertNotIn("why", json.loads(self.ask(*RATE, "--json")))

    def test_another_promise_that_cannot_be_had_is_wrong_input(self) -> None:
        text = "read rand 4k 10iops 500ms"
        with self.assertRaisesRegex(ToolError, f"^--with '{text}': .*nothing can be promised; 1 s and more can$"):
            self.ask(*RATE, "--with", text)

    def test_a_window_below_all_that_were_measured(self) -> None:
        self.profile.write_text(PROFILE.replace("window_ms 100", "window_ms 900"))
        told = self.ask(*self.SHORT)
        self.assertEqual(1, self.status)
        self.assertIn("shorter than the shortest one that was measured, 900 ms; 1 s and more can.", told)


class Combinations(Asked):
    def test_what_means_nothing_is_refused(self) -> None:
        self.refuses("--drive asks a drive, --profile computes without one: give one of them", *RATE, "--drive", "nosuchdrive")
        self.refuses("--pattern goes with --op; --read and --write say it themselves", *RATE, "--pattern", "seq")
        self.refuses("--pattern goes with --op; --read and --write say it themselves", "--write", "rand", "--iops", "5",
                     "--pattern", "rand")
        self.assertIn("of read seq 4k", self.ask("--op", "read", "--iops", "5", "--pattern", "seq"))
        self.assertIn("of read rand 4k", self.ask("--op", "read", "--iops", "5"))


class OfALiveDrive(unittest.TestCase):
    def test_what_is_for_a_computed_answer_is_refused(self) -> None:
        for words in (("--queue-depth", "8"), ("--best-effort", "5")):
            with self.subTest(words), mock.patch("ssdqos.admit.Dmsetup"), self.assertRaises(ToolError) as refused:
                args = tool.parse(["admit", "gold", *RATE, *words])
                args.main(args)
            self.assertEqual(f"{words[0]} is for --profile; a live drive has its own", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
