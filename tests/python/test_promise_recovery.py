# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: the part recovery, and what goes wrong for a minute."""

import dataclasses
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools"), str(TOP / "tests/python")]

from drawn_promises import PROFILE, OnASmallDrive, drawn, owner  # noqa: E402
from lib.promise import aftermath, draw, drives, neighbours, recovery, trouble  # noqa: E402
from lib.promise.runs import stream  # noqa: E402
from ssdqos.paths import SIMULATOR  # noqa: E402
from ssdqos.qos import admission  # noqa: E402
from ssdqos.qos.promise import SLIDING, WINDOW_PARTS, Promise  # noqa: E402


class Recovery(unittest.TestCase):
    def test_windows_are_counted_from_the_warm_up_on(self):
        begin = draw.WARM_UP_S
        events = [["a0", begin + 1.0, 1], ["a0", begin + 6.0, 3], ["a1", begin + 2.0, 1], ["a0", begin - 1.0, 1]]
        self.assertEqual(recovery.missed_windows(events, "a0", Promise()), {0, 3, 4, 5})

    def test_windows_that_slide_begin_with_each_eighth(self):
        begin, sliding = draw.WARM_UP_S, Promise(window_ms=500, windows=SLIDING)
        events = [["a0", begin + 0.5, 1], ["a0", begin + 0.6250001, 2], ["a0", begin + 1.0, 1]]
        self.assertEqual(recovery.missed_windows(events, "a0", sliding), {0, 1, 2, 8})
        self.assertEqual(recovery.ended(500_000, sliding), 1)
        self.assertEqual(recovery.ended(1_062_499, sliding), 9)
        one = owner(confidence_permille=990)
        one = dataclasses.replace(one, promise=dataclasses.replace(one.promise, windows=SLIDING))
        for missed, after in (({480, 481}, 1), (set(range(480, 489)), 1), (set(range(480, 490)), 2)):
            self.assertEqual(recovery.recovered_after(one, missed, 480, 640), after, missed)

    def test_the_first_window_after_the_trouble_begins_when_it_is_over(self):
        for window_ms in draw.WINDOWS_MS:
            for windows, parts in WINDOW_PARTS.items():
                first = recovery.first_after(Promise(window_ms=window_ms, windows=windows))
                self.assertEqual(first * window_ms, trouble.LASTS_S * 1000 * parts, (window_ms, windows))

    def test_it_holds_again_when_the_rest_is_met_as_the_confidence_says(self):
        strict, loose = owner(confidence_permille=990), owner(confidence_permille=900)
        for missed, promise, after in ((set(), strict, 0), ({60, 61}, strict, 2), ({60, 70}, strict, 11),
                                       ({60, 61}, loose, 0), (set(range(60, 80)), strict, None)):
            self.assertEqual(recovery.recovered_after(promise, missed, 60, 80), after, missed)

    def test_what_never_holds_shows_nothing(self):
        def row(anyway: bool, after: int | None) -> dict:
            return {"name": "one", "drive": "x, fifo", "trouble": recovery.SLOW, "window_ms": 1000, "windows": 20,
                    "holds_anyway": anyway, "broken": True, "missed_after": 3, "after": after}
        self.assertEqual(recovery.soon_pct(recovery.counted([row(True, 2), row(False, None)])), 100)
        self.assertEqual(recovery.soon_pct(recovery.counted([row(True, 2), row(True, 3)])), 50)
        after = {"name": "one", "trouble": recovery.SLOW, "pct": 95.0}
        result = {"rows": [row(True, 2), row(True, None)], "neighbours": [after, after, {**after, "pct": 1.0}]}
        self.assertIn(recovery.NEVER, recovery.section(result))
        self.assertEqual([one[3] for one in recovery.goals(result)], ["met", "below", "met"])

    def test_neighbours_are_counted_from_ten_seconds_after_the_trouble_on(self):
        end = trouble.END_S + aftermath.SETTLES_S
        self.assertEqual(aftermath.later([1000] * end + [1, 2, 3]), 6)
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "series"
        path.write_text("time_s,a0_n,a0_bytes,b0_n,b0_bytes,b1_n,b1_bytes\n1.0,7,700,1,10,2,20\n2.0,7,700,0,0,1,5\n")
        self.assertEqual(aftermath.bytes_of(path), [30, 5])

    def test_neighbours_stay_beyond_the_trouble(self):
        kinds = neighbours.lasting()
        self.assertIn("writes of 4 KiB, depth 256", kinds)
        self.assertNotIn("changing", kinds)
        self.assertNotIn("writes on and off, 1 s", kinds)

    def test_together_twice_as_much_is_promised_as_there_is(self):
        runs = mock.Mock(profile_of=lambda _: PROFILE)
        for number in range(60):
            one = drawn(number)
            other = trouble.intruder(random.Random(number), runs, one)
            if other and one.owners:
                promises = [each.promise for each in one.owners]
                self.assertFalse(admission.admit(PROFILE, promises, other.promise, draw.SETTINGS).fits, number)

    def test_a_slow_drive_is_slow_for_the_time_of_the_trouble(self):
        settings = {key: 100 for key in (*trouble.TIMES, *trouble.RATES)} | {"link_mb_s": 0}
        _, begin, _, end = trouble.slowness(settings)
        self.assertTrue(begin.startswith(f"{draw.WARM_UP_S}s drive "))
        self.assertTrue(end.startswith(f"{trouble.END_S}s drive "))
        for word, at in (("read_ns=200", begin), ("channel_mb_s=50", begin), ("link_mb_s=0", begin),
                         ("read_ns=100", end), ("channel_mb_s=100", end)):
            self.assertIn(word, at.split())


class InTheSimulator(OnASmallDrive):
    def test_recovery(self):
        with mock.patch.multiple(trouble, LASTS_S=10, END_S=draw.WARM_UP_S + 10), \
                mock.patch.multiple(neighbours, lasting=lambda: ["hot writes"]):
            found = self.again(recovery, QUICK_CASES=4, QUICK_WINDOWS=2, QUICK_MOST_S=4)
        self.assertEqual({row["trouble"] for row in found["rows"]}, set(recovery.TROUBLES))

    def test_a_drive_that_is_twice_as_slow_serves_half_as_much(self):
        one = dataclasses.replace(drawn(0), owners=(), neighbour=neighbours.ALONE,
                                  drive=drives.Drive("ttflash", "fifo"), runtime_s=trouble.END_S + 2)
        runs = self.runs()
        series = self.place / "series.csv"
        words = [*runs.drive_words(one.drive, one.runtime_s), *stream("a0", "randread bs=4k iodepth=4"),
                 *trouble.slowness(trouble.settings_of(one, runs))]
        subprocess.run([str(SIMULATOR), *words, "--series", str(series), "--series-interval", "1s"], check=True,
                       capture_output=True)
        rates = [int(line.split(",")[1]) for line in series.read_text().splitlines()[1:]]
        before, during, after = rates[draw.WARM_UP_S - 1], rates[draw.WARM_UP_S + 5], rates[trouble.END_S + 1]
        self.assertAlmostEqual(during / before, 0.5, delta=0.05)
        self.assertAlmostEqual(after / before, 1.0, delta=0.05)


if __name__ == "__main__":
    unittest.main()
