# SPDX-License-Identifier: GPL-2.0
"""The command of a campaign that consists of parts: options, what is run, and what is written.

A campaign has one page or several.  The JSON beside a page holds the result of each of its parts, all of one commit:
another one is refused until the whole page is measured anew.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import signal
from collections.abc import Callable, Mapping, Sequence
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
    `page` tells one page from others of the campaign.
    """

    name: str
    title: str
    parts: Mapping[str, ModuleType]
    help: Help
    measure: Callable[[str, argparse.Namespace], Found | None]
    origin: Callable[[argparse.Namespace], dict]
    page: str = ""

    def runs(self) -> Path:
        """Where those of this page are kept."""
        return runs_of(f"{self.name}-{self.page}" if self.page else self.name)


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


def names_of(pages: Sequence[Campaign]) -> list[str]:
    """All parts, page by page."""
    return [name for page in pages for name in page.parts]


def add_options(pages: Sequence[Campaign], parser: argparse.ArgumentParser) -> None:
    campaign = pages[0]
    parser.add_argument("parts", nargs="*", metavar="PART",
                        help=f"of {', '.join(names_of(pages))}, {PAGE}")
    parser.add_argument("--again", action="store_true", help="run also what was run before")
    parser.add_argument("--anew", action="store_true",
                        help="forget what was measured at another commit, runs and results, and begin again")
    parser.add_argument("--only", action="append", metavar="RUN", help=campaign.help.only)
    parser.add_argument("--quick", action="store_true", help=campaign.help.quick)
    parser.add_argument("--seed", type=int, default=tables.SEED, help=campaign.help.seed)
    parser.add_argument("--module", type=Path, help="use this one, don't build")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs/results" / campaign.name,
                        help="where the page goes")


def check_names(pages: Sequence[Campaign], options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    unknown = set(options.parts) - {*names_of(pages), PAGE}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}")


def chosen(campaign: Campaign, options: argparse.Namespace) -> list[str]:
    """The parts to run: all if none is named, none if only the page is."""
    return [name for name in campaign.parts if not options.parts or name in options.parts]


def said(options: argparse.Namespace) -> str:
    """What makes a result again, beside the seed; not all campaigns have all of it."""
    values = {name: getattr(options, name, None) for name in ("count", "profiles")}
    return (" --quick" if options.quick else "") + "".join(f" --{name} {value}" for name, value in values.items() if value)


def made(campaign: Campaign, options: argparse.Namespace) -> dict:
    return {**campaign.origin(options), "seed": options.seed, "options": said(options), "date": datetime.date.today().isoformat()}


def written(campaign: Campaign, options: argparse.Namespace) -> dict:
    """The results beside the page."""
    path = options.docs / tables.json_name(campaign)
    return json.loads(path.read_text()) if path.exists() else {}


def begin(campaign: Campaign, options: argparse.Namespace, results: dict) -> dict:
    """The results to go on from; refuses those of another commit, with another program, before anything runs."""
    now = campaign.origin(options)
    if options.anew:
        results = {}
    others = [result["made"] for result in results.values() if not origin.is_same(result["made"], now)]
    origin.refuse_mix(campaign.name, f"{tables.json_name(campaign)} has results",
                      [made[origin.COMMIT] for made in others], now[origin.COMMIT])
    origin.claim_runs(campaign.name, campaign.runs(), origin.name_of(now), options.anew)
    return results


def update(campaign: Campaign, name: str, options: argparse.Namespace, results: dict) -> None:
    """Of a part that runs in pieces, those that were not made again stay; a
    result of which nothing ran now keeps its origin, if the same was asked for."""
    found = campaign.measure(name, options)
    if not found:
        return
    before = results.get(name, {})
    is_kept = before and not found.fresh and before["made"]["options"] == said(options)
    results[name] = before | found.result | {"made": before["made"] if is_kept else made(campaign, options)}


def run_page(campaign: Campaign, options: argparse.Namespace) -> bool:
    """One page's parts, and the page; returns whether all went well."""
    say = teller(campaign.name)
    results = written(campaign, options)
    good = True
    names = chosen(campaign, options)
    if names:
        try:
            results = begin(campaign, options, results)
        except RunError as error:
            say(str(error))
            return False
    for name in names:
        try:
            update(campaign, name, options, results)
        except RunError as error:
            good = False
            say(str(error))
    say(f"tables: {tables.write(campaign, results, options.docs)}")
    return good


def run(parser: argparse.ArgumentParser, *pages: Campaign) -> int:
    """Does what the command line says; returns the exit status."""
    add_options(pages, parser)
    options = parser.parse_args()
    check_names(pages, options, parser)
    end_on_request(pages[0].name)
    asked = [page for page in pages if PAGE in options.parts or chosen(page, options)]
    return 0 if all([run_page(page, options) for page in asked]) else 1
