# SPDX-License-Identifier: GPL-2.0
"""The profile file, and costs looked up in it."""

from __future__ import annotations

import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from ssdqos.errors import ToolError
from ssdqos.qos import cost, profile_file
from ssdqos.qos.cost import Terms
from ssdqos.qos.profile_file import BesideKey, CostKey, Fit, MixedKey, Profile
from ssdqos.qos.request import RequestClass

READ_RAND = RequestClass("read", "rand")
TEXT = """\
# made by hand
ssdqos-profile 1
meta model Drive A, the first one
meta quick 1
window_ms 100 1000 3000
cost read rand 4096 8 900 90000 80000 70000
cost read rand 4096 32 900 45000 40000 35000
cost read rand 4096 32 990 - 50000 40000
cost read rand 16384 32 990 400000 110000 100000
cost read rand 65536 32 990 900000 500001 400000
cost write rand 4096 32 990 - 900000 500000
mix 0 1000
mix 50 1400
mixed 50 32 990 1300 1200 1100
beside_of 65536 10 1 990 - 4000 2000
beside 10 1 990 - 5000 3000
flush 900 - 700000 600000
flush 990 - - 900000
discard seq 65536 400000
discard seq 33554432 8000000
discard rand 65536 900000
stop 2100 240000
fit additive read rand base_ns 40000 per_kib_ns 500 residual_pct 7
"""


def lookup(window_ms: int, confidence: int, depth: int, size: int) -> int:
    profile = profile_file.parse(TEXT)
    return cost.lookup(profile, READ_RAND, size, Terms(window_ms, confidence, depth))


class Parsing(unittest.TestCase):
    def test_reads_all_kinds_of_lines(self) -> None:
        profile = profile_file.parse(TEXT)
        self.assertEqual({"model": "Drive A, the first one", "quick": "1"}, profile.meta)
        self.assertEqual((100, 1000, 3000), profile.windows_ms)
        self.assertEqual((None, 50000, 40000), profile.costs[CostKey(READ_RAND, 4096, 32, 990)])
        self.assertEqual({0: 1000, 50: 1400}, profile.mix)
        self.assertEqual({MixedKey(50, 32, 990): (1300, 1200, 1100)}, profile.mixed)
        self.assertEqual({BesideKey(10, 1, 990): (None, 5000, 3000), BesideKey(10, 1, 990, 65536): (None, 4000, 2000)}, profile.beside)
        self.assertEqual({900: (None, 700000, 600000), 990: (None, None, 900000)}, profile.flush)
        self.assertEqual({"seq": {65536: 400000, 33554432: 8000000}, "rand": {65536: 900000}}, profile.discards)
        self.assertEqual((2100, 240000), profile.stop)
        self.assertEqual([Fit("additive", READ_RAND, 40000, 500, 7)], profile.fits)

    def test_what_is_written_is_read_again(self) -> None:
        profile = profile_file.parse(TEXT)
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "profile"
            profile_file.write(profile, path)
            self.assertEqual(profile, profile_file.read(path))

    def test_a_file_is_replaced_at_once_or_not_at_all(self) -> None:
        profile = profile_file.parse(TEXT)
        with tempfile.TemporaryDirectory() as scratch:
            path, link = Path(scratch) / "profile", Path(scratch) / "link"
            path.write_text("old\n")
            link.symlink_to(path)
            was_synced = []
            with mock.patch("os.fsync", lambda _: was_synced.append(path.read_text())):
                profile_file.write(profile, link)
            # first the new content, then the name that it has now
            self.assertEqual(["old\n", profile.text()], was_synced)
            self.assertEqual((profile, path), (profile_file.read(path), link.resolve()))
            with mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")), \
                    self.assertRaisesRegex(ToolError, "profile cannot be written: No space left on device"):
                profile_file.write(Profile(windows_ms=(1,)), path)
            self.assertEqual(profile, profile_file.read(path))
            self.assertEqual({path, link}, set(Path(scratch).iterdir()))
            with self.assertRaisesRegex(ToolError, "none/profile cannot be written: No such file or directory"):
                profile_file.write(profile, Path(scratch) / "none/profile")

    def test_what_is_no_file_is_written_to(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            pipe = Path(scratch) / "pipe"
            os.mkfifo(pipe)
            with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)) as reader:
                profile_file.write(profile_file.parse(TEXT), pipe)
                self.assertIn("\nwindow_ms 100 1000 3000\n", reader.read())
            self.assertTrue(pipe.is_fifo())

    def test_words_for_the_kernel_leave_out_what_is_for_people(self) -> None:
        words = profile_file.parse(TEXT).words()
        self.assertTrue(words.startswith("ssdqos-profile 1 window_ms 100 1000 3000 cost read rand 4096 8 900 90000 "))
        self.assertTrue(words.endswith("mix 0 1000 mix 50 1400 mixed 50 32 990 1300 1200 1100 "
                                       "beside 10 1 990 - 5000 3000 beside_of 65536 10 1 990 - 4000 2000 flush 900 - 700000 600000 flush 990 - - 900000 "
                                       "discard rand 65536 900000 discard seq 65536 400000 discard seq 33554432 8000000 "
                                       "stop 2100 240000"))
        for word in ("meta", "fit", "#", "\n"):
            self.assertNotIn(word, words)

    def test_too_long_for_the_kernel(self) -> None:
        many = {CostKey(READ_RAND, 4096, depth, 990): (10**9,) * 10 for depth in range(1, 700)}
        with self.assertRaisesRegex(ToolError, "leave sizes or depths out"):
            Profile(windows_ms=tuple(range(1, 11)), costs=many).words()

    def test_names_the_line_that_is_wrong(self) -> None:
        for bad, why in (("cost read rand 4096 32 990 1 2", ":3: 2 costs for 3 windows"),
                         ("cost read zigzag 4096 32 990 1 2 3", "read zigzag"),
                         ("cost read rand 4096 32 990 1 x 3", "'x' is no whole number"),
                         ("cost read rand 5000 32 990 1 2 3", "no power of two"),
                         ("window_ms 5", "not expected"), ("colour red", "not expected"),
                         ("mix 101 5", "up to 100"),
                         ("mixed 100 1 990 1 2 3", "mixed wants at most 99 % of writes, not 100"),
                         ("mixed 5 1 990 1 2 3\nmixed 5 1 990 1 2 3", "a second mixed 5 1 990"),
                         ("beside 101 1 990 1 2 3", "beside wants at most 100 % of writes, not 101"),
                         ("beside_of 5000 10 1 990 1 2 3", "no power of two"),
                         ("beside_of 4096 10 1 990 1 2", "2 costs for 3 windows"),
                         ("beside_of 4096 10 1 990 1 2 3\n" * 2, "a second beside_of 4096 10 1 990"),
                         ("flush 900 1 2", "2 costs for 3 windows"), ("flush 990 1 2 3\nflush 900 1 2 3", "rising"),
                         ("discard seq 4096", ":3: discard wants an order, a size and a cost, such as"),
                         ("discard back 4096 5", "discard wants an order, seq or rand, not 'back'"),
                         ("discard seq 256 5", "'256' is not from 512 to 1073741824"),
                         ("discard seq 2147483648 5", "'2147483648' is not from 512 to 1073741824"),
                         ("discard seq 4096 5\ndiscard seq 4096 5", "'4096' is not from 4097 to"),
                         ("discard seq 4096 0", "'0' is not from 1 to 4294967294"),
                         ("\n".join(f"discard seq {512 + at} 5" for at in range(25)), "more than 24 discard rows"),
                         ("stop 0 5", "'0' is not from 1 to 86400000"),
                         ("stop 5", "stop wants its length"),
                         ("stop 5 5\nstop 5 5", "stop stands there twice"),
                         ("fit linear read rand base_ns 1 per_kib_ns 1 residual_pct 1", "linear"),
                         ("fit max read rand base_ns 1", "per_kib_ns")):
            with self.subTest(bad), self.assertRaisesRegex(ToolError, why):
                profile_file.parse(f"ssdqos-profile 1\nwindow_ms 1 2 3\n{bad}\n")

    def test_says_how_many_words_are_missing(self) -> None:
        for bad, why in (("cost read rand 4096", "cost has 3 words, at least 6 are needed"),
                         ("mix 5", "mix has 1 word, 2 are needed"), ("mix 5 1000 1", "mix has 3 words, 2 are needed"),
                         ("mixed 50 32", "mixed has 2 words, at least 4 are needed"),
                         ("beside 1 1 990", "beside has 3 words, at least 4 are needed"),
                         ("beside_of", "beside_of has 0 words, at least 5 are needed"),
                         ("beside_of 4096 1 1 990", "beside_of has 4 words, at least 5 are needed"),
                         ("flush", "flush has 0 words, at least 2 are needed"),
                         ("window_ms", "window_ms wants rising numbers"),
                         ("fit max", "fit has 1 word, at least 3 are needed"),
                         ("fit max read rand base_ns 1 per_kib_ns 2 residual 3", "fit wants residual_pct")):
            with self.subTest(bad), self.assertRaises(ToolError) as refused:
                profile_file.parse(f"ssdqos-profile 1\n{'' if 'window' in bad else 'window_ms 1 2 3'}\n{bad}\n")
            self.assertEqual(f"profile:3: {why}", str(refused.exception))

    def test_a_file_that_was_cut_is_refused(self) -> None:
        with self.assertRaisesRegex(ToolError, "^profile is cut: its last line has no end$"):
            profile_file.parse(TEXT[:-1])
        whole = profile_file.parse(TEXT).text()
        self.assertIn("\nmeta rows 19\n", whole)
        lines = whole.splitlines(keepends=True)
        for kept in range(2, len(lines)):
            with self.subTest(kept), self.assertRaises(ToolError):
                profile_file.parse("".join(lines[:kept]))
        with self.assertRaises(ToolError) as refused:
            profile_file.parse("".join(lines[:-3]))
        self.assertEqual("profile has 16 of the 19 rows that it says ('meta rows 19'): it is cut", str(refused.exception))
        with self.assertRaisesRegex(ToolError, r"has 20 rows, and says 19 \('meta rows 19'\)"):
            profile_file.parse(whole + "fit max read rand base_ns 1 per_kib_ns 1 residual_pct 1\n")
        with self.assertRaisesRegex(ToolError, ":2: 'many' is no whole number"):
            profile_file.parse(whole.replace("rows 19", "rows many"))

    def test_what_has_no_number_of_rows_is_read_as_ever(self) -> None:
        self.assertEqual(profile_file.parse(TEXT), profile_file.parse(profile_file.parse(TEXT).text()))
        self.assertNotIn("rows", profile_file.parse(profile_file.parse(TEXT).text()).meta)
        self.assertEqual(6, len(profile_file.parse("".join(TEXT.splitlines(keepends=True)[:11])).costs))

    def test_limits_are_the_cores(self) -> None:
        core = (Path(__file__).resolve().parents[2] / "dm-ssdqos/core/qos/profile.h").read_text()
        limits = {name: int(number) for name, number in re.findall(r"#define SSDQOS_PROFILE_MAX_(\w+) (\d+)", core)}
        self.assertEqual({"WINDOWS": profile_file.WINDOWS_MAX, "ROWS": profile_file.ROWS_MAX,
                          "MIXES": profile_file.MIXES_MAX, "MIXED": profile_file.MIXED_MAX,
                          "FLUSHES": profile_file.FLUSHES_MAX, "DISCARDS": profile_file.DISCARDS_MAX}, limits)
        self.assertIn("#define SSDQOS_PROFILE_DISCARD_BYTES (1u << 30)\n", core)
        self.assertEqual(1 << 30, profile_file.DISCARD_BYTES_MAX)

    def test_as_many_rows_as_the_kernel_takes(self) -> None:
        rows = [f"cost {op} rand 4096 {depth} 990 5" for op in ("read", "write") for depth in range(1, 513)]
        text = "\n".join(["ssdqos-profile 1", "window_ms 1", *rows, ""])
        self.assertEqual(1024, len(profile_file.parse(text).costs))
        with self.assertRaisesRegex(ToolError, "more than 16 windows, 16 mixes or 1024 costs$"):
            profile_file.parse(text + "cost read rand 4096 513 990 5\n")

    def test_says_what_is_no_profile(self) -> None:
        with self.assertRaisesRegex(ToolError, "first line"):
            profile_file.parse("hello\n")
        with self.assertRaisesRegex(ToolError, "no cost"):
            profile_file.parse("ssdqos-profile 1\nwindow_ms 1\n")
        with self.assertRaisesRegex(ToolError, "no cost of a write"):
            profile_file.parse("ssdqos-profile 1\nwindow_ms 1\ncost read rand 512 1 990 5\n")
        with self.assertRaisesRegex(ToolError, "a second cost"):
            profile_file.parse(TEXT + "cost read rand 4096 8 900 1 2 3\n")


class Costs(unittest.TestCase):
    def test_takes_the_longest_window_that_is_not_longer(self) -> None:
        self.assertEqual(50000, lookup(2999, 990, 32, 4096))
        self.assertEqual(40000, lookup(60000, 990, 32, 4096))

    def test_takes_the_least_confidence_that_is_not_less(self) -> None:
        self.assertEqual(40000, lookup(1000, 900, 32, 4096))
        self.assertEqual(50000, lookup(1000, 901, 32, 4096))

    def test_takes_the_greatest_confidence_where_all_are_less(self) -> None:
        self.assertEqual(50000, lookup(1000, 999, 32, 4096))

    def test_rates_lie_on_a_line_between_depths(self) -> None:
        # 12,500 a second with the lesser depth, 25,000 with 32
        self.assertEqual(40000, lookup(1000, 900, 32, 4096))
        self.assertEqual(40852, lookup(1000, 900, 31, 4096))

    def test_below_the_least_depth_the_rate_is_on_a_line_to_zero(self) -> None:
        # 80000 * 8 / 7, rounded up
        self.assertEqual(91429, lookup(1000, 900, 7, 4096))
        self.assertEqual(640000, lookup(1000, 900, 1, 4096))

    def test_is_linear_between_sizes(self) -> None:
        self.assertEqual(50000 + 60000 // 3, lookup(1000, 990, 32, 8192))
        # 32 KiB lie at a third of 110000 to 500001, 24 KiB in the middle between 16 and 32
        self.assertEqual(110000 + 390001 // 3, lookup(1000, 990, 32, 32768))
        self.assertEqual(110000 + 390001 // 3 // 2, lookup(1000, 990, 32, 24576))

    def test_rounds_down_where_it_falls(self) -> None:
        self.assertEqual(3, cost.between(0, 5, 2, 2, 1))

    def test_grows_with_the_size_beyond_the_largest(self) -> None:
        self.assertEqual(1000002, lookup(1000, 990, 32, 131072))

    def test_is_that_of_the_smallest_below(self) -> None:
        self.assertEqual(50000, lookup(1000, 990, 32, 512))
        self.assertEqual(50000, lookup(1000, 990, 32, 1))

    def test_other_pattern_where_a_class_was_not_measured(self) -> None:
        self.assertEqual(40000, cost.lookup(profile_file.parse(TEXT), RequestClass("read", "seq"), 4096,
                                            Terms(3000, 990, 32)))

    def test_says_why_there_is_none(self) -> None:
        for arguments, why in (((50, 990, 32, 4096), "shorter than the shortest"),
                               ((100, 990, 32, 4096), "without any request"),
                               ((100, 990, 32, 8192), "without any request")):
            with self.subTest(arguments), self.assertRaisesRegex(cost.NoCost, why):
                lookup(*arguments)
        with self.assertRaisesRegex(cost.NoCost, "no cost of a read"):
            cost.lookup(Profile(windows_ms=(1000,)), READ_RAND, 4096, Terms(1000, 990, 32))


if __name__ == "__main__":
    unittest.main()
