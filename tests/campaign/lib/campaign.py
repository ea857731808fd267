# SPDX-License-Identifier: GPL-2.0
"""The command of a campaign that consists of parts: options, what is run, and what is written.

NAME.json in the documents holds the result of each part, all of one commit: another one is refused until everything
is measured anew.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

from lib import origin, tables
from lib.errors import RunError
from lib.simulator import ROOT

PAGE = "page"


@dataclasses.dataclass(frozen=True)
class Help:
    """Of options that mean something else in each campaign."""

    only: str
    quick: str
    seed: str


@dataclasses.dataclass(frozen=True)
class Found:
    """Of a part: its result, and whether something ran just now."""

    result: dict
    fresh: bool


@dataclasses.dataclass(frozen=True)
class Campaign:
    """What is its own.

    `title` stands above its tables, `parts` are modules as lib/tables.py has
    them.  `measure` runs what is missing of a part and returns None if there
    is no result; `origin` says what was measured, beside seed and date.
    """

    name: str
    title: str
    parts: Mapping[str, ModuleType]
    help: Help
    measure: Callable[[str, argparse.Namespace], Found | None]
    origin: Callable[[argparse.Namespace], dict]


def runs_of(name: str) -> Path:
    """Where a campaign keeps its runs."""
    return ROOT / "out/campaign" / name


def teller(name: str) -> Callable[[str], None]:
    """Says what a campaign does."""
    def say(text: str) -> None:
        print(f"{name}: {text}", flush=True)
    return say


def end_on_request(name: str) -> None:
    """Asked to end, a campaign ends by an exception, so that what it has started ends, too."""
    def end(*_: object) -> None:
        raise SystemExit(f"{name}: ended; it goes on from here when started again")
    signal.signal(signal.SIGTERM, end)


def add_options(campaign: Campaign, parser: argparse.ArgumentParser) -> None:
    parser.add_argument("parts", nargs="*", metavar="PART",
                        help=f"of {', '.join(campaign.parts)}, {PAGE}")
    parser.add_argument("--again", action="store_true", help="run also what was run before")
    parser.add_argument("--anew", action="store_true",
                        help="forget what was measured at another commit, runs and results, and begin again")
    parser.add_argument("--only", action="append", metavar="RUN", help=campaign.help.only)
    parser.add_argument("--quick", action="store_true", help=campaign.help.quick)
    parser.add_argument("--seed", type=int, default=1, help=campaign.help.seed)
    parser.add_argument("--module", type=Path, help="use this one, don't build")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs/results" / campaign.name,
                        help="where the page goes")


def chosen(campaign: Campaign, options: argparse.Namespace,
           parser: argparse.ArgumentParser) -> list[str]:
    """The parts to run: all if none is named, none if only the page is."""
    unknown = set(options.parts) - {*campaign.parts, PAGE}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}")
    return [name for name in campaign.parts if not options.parts or name in options.parts]


def made(campaign: Campaign, options: argparse.Namespace) -> dict:
    return {**campaign.origin(options), "seed": options.seed,
            "options": " --quick" if options.quick else "",
            "date": datetime.date.today().isoformat()}


def begin(campaign: Campaign, options: argparse.Namespace, results: dict) -> dict:
    """The results to go on from; refuses those of another commit before anything runs."""
    now = campaign.origin(options)["commit"]
    if options.anew:
        results = {}
    origin.refuse_mix(campaign.name, f"{tables.json_name(campaign)} has results",
                      [result["made"]["commit"] for result in results.values()], now)
    origin.claim_runs(campaign.name, runs_of(campaign.name), now, options.anew)
    return results


def update(campaign: Campaign, name: str, options: argparse.Namespace, results: dict) -> None:
    """Of a part that runs in pieces, those that were not made again stay; a
    result of which nothing ran now keeps its origin."""
    found = campaign.measure(name, options)
    if not found:
        return
    before = results.get(name, {})
    origin = made(campaign, options) if found.fresh or not before else before["made"]
    results[name] = before | found.result | {"made": origin}


def run(campaign: Campaign, parser: argparse.ArgumentParser) -> int:
    """Does what the command line says; returns the exit status."""
    add_options(campaign, parser)
    options = parser.parse_args()
    end_on_request(campaign.name)
    say = teller(campaign.name)
    path = options.docs / tables.json_name(campaign)
    results = json.loads(path.read_text()) if path.exists() else {}
    failed = False
    names = chosen(campaign, options, parser)
    if names:
        try:
            results = begin(campaign, options, results)
        except RunError as error:
            say(str(error))
            return 1
    for name in names:
        try:
            update(campaign, name, options, results)
        except RunError as error:
            failed = True
            say(str(error))
    say(f"tables: {tables.write(campaign, results, options.docs)}")
    return 1 if failed else 0
