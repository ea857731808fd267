# SPDX-License-Identifier: GPL-2.0
"""Does it fit?  Against numbers computed by hand."""

from __future__ import annotations

import dataclasses
import unittest

from ssdqos import answer_view
from ssdqos.errors import ToolError
from ssdqos.qos import admission, cost, mixture, profile_file, promise
from ssdqos.qos.admission import Answer, DriveSettings
from ssdqos.qos.promise import Promise
from ssdqos.qos.request import RequestClass

PROFILE = profile_file.parse("""\
ssdqos-profile 1
window_ms 1000 3000
cost read rand 4096 32 990 150001 100000
cost write rand 4096 32 990 800000 400000
cost write seq 4096 32 990 - 50000
mix 20 1100
mix 60 1300
""")


# Sums are easier to follow without a margin.
EXACT = DriveSettings(margin_permille=0)


def admit(others: list[str], text: str, settings: DriveSettings | None = None) -> Answer:
    settings = settings or EXACT
    return admission.admit(PROFILE, [promise.parse(other) for other in others], promise.parse(text), settings)


class Texts(unittest.TestCase):
    def test_reads_a_promise(self) -> None:
        self.assertEqual(Promise(RequestClass("write", "rand"), 4096, min_iops=500, window_ms=3000,
                                 confidence_permille=999), promise.parse("write rand 4k 500iops 3s 99.9%"))
        self.assertEqual(Promise(RequestClass("read", "seq"), 65536, min_mb_s=20),
                         promise.parse("read seq 64k 20mb/s"))

    def test_the_depth_may_come_last(self) -> None:
        self.assertEqual(8, promise.parse("write rand 4k 500iops 3s 99.9% d8").iodepth)
        self.assertEqual(8, promise.parse("read rand 4k 500iops d8").iodepth)

    def test_keys_and_back(self) -> None:
        for text in ("write rand 4k 500iops 2500ms 95", "write rand 4k 500iops 2500ms 95 sliding"):
            made = promise.parse(text)
            self.assertEqual(made, promise.from_keys(made.keys() | {"weight": "7"}))

    def test_which_windows_count_comes_at_the_end(self) -> None:
        plain = promise.parse("read rand 4k 500iops 2s 95 d8")
        sliding = promise.parse("read rand 4k 500iops 2s 95 d8 sliding")
        self.assertEqual((promise.ALIGNED, promise.SLIDING), (plain.windows, sliding.windows))
        self.assertEqual(plain, dataclasses.replace(sliding, windows=promise.ALIGNED))
        self.assertEqual(plain, promise.parse("read rand 4k 500iops 2s 95 d8 aligned"))
        self.assertEqual({"windows": "sliding"}.items(), sliding.said().items() - plain.said().items())
        self.assertIn("95 % of sliding windows", str(sliding))
        with self.assertRaisesRegex(ToolError, "'tumbling' is not aligned or sliding"):
            promise.from_keys({"windows": "tumbling"})

    def test_says_what_is_no_promise(self) -> None:
        for text in ("write rand 4k", "write up 4k 5iops", "write rand x 5iops", "write rand 4k 5 3s",
                     "write rand 4k 5iops 3", "write rand 4k 5iops 3s high", "write rand 4k 5iops 3s 99 x"):
            with self.subTest(text), self.assertRaises(ToolError):
                promise.parse(text)
        with self.assertRaisesRegex(ToolError, "only one"):
            Promise(min_iops=1, util_ppm=1)


class Utilisation(unittest.TestCase):
    def test_is_rounded_up(self) -> None:
        # 999 * 150.001 us are 149850.999 ppm
        self.assertEqual(149851, admit([], "read rand 4k 999iops").util_ppm)
        self.assertEqual(16, promise.parse("read rand 4k 101iops").utilisation_ppm(150))

    def test_of_megabytes(self) -> None:
        # 4096000 bytes/s would be 1000 IOPS; 4 MB/s are 976.5625 at 100 us each
        self.assertEqual(97657, admit([], "read rand 4k 4mb/s 3s").util_ppm)

    def test_a_rate_owns_a_margin(self) -> None:
        wanted = admit([], "read rand 4k 1000iops 3s").util_ppm
        self.assertEqual(wanted * 1025 // 1000, admit([], "read rand 4k 1000iops 3s", DriveSettings()).util_ppm)
        self.assertEqual(250000, admit([], "read rand 4k 250000ppm", DriveSettings()).util_ppm)

    def test_of_device_time_needs_no_profile(self) -> None:
        answer = admission.admit(None, [], promise.parse("read rand 4k 250000ppm"), DriveSettings())
        self.assertEqual((1, 250000, 250000, 990000),
                         (answer.fits, answer.util_ppm, answer.used_ppm, answer.free_ppm))
        with self.assertRaisesRegex(ToolError, "needs the drive's profile"):
            admission.admit(None, [], promise.parse("read rand 4k 5iops"), DriveSettings())


class Mix(unittest.TestCase):
    def test_is_linear_between_rows_and_flat_beyond(self) -> None:
        self.assertEqual([1100, 1100, 1150, 1300, 1300],
                         [mixture.between(PROFILE.mix, pct) for pct in (0, 20, 30, 60, 100)])

    def test_falling_factor(self) -> None:
        self.assertEqual(1350, mixture.between({50: 1700, 100: 1000}, 75))


class Admission(unittest.TestCase):
    def test_by_hand(self) -> None:
        # reads 1000 * 100 us: 100000 ppm; writes 500 * 400 us: 200000 ppm, and 10000 for who has no promise;
        # writes are 67 %: 1300
        answer = admit(["read rand 4k 1000iops 3s"], "write rand 4k 500iops 3s")
        self.assertEqual((1, 200000, 393000, 879000, 1300, 400000),
                         (answer.fits, answer.util_ppm, answer.used_ppm, answer.free_ppm,
                          answer.mix_factor_permille, answer.cost_ns))

    def test_limit_is_what_best_effort_leaves(self) -> None:
        exactly = DriveSettings(best_effort_permille=120, margin_permille=0)
        self.assertEqual(1, admit([], "read rand 4k 7890iops 3s", exactly).fits)
        self.assertEqual(0, admit([], "read rand 4k 7891iops 3s", exactly).fits)
        self.assertEqual(1, admit([], "read rand 4k 7891iops 3s").fits)

    def test_says_which_rate_would_fit(self) -> None:
        answer = admit([], "read rand 4k 20000iops 3s")
        # 1000000 ppm / 1.1 at 100 us, less the 1 % that is kept for others
        self.assertEqual((0, 8990, 0, 990000), (answer.fits, answer.fit_iops, answer.fit_mb_s, answer.free_ppm))
        self.assertEqual(1, admit([], "read rand 4k 8990iops 3s").fits)
        self.assertEqual(0, admit([], "read rand 4k 8991iops 3s").fits)

    def test_says_which_rate_would_fit_in_its_unit(self) -> None:
        # 8990 IOPS of 4 KiB are 36.82 MB/s
        answer = admit([], "read rand 4k 100mb/s 3s")
        self.assertEqual((0, 0, 36), (answer.fits, answer.fit_iops, answer.fit_mb_s))

    def test_says_which_part_of_the_time_would_fit(self) -> None:
        # (P + 10000) * 1.1 - 10000, reads beside 1 % of writes
        answer = admit([], "read rand 4k 999000ppm")
        self.assertEqual((0, 899090, 0), (answer.fits, answer.fit_util_ppm, answer.fit_iops))
        self.assertEqual((1, 0), (admit([], "read rand 4k 899090ppm").fits, admit([], "read rand 4k 899091ppm").fits))
        self.assertEqual(0, admit([], "read rand 4k 20000iops 3s").fit_util_ppm)
        alone = admission.admit(None, [], promise.parse("read rand 4k 999000ppm"), EXACT)
        self.assertEqual((0, 990000), (alone.fits, alone.fit_util_ppm))

    def test_says_which_window_would_fit(self) -> None:
        # 1000 * 800 us * 1.3 is more than all of it, 1000 * 400 us * 1.3 is not
        self.assertEqual(3000, admit([], "write rand 4k 1000iops 1s").fit_window_ms)
        self.assertEqual(1000, admit([], "write rand 4k 100iops 1s").fit_window_ms)
        self.assertEqual(0, admit([], "write rand 4k 3000iops 1s").fit_window_ms)

    def test_refuses_what_nothing_can_be_promised_of(self) -> None:
        with self.assertRaisesRegex(cost.NoCost, "without any request.*3 s and more can"):
            admit([], "write seq 4k 1iops 1s")

    def test_reads_need_their_part_of_the_queue_depth(self) -> None:
        # 1,000 reads of 100 us are a tenth of 32
        self.assertEqual(4, admit([], "read rand 4k 1000iops 3s").least_depth)
        # with no more than 8 a read counts as 400 us, as 32 were measured only: two fifths of 8
        self.assertEqual(4, admit([], "read rand 4k 1000iops 3s", DriveSettings(queue_depth=8)).least_depth)
        self.assertEqual(7, admit([], "read rand 4k 1000iops 3s", DriveSettings(queue_depth=64)).least_depth)
        self.assertEqual(0, admit([], "write rand 4k 100iops 3s").least_depth)

    def test_says_what_the_cost_rests_on(self) -> None:
        answer = admit([], "read seq 8k 1000iops 2s 99.9 d4")
        self.assertEqual((4, "rand", 4096, 4096, 1000, 32, 32, 990),
                         (answer.asked_depth, answer.from_pattern, answer.from_bytes, answer.from_bytes_to,
                          answer.from_window_ms, answer.from_depth, answer.from_depth_to,
                          answer.from_confidence_permille))
        self.assertEqual(("none", 0), (admit([], "read rand 4k 1000ppm").from_pattern,
                                       admit([], "read rand 4k 1000ppm").from_bytes))

    def test_with_fewer_at_a_time_than_was_measured_there_is_that_part_of_the_rate(self) -> None:
        # 32 at a time do 10,000 a second, so one of them 312.5; and a drive that gets no more than one likewise
        self.assertEqual(3_200_000, admit([], "read rand 4k 100iops 3s d1").cost_ns)
        # (280 * 3200 + 10000) * 1.1 are 996600 ppm; another one would be 3520 more
        self.assertEqual((0, 280), (admit([], "read rand 4k 5000iops 3s d1").fits, admit([], "read rand 4k 5000iops 3s d1").fit_iops))
        self.assertEqual(3_200_000, admit([], "read rand 4k 100iops 3s", DriveSettings(queue_depth=1)).cost_ns)
        # rounded up: 150001 * 32 / 3 = 1600010.7
        self.assertEqual(1_600_011, admit([], "read rand 4k 10iops d3").cost_ns)

    def test_what_is_too_slow_for_a_cost_then_is_not_promised(self) -> None:
        slow = profile_file.parse("ssdqos-profile 1\nwindow_ms 1000\ncost read rand 4096 32 990 134217728\n"
                                  "cost write rand 4096 32 990 134217727\n")
        # 32 times it is 2^32
        with self.assertRaises(cost.NoCost):
            admission.admit(slow, [], promise.parse("read rand 4k 1iops d1"), EXACT)
        self.assertEqual(134217727 * 32, admission.admit(slow, [], promise.parse("write rand 4k 1iops d1"), EXACT).cost_ns)

    def test_says_what_it_costs_others(self) -> None:
        # before: 101000 * 1.1 - 10000; then reads of 200000, and 10000 of writes: 210000 * 1.1 - 10000
        answer = admit(["read rand 4k 910iops 3s"], "read rand 4k 1090iops 3s")
        self.assertEqual((1_000_000 - 101_100, 1_000_000 - 221_000), (answer.left_before_ppm, answer.left_ppm))
        # (200000 + 580000) * 1.3 is more than all of it, with 570000 it is 1001000, with 560000 988000
        self.assertEqual(560_000, answer.spare_write_ppm)

    def test_says_which_promise_is_the_largest(self) -> None:
        answer = admit(["read rand 4k 1000ppm", "write rand 4k 9000ppm", "read rand 4k 9000ppm"], "read rand 4k 5ppm")
        self.assertEqual((9000, "1"), (answer.largest_ppm, answer.largest))
        self.assertEqual((0, "none"), (admit([], "read rand 4k 5ppm").largest_ppm, admit([], "read rand 4k 5ppm").largest))

    def test_reads_the_kernels_answer(self) -> None:
        reply = ("fits=1 util_ppm=2 used_ppm=3 free_ppm=4 mix_factor_permille=5 cost_ns=6 fit_iops=7 "
                 "fit_window_ms=8 from_pattern=seq new=9 largest=253:0+8\n")
        self.assertEqual(Answer(1, 2, 3, 4, 5, 6, 7, fit_window_ms=8, from_pattern="seq", largest="253:0+8"),
                         admission.parse_answer(reply))
        with self.assertRaisesRegex(ToolError, "not understood"):
            admission.parse_answer("fits=maybe")


class Sentences(unittest.TestCase):
    def told(self, others: list[str], text: str, largest: str = "") -> str:
        return " ".join(answer_view.sentences(admit(others, text), promise.parse(text), largest))

    def test_what_was_measured_as_asked_needs_no_warning(self) -> None:
        told = self.told([], "read rand 4k 1000iops 3s 99% d32")
        self.assertIn("what the profile has of read rand 4k over 3 s in 99 % of windows, with 32 at a time", told)
        self.assertNotIn("Mind", told)

    def test_says_what_is_nearer_or_less_than_asked(self) -> None:
        told = self.told([], "read seq 8k 1000iops 2s 99.9 d4")
        for text in ("of 99.9 % of windows, no more than 99 % were measured", "read seq was not measured",
                     "8k is beyond the sizes", "not longer than 2 s is 1 s",
                     "fewer than 32 at a time were not measured, so 4 get 4/32 of what 32 do: their rate is on a straight line to zero"):
            self.assertIn(text, told)

    def test_says_what_has_more_at_a_time_than_was_measured(self) -> None:
        deep = DriveSettings(queue_depth=64)
        told = " ".join(answer_view.sentences(admit([], "read rand 4k 1000iops 3s", deep),
                                              promise.parse("read rand 4k 1000iops 3s"), ""))
        self.assertIn("64 at a time is beyond the depths that were measured", told)
        self.assertNotIn("zero", told)

    def test_says_what_the_mixture_adds_and_what_is_left(self) -> None:
        told = self.told(["read rand 4k 910iops 3s"], "read rand 4k 1090iops 3s")
        for text in ("reads and writes together cost 10 % more than alone", "77.90 % is left for others",
                     "before it was 89.89 %.",
                     "Writes that nobody was promised get up to 56 % of what they get alone, before it was 67 %."):
            self.assertIn(text, told)

    def test_others_may_write_more_than_is_left_where_only_a_few_writes_are_dear(self) -> None:
        """What is left is reckoned with the mixture that there is, what others may write with theirs in it."""
        dear = profile_file.parse("ssdqos-profile 1\nwindow_ms 1000\ncost read rand 4096 32 990 100000\n"
                                  "cost write rand 4096 32 990 100000\nmixed 10 32 990 4000\nmixed 60 32 990 1100\n")
        wanted = promise.parse("read rand 4k 1500iops")
        answer = admission.admit(dear, [], wanted, EXACT)
        self.assertLess(answer.left_ppm, answer.spare_write_ppm)
        told = " ".join(answer_view.sentences(answer, wanted, ""))
        self.assertIn("56.20 % is left for others", told)
        self.assertIn(f"get up to {answer.spare_write_ppm // 10_000} % of what they get alone", told)
        self.assertNotIn("of it", told)

    def test_a_refusal_names_the_largest_promise(self) -> None:
        others = ["read rand 4k 400000ppm"]
        self.assertIn("The largest promise that there is has 40.00 % of the time: gold.",
                      self.told(others, "read rand 4k 600000ppm", "gold"))
        self.assertNotIn("largest", self.told(others, "read rand 4k 100000ppm", "gold"))

    def test_a_refused_part_of_the_time_says_which_would_fit(self) -> None:
        wanted = promise.parse("read rand 4k 999000ppm")
        told = " ".join(answer_view.sentences(admission.admit(None, [], wanted, EXACT), wanted, ""))
        self.assertIn("What would fit: 99.00 % of the time (990000 ppm).", told)
        self.assertNotIn("No rate", told)
        full = [promise.parse("read rand 4k 990000ppm")]
        told = " ".join(answer_view.sentences(admission.admit(None, full, wanted, EXACT), wanted, ""))
        self.assertIn("No part of the time would fit.", told)
        # an older kernel does not say which
        old = dataclasses.replace(admission.admit(None, [], wanted, EXACT), fit_util_ppm=0)
        self.assertNotIn("would fit", " ".join(answer_view.sentences(old, wanted, "")))

    def test_a_refusal_claims_nothing_of_what_is_not_promised(self) -> None:
        told = self.told([], "read rand 4k 20000iops 3s")
        for text in ("holds if the client", "left for others", "cost what they cost alone"):
            self.assertNotIn(text, told)
        self.assertIn("99.00 % could be promised before; with it it would be 220.10 % or more "
                      "(reads and writes together cost 10 % more than alone).", told)
        # writes are less than a hundredth of the time, and count as none: no mixture is spoken of
        plain = admission.admit(None, [], promise.parse("read rand 4k 999000ppm"), EXACT)
        self.assertIn("with it it would be 99.90 % or more.", " ".join(answer_view.sentences(
            plain, promise.parse("read rand 4k 999000ppm"), "")))

    def test_the_depth_that_is_needed_is_told_to_who_has_not_said_it(self) -> None:
        self.assertIn("holds if the client has at least 4 requests at a time", self.told([], "read rand 4k 1000iops 3s"))
        self.assertNotIn("holds if the client", self.told([], "read rand 4k 1000iops 3s d32"))

    def test_windows_that_slide_are_told_what_is_different(self) -> None:
        plain, sliding = self.told([], "read rand 4k 1000iops 3s"), self.told([], "read rand 4k 1000iops 3s sliding")
        self.assertIn("to make up for stops of the drive the client is given spare time before its neighbours; where the drive has none left, "
                      "such windows are missed a little more often.", sliding)
        self.assertNotIn("spare time", plain)
        self.assertNotIn("spare time", self.told([], "read rand 4k 20000iops 3s sliding"))

    def test_an_answer_of_an_older_kernel_says_no_more_than_it_knows(self) -> None:
        old = Answer(1, 100000, 390000, 880000, 1300, 400000)
        told = answer_view.sentences(old, promise.parse("write rand 4k 250iops 3s"), "")
        self.assertEqual(3, len(told))


if __name__ == "__main__":
    unittest.main()
