# SPDX-License-Identifier: GPL-2.0
"""Pages and pairs of tests/campaign/foundation-pairs."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/campaign"))

from lib import pairs, pairs_page  # noqa: E402  (after the path that it is found on)
from lib.errors import RunError  # noqa: E402


def read(median: int) -> dict[str, int]:
    return {"median": median, "least": median, "most": median}


class Pairs(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "pairs.rst"

    def page(self, **results: object) -> str:
        pairs_page.write({"commits": {"before": "aaa", "after": "bbb"}} | results, self.path)
        return self.path.read_text()

    def test_more_than_two_percent_is_above(self) -> None:
        def counts(after: int) -> dict:
            return {"before": {"per_request": 1000, "whole": 5000}, "after": {"per_request": after, "whole": 5000}}

        page = self.page(instructions={"reads": counts(1019), "writes": counts(1021)})
        self.assertRegex(page, r"more, random reads +at most 2\.0 % +1\.9 % +met")
        self.assertRegex(page, r"more, random writes, 7 % spare +at most 2\.0 % +2\.1 % +above")

    def test_kernel_may_not_take_more(self) -> None:
        page = self.page(kernel={"kernel": "6.1", "before": {"ssdqos-flash": read(100), "bfq": read(7)},
                                 "after": {"ssdqos-flash": read(101), "bfq": read(9)}})
        self.assertRegex(page, r"more, ssdqos-flash +at most 0 +1 +above")
        self.assertNotIn("more, bfq", page)

    def test_what_is_missing_is_left_out(self) -> None:
        page = self.page(behaviour={"reads": {"same": False, "memory_bytes": {"before": 2000, "after": 1990}}})
        self.assertRegex(page, r"random reads +NO +2,000 +1,990")
        self.assertNotIn("Times", page)

    def test_sides_take_turns_to_go_first(self) -> None:
        ran: list[str] = []
        sims = {side: side for side in pairs.SIDES}
        with mock.patch.object(pairs, "cpu_s", lambda sim, _: ran.append(sim) or 1.0), \
                mock.patch.object(pairs, "LOADS", pairs.LOADS[:1]):
            found = pairs.times(sims, 2, lambda _: None)
        self.assertEqual(ran, ["after", "before", "before", "after"])
        self.assertEqual(found["reads"]["speed"]["median"], 1.0)

    def test_unknown_commit_is_refused(self) -> None:
        with self.assertRaises(RunError):
            pairs.commit_of("no-such-commit")


if __name__ == "__main__":
    unittest.main()
