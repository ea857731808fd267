# SPDX-License-Identifier: GPL-2.0
"""Pure functions of tests/campaign/lib/edf."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib.edf import ablation, clients, completions, cost, figures, fio, profiles, table  # noqa: E402
from lib.edf.completions import Interval  # noqa: E402
from lib.edf.scale import QUICK  # noqa: E402
from lib.errors import RunError  # noqa: E402


class Completions(unittest.TestCase):
    def test_rate_times_length_is_the_count(self):
        intervals = completions.parse(["100, 310, 1, 0, 0", "200, 320, 1, 0, 0"])
        self.assertEqual([one.completions for one in intervals], [31, 32])

    def test_an_interval_without_completions_has_no_line(self):
        intervals = completions.parse(["100, 300, 0, 0, 0", "400, 300, 0, 0, 0"])
        self.assertEqual(intervals[1], Interval(300, 400, 30))

    def test_a_long_first_interval_counts_in_full(self):
        self.assertEqual(completions.parse(["146, 684, 0, 0, 0"]), [Interval(0, 146, 100)])

    def test_windows_share_out_an_interval(self):
        found = completions.windows([Interval(950, 1050, 10)], 1000, 2)
        self.assertEqual(found, [5, 5])

    def test_what_is_beyond_the_last_window_is_left_out(self):
        self.assertEqual(completions.windows([Interval(1900, 2100, 10)], 1000, 2), [0, 5])

    def test_met_windows(self):
        self.assertEqual(completions.met_pct([100, 99.5, 99, 120], 100), 75)


class Clients(unittest.TestCase):
    def test_line_for_the_guest(self):
        client = clients.Client("w", "write", "seq", 256, 50, offset_pct=50)
        self.assertEqual(client.line(), "w write write seq 262144 50 50 31")

    def test_promise_is_rounded_as_in_the_guest(self):
        client = clients.Client("w", "write", "seq", 256, 50)
        self.assertEqual(table.promised(client, 1399), 69)


class Ablation(unittest.TestCase):
    def test_a_line_of_the_guest_is_a_run_and_its_parameters(self):
        lines = dict(line.partition(" ")[::2] for line in ablation.case_lines().splitlines())
        self.assertEqual(list(lines), list(ablation.run_names().values()))
        self.assertEqual(lines["all-rules"], "")
        self.assertEqual(lines["without-debt"], "drive_debt off")


class Cost(unittest.TestCase):
    LINES = ("headroom 1 null_blk 1 100 900000 0", "headroom 1 null_blk 2 100 910000 0",
             "headroom 1 null_blk 3 100 990000 0", "headroom 1 dm-linear 1 100 1100000 0",
             "headroom 1 ssdqos 1 100 1300000 0", "headroom 1 mq-deadline 1 100 1700000 0")

    def test_median_and_what_is_added(self):
        rows = {row["system"]: row for row in cost.rows(cost.turns(self.LINES))}
        self.assertEqual(rows["null_blk"]["instructions"], 9100)
        self.assertEqual(rows["ssdqos"]["added"], 2000)
        self.assertEqual(rows["mq-deadline"]["added"], 7900)

    def test_idle_time_is_no_cost(self):
        found = cost.turns(["queued 1 null_blk 1 100 2000000 1000000"])
        self.assertEqual(found["queued", 1, "null_blk"], [cost.Turn(10000, 0.5)])

    def test_each_way_stands_on_its_own_base(self):
        lines = [*self.LINES, "queued 1 ssdqos 1 100 5000000 0"]
        self.assertEqual([row["way"] for row in cost.rows(cost.turns(lines))], ["headroom"] * 4)

    def test_idle_time_with_headroom_is_told(self):
        lines = [*self.LINES, "headroom 1 ssdqos 2 100 1000000 250000"]
        result = {"cost-1": cost.rows(cost.turns(lines))}
        self.assertIn("held back, with ssdqos with 1 streams (25 % of the time)",
                      cost.held_back(result))
        self.assertEqual(cost.held_back({"cost-1": cost.rows(cost.turns(self.LINES))}), "")


class Status(unittest.TestCase):
    def test_words_by_stream(self):
        found = fio.parse_status("a 0 8 ssdqos drive=x used_ppm=990000 windows_met=5\n")
        self.assertEqual(found["a"]["windows_met"], "5")
        self.assertEqual(table.reserved_pct(found), 99)


class Profiles(unittest.TestCase):
    def test_a_boot_without_a_profile_says_what_makes_it(self):
        with tempfile.TemporaryDirectory() as scratch, \
                mock.patch.object(profiles, "DIRECTORY", pathlib.Path(scratch)):
            with self.assertRaisesRegex(RunError, "is not there yet: ./run campaign edf profile makes it"):
                figures.FIGURES[0].job(QUICK)
            profiles.path(figures.FIGURES[0].drive).write_text(
                "ssdqos-profile 1\nwindow_ms 1000\ncost read rand 4096 32 990 20000\n"
                "cost write rand 4096 32 990 20000\nmix 0 1000\n")
            self.assertIn("cost read rand", figures.FIGURES[0].job(QUICK).files["profile"])


if __name__ == "__main__":
    unittest.main()
