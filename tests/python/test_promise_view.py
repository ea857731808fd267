# SPDX-License-Identifier: GPL-2.0
"""Whether a promise is kept, from what sysfs says of it."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

from ssdqos import promise_view
from ssdqos.promise_view import BROKEN, KEPT, UNSURE, VERDICTS, Promise

CORE = Path(__file__).resolve().parents[2] / "dm-ssdqos/core"


def verdict(met: int, missed: int, confidence_permille: int = 990, is_sliding: bool = False) -> str:
    return Promise(1000, confidence_permille, is_sliding, met, missed).verdict()


class Verdicts(unittest.TestCase):
    def test_the_same_windows_are_kept_or_broken_by_the_confidence(self) -> None:
        self.assertEqual([KEPT, BROKEN], [verdict(987, 13, confidence) for confidence in (950, 990)])

    def test_exactly_what_was_promised_is_kept(self) -> None:
        for confidence, judged in ((500, 10), (900, 100), (950, 100), (990, 1000), (999, 10000)):
            may_miss = judged * (1000 - confidence) // 1000
            self.assertEqual([KEPT, BROKEN], [verdict(judged - missed, missed, confidence)
                                              for missed in (may_miss, may_miss + 1)], confidence)

    def test_too_few_until_one_of_them_may_be_missed(self) -> None:
        self.assertEqual([UNSURE, UNSURE, KEPT], [verdict(0, 0), verdict(99, 0), verdict(100, 0)])
        self.assertEqual([UNSURE, KEPT], [verdict(18, 1, 950), verdict(19, 1, 950)])
        self.assertEqual([334, 1000], [Promise(1000, confidence, False, 0, 0).least() for confidence in (997, 999)])

    def test_one_missed_of_few_says_nothing_but_more_than_they_all_may_do(self) -> None:
        self.assertEqual([UNSURE, BROKEN], [verdict(5, 1), verdict(5, 2)])

    def test_of_windows_that_slide_one_bad_moment_is_in_eight(self) -> None:
        self.assertEqual([UNSURE, BROKEN, UNSURE, KEPT], [verdict(met, missed, 990, is_sliding=True)
                                                          for met, missed in ((20, 8), (20, 9), (799, 0), (800, 0))])

    def test_each_is_one_of_those_that_are_listed(self) -> None:
        self.assertEqual({KEPT, BROKEN, UNSURE}, set(VERDICTS))


class Lines(unittest.TestCase):
    def line(self, *words: int, is_sliding: bool = False) -> str:
        window_ms, confidence, met, missed = words
        return promise_view.line(Promise(window_ms, confidence, is_sliding, met, missed))

    def test_terms_and_verdict(self) -> None:
        self.assertEqual("promised in 95 % of windows of 3 s: kept, 13 of 1,000 were missed, 50 may be",
                         self.line(3000, 950, 987, 13))
        self.assertEqual("promised in 99 % of windows of 0.5 s: BROKEN, 103 of 10,000 were missed, 100 may be",
                         self.line(500, 990, 9897, 103))
        self.assertEqual("promised in 99.9 % of sliding windows of 2.5 s: too few yet to say, 12 of 8,000, 1 was missed",
                         self.line(2500, 999, 11, 1, is_sliding=True))
        self.assertEqual("promised in 99 % of windows of 1 s: too few yet to say, 0 of 100, 0 were missed",
                         self.line(1000, 990, 0, 0))


class Words(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.params(window_ms="3000", confidence_permille="990", windows="aligned")

    def params(self, **values: str) -> None:
        (self.path / "params").mkdir(exist_ok=True)
        for name, value in values.items():
            (self.path / "params" / name).write_text(f"{value}\n")

    def words(self, **status: str) -> dict[str, str]:
        return promise_view.words(self.path, {"util_ppm": "250000", "windows": "200", "windows_met": "97",
                                              "windows_missed": "3", "windows_idle": "100"} | status)

    def test_idle_windows_do_not_count(self) -> None:
        self.assertEqual({"promise_window_ms": "3000", "promise_confidence_permille": "990", "promise_windows": "aligned",
                          "promise_least_windows": "100", "verdict": "broken"}, self.words())

    def test_where_nothing_is_promised_there_is_nothing_to_keep(self) -> None:
        self.assertEqual({}, self.words(util_ppm="0"))

    def test_what_sysfs_does_not_say_is_not_guessed(self) -> None:
        for name, value in (("window_ms", "soon"), ("window_ms", "0"), ("confidence_permille", "1000"),
                            ("confidence_permille", "0"), ("windows", "")):
            before = (self.path / "params" / name).read_text()
            self.params(**{name: value})
            self.assertEqual({}, self.words(), f"{name} {value}")
            (self.path / "params" / name).write_text(before)
        (self.path / "params/window_ms").unlink()
        self.assertEqual({}, self.words())

    def test_the_same_promise_from_these_words(self) -> None:
        status = {"util_ppm": "250000", "windows_met": "97", "windows_missed": "3"}
        self.assertEqual(Promise(3000, 990, False, 97, 3), promise_view.of(status | promise_view.words(self.path, status)))
        self.assertIsNone(promise_view.of(status))

    def test_parameters_and_parts_are_the_kernels(self) -> None:
        rows = "".join(path.read_text() for path in (CORE / "rules").iterdir() if path.suffix in (".c", ".h"))
        for name in promise_view.PARAMETERS:
            self.assertRegex(rows, rf"\b{name}\b")
        parts = re.search(r"#define SSDQOS_WATCH_PARTS (\d+)", (CORE / "qos/watch.h").read_text())
        self.assertEqual(str(promise_view.SLIDING_PARTS), parts[1] if parts else "")
        self.assertRegex(rows, rf'"{promise_view.SLIDING}"')


if __name__ == "__main__":
    unittest.main()
