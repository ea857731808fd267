# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/promise: what is drawn, and what is counted; three drawn scenarios in the simulator."""

import argparse
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from drawn_promises import PROFILE, OnASmallDrive, drawn  # noqa: E402
from lib import campaign  # noqa: E402
from lib.errors import RunError  # noqa: E402
from lib.promise import cases, draw, drives, fresh, long, matrix, neighbours, turns  # noqa: E402
from lib.promise import campaign as promise_campaign  # noqa: E402
from lib.promise.campaign import PAGES  # noqa: E402
from lib.promise.runs import Runs  # noqa: E402
from ssdqos.qos import admission, profile_file  # noqa: E402
from ssdqos.qos.promise import ALIGNED, SLIDING  # noqa: E402
from ssdqos.paths import SIMULATOR  # noqa: E402


def stream(met: int, missed: int) -> dict:
    return {"windows_met": met, "windows_missed": missed, "promised": 100, "achieved_min": 50}


def scenario(confidence_permille: int) -> draw.Scenario:
    one = next(one for number in range(99) if (one := drawn(number)).owners)
    owner = one.owners[0]
    promise = draw.dataclasses.replace(owner.promise, confidence_permille=confidence_permille)
    return draw.dataclasses.replace(one, owners=(draw.dataclasses.replace(owner, promise=promise),))


class Draw(unittest.TestCase):
    def test_a_seed_and_a_number_give_the_same_scenario(self):
        self.assertEqual([drawn(number) for number in range(20)], [drawn(number) for number in range(20)])
        self.assertNotEqual([drawn(number) for number in range(20)], [drawn(number, 2) for number in range(20)])

    def test_all_promises_fit_together(self):
        for number in range(200):
            promises = [owner.promise for owner in drawn(number).owners]
            if promises:
                answer = admission.admit(PROFILE, promises[:-1], promises[-1], draw.SETTINGS)
                self.assertTrue(answer.fits, number)

    def test_everything_is_drawn(self):
        made = [drawn(number) for number in range(600)]
        self.assertEqual({one.neighbour for one in made}, set(neighbours.KINDS))
        self.assertEqual({one.drive.preset for one in made}, set(drives.PRESETS))
        self.assertEqual({owner.promise.request.op for one in made for owner in one.owners}, {"read", "write"})
        self.assertEqual({owner.depth for one in made for owner in one.owners}, set(draw.DEPTHS))
        self.assertGreaterEqual(len(neighbours.KINDS), 20)

    def test_one_promise_in_four_has_windows_that_slide_and_all_else_stays(self):
        def of(number: int) -> draw.Scenario:
            with mock.patch.object(draw, "is_sliding", lambda *_: False):
                return drawn(number)
        made = [owner.promise for number in range(600) for owner in drawn(number).owners]
        aligned = [owner.promise for number in range(600) for owner in of(number).owners]
        sliding = sum(promise.windows == SLIDING for promise in made)
        self.assertTrue(0.2 < sliding / len(made) < 0.3, sliding)
        self.assertEqual([draw.dataclasses.replace(promise, windows=ALIGNED) for promise in made], aligned)

    def test_runs_are_as_long_as_the_windows_want(self):
        for number in range(50):
            self.assertTrue(25 <= drawn(number).runtime_s <= 55, number)


class Neighbours(unittest.TestCase):
    def test_those_on_and_off_are_away_as_long_as_they_are_there(self):
        (load, _), = neighbours.KINDS["writes on and off, 10 s"]
        self.assertEqual(turns.of(load).until(45), [(0, 10), (20, 30), (40, 45)])
        self.assertEqual(turns.of(load).there_s(5, 2005), 1000)

    def test_of_those_that_change_one_is_there_at_any_time(self):
        kinds = [turns.of(load) for load, _ in neighbours.KINDS["changing"]]
        for second in range(200):
            self.assertEqual(sum(one.there_s(second, second + 1) for one in kinds), 1, second)

    def test_all_others_stay(self):
        self.assertEqual(turns.of("randwrite bs=4k").until(45), [(0, 45)])
        self.assertEqual(turns.of("randwrite start=20s runtime=5s").until(45), [(20, 25)])


class Counting(unittest.TestCase):
    def test_a_promise_holds_in_the_windows_of_its_confidence(self):
        for met, missed, held in ((95, 5, True), (94, 6, False), (100, 0, True)):
            found, = matrix.promises(scenario(950), {"a0": stream(met, missed)})
            self.assertEqual(found["held"], held)

    def test_a_client_that_asked_for_nothing_is_not_counted(self):
        self.assertEqual(matrix.promises(scenario(950), {"a0": stream(0, 0)}), [])

    def test_windows_of_either_kind_are_a_group(self):
        one = scenario(950)
        sliding = draw.dataclasses.replace(one, owners=(draw.with_windows(one.owners[0], True),))
        rows = [{"number": 100, "drive": "x, fifo", "share_pct": 10, "neighbour": "one",
                 "promises": matrix.promises(each, {"a0": stream(met, 100 - met)})}
                for each, met in ((one, 95), (one, 94), (sliding, 100))]
        titles = {row[0]: row[1:3] for row in matrix.groups(rows)}
        self.assertEqual(([2, "1"], [1, "1"]), (titles["windows aligned"], titles["windows sliding"]))
        self.assertEqual([3, "2"], titles["numbers  100 to 199"])

    def test_the_worst_come_first(self):
        rows = [{"name": f"{missed} missed", "promises": matrix.promises(scenario(900), {"a0": stream(100, missed)})}
                for missed in (20, 0, 300)]
        self.assertEqual([row[0] for row in matrix.worst(rows)], ["300 missed", "20 missed"])

    def test_work_counts_reads_and_writes_by_their_size(self):
        done = {"reads": 10, "read_bytes": 10 * 4096, "writes": 2, "write_bytes": 2 * 4096}
        self.assertEqual(matrix.work_ns(done, PROFILE), 10 * 20_000 + 2 * 50_000)

    def test_the_interval_of_a_part_is_narrow_where_many_were_counted(self):
        low, high = matrix.interval_pct(99, 100)
        self.assertTrue(94 < low < 95 and 99.7 < high < 100, (low, high))
        self.assertEqual([round(pct, 1) for pct in matrix.interval_pct(9900, 10_000)], [98.8, 99.2])


@unittest.skipUnless(SIMULATOR.exists(), "make sim builds what this runs")
class Scenarios(unittest.TestCase):
    """Small drives, with a profile that says little: what is tried is the way from the draw to the table."""

    def test_three_scenarios_give_a_table(self):
        with tempfile.TemporaryDirectory() as scratch, \
                mock.patch.object(campaign, "runs_of", lambda name: pathlib.Path(scratch)), \
                mock.patch.object(drives, "MEGABYTES", 128), \
                mock.patch.object(Runs, "profile_of", lambda *_: PROFILE), \
                mock.patch.multiple(matrix, QUICK_SCENARIOS=3, QUICK_MOST_S=2), \
                mock.patch.object(drives, "profile_path", lambda _, place: place / "one.profile"):
            profile_file.write(PROFILE, pathlib.Path(scratch) / "one.profile")
            runs = Runs(SIMULATOR, again=False)
            runs.say = lambda _: None
            options = argparse.Namespace(quick=True, count=None, seed=4, only=None)
            first = matrix.measure(runs, options)
            self.assertEqual(len(first["rows"]), 3)
            self.assertTrue(runs.fresh)
            self.assertIn("hold", matrix.section(first))
            again = Runs(SIMULATOR, again=False)
            again.say = lambda _: None
            self.assertEqual(matrix.measure(again, options), first)
            self.assertFalse(again.fresh, "runs are found again")

    def test_how_many_is_a_number_of_those_that_there_are(self):
        self.assertEqual([1, 2000], [cases.count("1"), cases.count("2000")])
        for text in ("0", "-3", "2001", "few", ""):
            with self.assertRaisesRegex(argparse.ArgumentTypeError, f"'{text}' is not from 1 to 2000 scenarios"):
                cases.count(text)

    def test_as_many_as_are_asked_for(self):
        def asked(count, quick):
            return cases.asked(argparse.Namespace(count=count, quick=quick), quick=18, full=400)

        self.assertEqual([18, 400, 40, 40], [asked(None, True), asked(None, False), asked(40, True), asked(40, False)])

    def test_of_the_long_ones_the_first_so_many(self):
        with mock.patch.object(matrix, "rows_of", lambda _, scenarios: list(scenarios)), \
                mock.patch.object(matrix, "chosen", lambda _runs, options, count: [options.quick] * count):
            options = argparse.Namespace(quick=True, count=3, seed=1, only=None)
            self.assertEqual({"count": 3, "rows": [False] * 3}, long.measure(None, options))
            options.count = None
            self.assertEqual(matrix.SCENARIOS, len(long.measure(None, options)["rows"]))


class RowsOfThePage(OnASmallDrive):
    """Another machine has the page, and no runs."""

    OPTIONS = argparse.Namespace(quick=False, count=2, seed=4, only=None)

    def rows(self, known: list[dict], folder: str, profile: profile_file.Profile = PROFILE) -> tuple[list[dict], bool]:
        (self.place / folder).mkdir(exist_ok=True)
        profile_file.write(profile, self.place / folder / "one.profile")
        runs = Runs(SIMULATOR, again=False, place=self.place / folder)
        runs.say = lambda _: None
        runs.know(known)
        with mock.patch.object(matrix, "MOST_S", 2):
            return long.measure(runs, self.OPTIONS)["rows"], runs.fresh

    def test_what_the_page_has_is_not_run_again(self):
        first, fresh = self.rows([], "here")
        self.assertEqual((2, True), (len(first), fresh))
        known = [row | {"name": "of the page"} for row in first]
        self.assertEqual((known, False), self.rows(known, "there"))
        mixed, fresh = self.rows(known[1:], "elsewhere")
        self.assertEqual(([first[0], known[1]], True), (mixed, fresh))

    def test_what_would_be_another_run_is_made(self):
        first, _ = self.rows([], "here")
        other = profile_file.parse(PROFILE.text().replace("mix 50 1200", "mix 50 1300"))
        made, fresh = self.rows([row | {"name": "of the page"} for row in first], "there", other)
        self.assertTrue(fresh)
        self.assertNotIn("of the page", [row["name"] for row in made])
        self.assertEqual((first, False), self.rows([{"number": 0}], "here"), "a row that does not say what it is of")


class WhatIsTaken(unittest.TestCase):
    """From a page that has a row."""

    NEW = {"number": 5}
    ROW = NEW | {"of": "digest"}

    def taken(self, is_changed: bool = False, **more: object) -> list[dict]:
        options = argparse.Namespace(**{"again": False, "anew": False, "module": None, "profiles": None, "seed": 1,
                                        "quick": False} | more)
        part = types.SimpleNamespace(measure=lambda runs, _: {"rows": runs.know.called and runs.know.call_args.args[0] or [self.NEW]})
        with mock.patch.multiple(promise_campaign, Runs=mock.Mock(), build_trained=mock.DEFAULT), \
                mock.patch.object(promise_campaign, "is_changed", lambda _: is_changed), \
                mock.patch.object(campaign, "written", lambda *_: {"part": {"rows": [self.ROW], "made": {"seed": 1}}}):
            return promise_campaign.page("trial", {"part": part}, "trial").measure("part", options).result["rows"]

    def test_rows_of_a_program_that_has_a_name(self):
        self.assertEqual([self.ROW], self.taken())
        self.assertEqual([[self.NEW], [self.NEW]], [self.taken(again=True), self.taken(anew=True)])

    def test_nothing_of_sources_with_changes_or_of_another_module(self):
        self.assertEqual([self.NEW], self.taken(is_changed=True))
        self.assertEqual([self.NEW], self.taken(module=pathlib.Path("other.ko")))

    def test_a_module_that_was_given_is_no_commit_s(self):
        options = argparse.Namespace(module=pathlib.Path("other.ko"))
        self.assertEqual({"commit": "unknown, module other.ko"}, promise_campaign.origin(promise_campaign.SOURCES, options))


class Beside(unittest.TestCase):
    """What neighbours move, and a draw that nobody chose."""

    def test_the_burst_is_no_neighbour(self):
        moved = {"bytes_per_s": 3e6}
        self.assertEqual(3.0, matrix.neighbours_mb_s({"a0": moved, "b0": moved, "burst": moved}))

    def test_their_sum_is_of_those_that_are_there(self):
        rows = [{"neighbour": kind, "neighbours_mb_s": mb_s, "promises": [{"met": 9, "missed": 1}]}
                for kind, mb_s in (("trim storm", 2.0), ("mail server", 3.0), (neighbours.ALONE, 0.0))]
        self.assertEqual("3 of 30 windows are missed; neighbours move 5 MB a second in all 2 scenarios that have some.\n",
                         matrix.beside_text(rows))
        old = {key: value for key, value in rows[0].items() if key != "neighbours_mb_s"}
        self.assertEqual("1 of 10 windows are missed.\n", matrix.beside_text([old]))

    def test_who_changes_it_may_not_keep_the_draw(self):
        with mock.patch.object(fresh, "is_changed", lambda _: True), self.assertRaisesRegex(RunError, "commit them"):
            fresh.measure(None, argparse.Namespace(quick=True, count=None, seed=1, only=None))

    def test_owners_that_are_not_counted_are_told(self):
        self.assertEqual("", matrix.uncounted_text(2, [{}, {}]))
        self.assertIn("Of 3 owners 1 had no whole window in such a time, and is not", matrix.uncounted_text(3, [{}, {}]))
        self.assertIn("Of 9 owners 7 had", matrix.uncounted_text(9, [{}, {}]))

    def test_another_program_draws_others(self):
        self.assertEqual(255, fresh.seed_of("ff, with changes"))
        with mock.patch.object(matrix, "rows_of", lambda _, scenarios: [one.number for one in scenarios]), \
                mock.patch.object(matrix, "chosen", lambda _, options, count: [mock.Mock(number=options.seed + count)]):
            made = []
            for name in ("aa", "ab"):
                with mock.patch.object(fresh, "program", lambda _: name), mock.patch.object(fresh, "is_changed", lambda _: False):
                    made.append(fresh.measure(None, argparse.Namespace(quick=True, count=None, seed=1, only=None)))
        self.assertEqual([{"drawn_by": "aa", "rows": [0xaa + 300]}, {"drawn_by": "ab", "rows": [0xab + 300]}], made)


class WhatIsLeftOut(unittest.TestCase):
    """What a page lists took hours."""

    ROWS = {"rows": [{"number": 5}, {"number": 6}]}

    def result(self, made: dict, had: dict = ROWS, had_options: str = "", **more: object) -> dict:
        options = argparse.Namespace(**{"again": False, "anew": False, "module": None, "profiles": None, "seed": 1,
                                        "quick": False} | more)
        part = types.SimpleNamespace(measure=lambda *_: made)
        page = {"part": had | {"made": {"seed": 1, "options": had_options}}}
        with mock.patch.multiple(promise_campaign, Runs=mock.Mock(), build_trained=mock.DEFAULT), \
                mock.patch.object(campaign, "written", lambda *_: page):
            return promise_campaign.page("trial", {"part": part}, "trial").measure("part", options).result

    def measured(self, numbers: list[int], **more: object) -> list[int]:
        result = self.result({"rows": [{"number": number} for number in numbers]}, **more)
        return [row["number"] for row in result["rows"]]

    def test_sums_of_many_are_not_replaced_by_sums_of_few(self):
        self.assertEqual({"scenarios": 60}, self.result({"scenarios": 60}, {"scenarios": 60}))
        with self.assertRaisesRegex(RunError, "^part: the page has 60 scenarios and this 8; .*--docs"):
            self.result({"scenarios": 8}, {"scenarios": 60})

    def test_many_windows_are_not_replaced_by_few(self):
        with self.assertRaisesRegex(RunError, "^part: the page was made without --quick, with more windows; .*--docs"):
            self.measured([5, 6], quick=True)
        self.assertEqual([5, 6], self.measured([5, 6], quick=True, anew=True))
        self.assertEqual([5, 6], self.measured([5, 6], quick=True, had_options=" --quick --count 2"))

    def test_a_page_loses_no_scenario(self):
        self.assertEqual([5, 6, 7], self.measured([5, 6, 7]))
        with self.assertRaisesRegex(RunError, "^part: the page has 1 scenarios of seed 1 that are not among these; .*--docs"):
            self.measured([6, 7])

    def test_one_of_another_seed_is_another_scenario(self):
        with self.assertRaisesRegex(RunError, "the page has 2 scenarios of seed 1"):
            self.measured([5, 6], seed=7)

    def test_what_is_made_anew_may_be_less(self):
        self.assertEqual([6], self.measured([6], anew=True))


class Pages(unittest.TestCase):
    def test_pages_share_no_part_and_no_runs(self):
        """Each is of one commit, and what is forgotten for one of them stays for the others."""
        names = [name for page in PAGES for name in page.parts]
        self.assertEqual(sorted(set(names)), sorted(names))
        self.assertEqual(len(PAGES), len({page.runs() for page in PAGES}))


if __name__ == "__main__":
    unittest.main()
