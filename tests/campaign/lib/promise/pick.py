# SPDX-License-Identifier: GPL-2.0
"""Which of the drawn scenarios the virtual machine runs: the first ones, by number, that it can.

Those that are passed over are counted by why; nobody has chosen.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from lib.promise import draw as drawn
from lib.promise import guest
from lib.promise.draw import Scenario
from lib.promise.runs import Runs

# Beyond that many requests a second the machine's one processor is the bottleneck, not the drive.
MOST_IOPS = 20_000
MOST_NUMBERS = 1000
# What is asked of a scenario: "", or why it is passed over.
Test = Callable[[Scenario], str]


class First:
    """The first `count` of them that pass all tests, made out as they are asked for, since it takes simulations.

    `passed` says how many were passed over until then, by why."""

    def __init__(self, scenarios: Iterable[Scenario], count: int, tests: list[Test]) -> None:
        self.passed: Counter[str] = Counter()
        self._scenarios, self._count, self._tests = scenarios, count, tests

    def __iter__(self) -> Iterator[Scenario]:
        return islice(self._good(), self._count)

    def _good(self) -> Iterator[Scenario]:
        for scenario in self._scenarios:
            why = next((why for test in self._tests if (why := test(scenario))), "")
            if why:
                self.passed[why] += 1
            else:
                yield scenario

    def sentence(self) -> str:
        """For the page."""
        total = sum(self.passed.values())
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(self.passed.items()))
        return f"Passed over were {total}: {why}." if total else "None was passed over."


def iops(runs: Runs, scenario: Scenario, more: tuple[str, ...]) -> float:
    """Requests a second of all clients in the simulator."""
    return sum(stream["iops"] for stream in runs.run(scenario, more).values())


def is_too_fast(runs: Runs, scenario: Scenario) -> bool:
    """With or without guarantees; mostly it is without, so the other one is seldom run in vain."""
    return any(iops(runs, scenario, more) > MOST_IOPS for more in (("--no-qos",), ()))


def can_run(runs: Runs) -> Test:
    """What is slow to find out comes last."""
    def test(scenario: Scenario) -> str:
        if not scenario.owners:
            return "without a promise"
        if guest.why_not(scenario.neighbour):
            return "with neighbours that fio can't make"
        if is_too_fast(runs, scenario):
            return f"with more than {MOST_IOPS:,} requests a second"
        return ""
    return test


def numbered(runs: Runs, options: argparse.Namespace, windows: int, most_s: int) -> Iterator[Scenario]:
    """All, or those that were asked for, by number or a part of the name."""
    only = options.only or ()
    words = [word for word in only if not word.isdecimal()]
    numbers = [int(word) for word in only if word.isdecimal()]
    for number in range(MOST_NUMBERS) if words or not only else numbers:
        scenario = drawn.scenario(options.seed, number, runs.profile_of, windows, most_s)
        if number in numbers or not only or any(word in scenario.name for word in words):
            yield scenario
