# SPDX-License-Identifier: GPL-2.0
"""tests/campaign/lib/campaign.py and tables.py: parts, their origin, and the page."""

import argparse
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests/campaign"), str(TOP / "tools")]

from lib import campaign, simulator  # noqa: E402
from lib.claim import Bound, Claim  # noqa: E402
from lib.errors import RunError  # noqa: E402

OLD = {"commit": "new", "seed": 7, "options": " --quick", "date": "2020-01-01"}


def part(title: str, **more: object) -> types.SimpleNamespace:
    return types.SimpleNamespace(TITLE=title, section=lambda result: f"value {result['value']}\n",
                                 draw=lambda result, directory: None, **more)


class Command(unittest.TestCase):
    """A campaign of two parts, of which only one has goals."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.docs = pathlib.Path(scratch.name)
        self.found = {"one": campaign.Found({"value": 1}, True),
                      "two": campaign.Found({"value": 2}, True)}
        self.ran: list[str] = []
        self.own = {"commit": "new"}
        self.more: tuple[campaign.Campaign, ...] = ()

    def measure(self, name: str, _options: argparse.Namespace) -> campaign.Found | None:
        self.ran.append(name)
        found = self.found[name]
        if isinstance(found, RunError):
            raise found
        return found

    def run_campaign(self, *words: str) -> int:
        parts = {"one": part("The first", goals=lambda result: [("first", "1", result["value"], "met")]),
                 "two": part("The second")}
        trial = campaign.Campaign("trial", "Trials: tables", parts, campaign.Help("a", "b", "c"),
                                  self.measure, lambda _: self.own)
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["trial", "--docs", str(self.docs), *words]), \
                mock.patch.object(campaign, "runs_of", lambda name: self.docs / "runs" / name), \
                mock.patch("signal.signal"), contextlib.redirect_stdout(said), \
                contextlib.redirect_stderr(said):
            try:
                return campaign.run(argparse.ArgumentParser(), trial, *self.more)
            finally:
                self.said = said.getvalue()

    def put(self, **results: dict) -> None:
        (self.docs / "trial.json").write_text(json.dumps(results))

    def json(self) -> dict:
        return json.loads((self.docs / "trial.json").read_text())

    def tables(self) -> str:
        return (self.docs / "tables.rst").read_text()

    def test_all_parts_run_in_their_order(self):
        self.assertEqual(self.run_campaign(), 0)
        self.assertEqual(self.ran, ["one", "two"])
        self.assertLess(self.tables().index("The first"), self.tables().index("The second"))

    def test_those_that_are_named_run_and_the_others_stay(self):
        self.put(one={"value": 10, "made": OLD})
        self.run_campaign("two")
        self.assertEqual(self.ran, ["two"])
        self.assertEqual(self.json()["one"], {"value": 10, "made": OLD})
        self.assertIn("value 10\n", self.tables())

    def test_the_page_runs_nothing(self):
        self.put(two={"value": 10, "made": OLD})
        self.run_campaign("page")
        self.assertEqual(self.ran, [])
        self.assertIn("value 10\n", self.tables())
        self.assertNotIn("The first", self.tables())

    def test_an_unknown_part_is_refused(self):
        with self.assertRaises(SystemExit):
            self.run_campaign("one", "three")
        self.assertEqual(self.ran, [])
        self.assertIn("no part three", self.said)

    def test_the_origin_is_a_command(self):
        self.run_campaign("--quick", "--seed", "3", "one")
        made = self.json()["one"]["made"]
        self.assertEqual((made["commit"], made["seed"], made["options"]), ("new", 3, " --quick"))
        self.assertIn(f"    ./run campaign trial --quick --seed 3 --docs /tmp/again one    # {made['date']}, commit new, seed 3\n",
                      self.tables())

    def test_the_origin_names_the_kernel_if_there_is_one(self):
        self.own = {"commit": "new", "kernel": "6.1"}
        self.run_campaign("one")
        self.assertIn(", commit new, Linux 6.1, seed 1\n", self.tables())

    def test_what_did_not_run_now_keeps_its_origin(self):
        self.put(one={"value": 10, "made": OLD}, two={"value": 10, "made": OLD})
        self.found["one"] = campaign.Found({"value": 1}, False)
        self.run_campaign("--quick")
        self.assertEqual(self.json()["one"], {"value": 1, "made": OLD})
        self.assertEqual(self.json()["two"]["made"]["seed"], 1)

    def test_what_was_there_already_is_of_the_options_that_it_is_shown_by(self):
        self.put(one={"value": 10, "made": OLD})
        self.found["one"] = campaign.Found({"value": 1}, False)
        self.run_campaign("one")
        self.assertEqual(self.json()["one"]["made"]["options"], "")

    def test_commits_are_not_mixed(self):
        other = {"one": {"value": 10, "made": OLD | {"commit": "old"}}}
        for words in ((), ("two",), ("one", "--again")):
            self.put(**other)
            self.assertEqual(self.run_campaign(*words), 1)
            self.assertIn("trial: trial: trial.json has results of old, this is new, and a page is made at one commit",
                          self.said)
            self.assertEqual((self.ran, self.json()), ([], other))

    def test_runs_that_are_kept_are_not_mixed_either(self):
        self.assertEqual(self.run_campaign("one"), 0)
        self.own = {"commit": "newer"}
        (self.docs / "trial.json").unlink()
        self.assertEqual(self.run_campaign("one"), 1)
        self.assertIn("has runs of new, this is newer", self.said)
        (self.docs / "runs/trial/commit").unlink()
        self.assertEqual(self.run_campaign("one"), 1)
        self.assertIn("has runs of a commit that is not known", self.said)
        self.assertEqual(self.ran, ["one"])

    def test_another_commit_of_the_same_program_goes_on(self):
        self.own = {"commit": "new", "program": "p1"}
        self.assertEqual(self.run_campaign("one"), 0)
        self.own = {"commit": "newer", "program": "p1"}
        self.assertEqual(self.run_campaign("two"), 0)
        self.assertEqual([one["made"]["commit"] for one in self.json().values()], ["new", "newer"])
        self.assertIn("at several commits with the same program: new; newer.\n", self.tables())
        self.own = {"commit": "newest", "program": "p2"}
        self.assertEqual(self.run_campaign("two"), 1)
        self.assertIn("trial.json has results of new, newer, this is newest", self.said)
        (self.docs / "trial.json").unlink()
        self.assertEqual(self.run_campaign("two"), 1)
        self.assertIn("has runs of program p1, this is program p2", self.said)

    def test_a_program_that_is_not_known_is_another_one(self):
        self.put(one={"value": 10, "made": OLD | {"commit": "old"}})
        self.own = {"commit": "new", "program": "p1"}
        self.assertEqual(self.run_campaign("two"), 1)
        self.assertIn("trial.json has results of old, this is new", self.said)
        self.put(one={"value": 10, "made": OLD | {"commit": "old"}}, two={"value": 10, "made": OLD | {"program": "p1"}})
        self.run_campaign("page")
        self.assertIn("several commits, so figures of different parts can't be compared: new; old.\n", self.tables())

    def test_pages_are_of_one_commit_each(self):
        self.more = (campaign.Campaign("trial", "Short trials", {"three": part("The third")},
                                       campaign.Help("a", "b", "c"), self.measure, lambda _: self.own, page="short"),)
        self.found["three"] = campaign.Found({"value": 3}, True)
        old = {"one": {"value": 10, "made": OLD | {"commit": "old"}}}
        self.put(**old)
        self.assertEqual(self.run_campaign("three"), 0)
        self.assertEqual((self.ran, self.json()), (["three"], old))
        self.assertEqual(json.loads((self.docs / "short.json").read_text())["three"]["made"]["commit"], "new")
        self.assertIn("measured at one commit, new.\n", (self.docs / "short.rst").read_text())
        self.assertFalse((self.docs / "tables.rst").exists())
        self.assertEqual(self.run_campaign(), 1)
        self.assertEqual(self.ran, ["three", "three"])

    def test_everything_can_begin_anew(self):
        self.put(one={"value": 10, "made": OLD | {"commit": "old"}})
        kept = self.docs / "runs/trial/run"
        kept.parent.mkdir(parents=True)
        kept.write_text("old")
        self.assertEqual(self.run_campaign("two", "--anew"), 0)
        self.assertEqual(list(self.json()), ["two"])
        self.assertFalse(kept.exists())
        self.assertIn("All of it was measured at one commit, new.\n", self.tables())
        self.assertEqual(self.run_campaign(), 0)

    def test_the_page_of_old_results_says_that_they_are_mixed(self):
        self.put(one={"value": 10, "made": OLD}, two={"value": 10, "made": OLD | {"commit": "old"}})
        self.assertEqual(self.run_campaign("page"), 0)
        self.assertIn("measured at several commits", self.tables())
        self.assertIn(": new; old.\n", self.tables())

    def test_pieces_that_were_not_made_again_stay(self):
        self.put(one={"value": 10, "other": 11, "made": OLD})
        self.run_campaign("one")
        self.assertEqual((self.json()["one"]["value"], self.json()["one"]["other"]), (1, 11))

    def test_what_was_asked_for_is_a_part_of_the_command(self):
        def said(**options) -> str:
            return campaign.said(argparse.Namespace(**{"quick": False} | options))

        self.assertEqual(["", " --quick --count 3", " --profiles a/b"],
                         [said(), said(quick=True, count=3, profiles=None), said(count=None, profiles=pathlib.Path("a/b"))])

    def test_no_result_leaves_what_there_was(self):
        self.put(one={"value": 10, "made": OLD})
        self.found["one"] = None
        self.assertEqual(self.run_campaign("one"), 0)
        self.assertEqual(self.json(), {"one": {"value": 10, "made": OLD}})

    def test_a_failure_is_said_and_the_others_run(self):
        self.put(one={"value": 10, "made": OLD})
        self.found["one"] = RunError("one: no luck")
        self.assertEqual(self.run_campaign(), 1)
        self.assertIn("trial: one: no luck\n", self.said)
        self.assertEqual({name: result["value"] for name, result in self.json().items()},
                         {"one": 10, "two": 2})

    def test_goals_are_those_of_parts_that_have_some(self):
        self.run_campaign()
        self.assertEqual(self.tables().count("Goals\n-----\n"), 1)
        self.assertRegex(self.tables(), r"(?m)^first +1 +1 +met$")
        self.put(two={"value": 2, "made": OLD})
        self.run_campaign("page")
        self.assertNotIn("Goals", self.tables())


class Claims(unittest.TestCase):
    """A claim is wrong to both sides."""

    def claim(self, measured: float) -> Claim:
        return Claim("below RAIN", 53.6, 6.8, "half of what its loads differ by", measured, "%")

    def test_two_sides(self) -> None:
        found = [self.claim(value) for value in (46.7, 46.9, 60.3, 60.5)]
        self.assertEqual([claim.verdict() for claim in found], ["below", "met", "met", "above"])
        self.assertEqual([claim.holds for claim in found], [False, True, True, False])

    def test_a_row_says_how_far_and_why(self) -> None:
        self.assertEqual(self.claim(71.25).row(),
                         ("below RAIN", "53.6 +- 6.8 % (half of what its loads differ by)", "71.2 %", "above"))

    def test_a_bound_has_one_side(self) -> None:
        self.assertEqual(Bound("used", 99.0, most=100, unit="%").row(), ("used", "at most 100.0 %", "99.0 %", "met"))
        self.assertEqual(Bound("used", 101, most=100).verdict(), "above")
        self.assertEqual(Bound("used", 90, least=95, most=100).verdict(), "below")


class Program(unittest.TestCase):
    """In a repository of its own."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = pathlib.Path(scratch.name)
        patch = mock.patch.object(simulator, "ROOT", self.top)
        patch.start()
        self.addCleanup(patch.stop)
        simulator.git("init", "--quiet")
        for name in ("dm-ssdqos/core.c", "tools/sim/main.c"):
            self.put(name, "first")
        self.commit()

    def put(self, name: str, text: str) -> None:
        (self.top / name).parent.mkdir(parents=True, exist_ok=True)
        (self.top / name).write_text(text)

    def commit(self) -> None:
        simulator.git("add", "--all")
        simulator.git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--message", "one more")

    def test_it_is_the_same_until_a_source_changes(self):
        commit, program = simulator.version(), simulator.program()
        self.put("docs/page.rst", "a page")
        self.commit()
        self.assertNotEqual(commit, simulator.version())
        self.assertEqual(program, simulator.program())
        found = {program}
        for name in ("dm-ssdqos/core.c", "tools/sim/main.c"):
            self.put(name, "second")
            self.assertTrue(simulator.program().endswith(" with changes"))
            self.commit()
            found.add(simulator.program())
        self.assertEqual(3, len(found))
