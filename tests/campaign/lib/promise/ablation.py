# SPDX-License-Identifier: GPL-2.0
"""Part `ablation`: the scenarios of `matrix` again, with one rule switched off, and with none but EDF's."""

from __future__ import annotations

import argparse
from pathlib import Path

from lib import rst, rules
from lib.claim import Row
from lib.promise import cases, matrix
from lib.promise.draw import Scenario
from lib.promise.runs import Runs

TITLE = "What each rule is for"
SCENARIOS, QUICK_SCENARIOS = 400, 24


def switched(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(option for word in words for option in ("--qos", word))


def promises(scenarios: list[Scenario], runs: Runs, words: tuple[str, ...]) -> list[dict]:
    return [promise for one in scenarios for promise in matrix.promises(one, runs.run(one, switched(words)))]


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    scenarios = matrix.chosen(runs, options, cases.asked(options, QUICK_SCENARIOS, SCENARIOS))
    rows = []
    for name, words in rules.cases().items():
        rows.append(matrix.group(name, promises(scenarios, runs, words)))
        runs.say(f"{name}: {rows[-1][2]} of {rows[-1][1]} promises hold")
    return {"rows": rows}


def section(result: dict) -> str:
    return rst.page(
        "The first scenarios above with the same promises, each time without one rule.\n", rules.TEXT,
        rst.table(matrix.HEAD, result["rows"]))


def goals(_result: dict) -> list[Row]:
    """What is compared is the point, not a number."""
    return []


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
