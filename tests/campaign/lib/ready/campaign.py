# SPDX-License-Identifier: GPL-2.0
"""The command: options, what is run, and what is written."""

from __future__ import annotations

import argparse
import datetime
import json
import signal
from pathlib import Path

from lib.ready import page
from lib.ready.parts import PARTS
from lib.ready.work import RunError, Work, say
from lib.simulator import ROOT, version

PAGE = "page"
RUNS = ROOT / "out/campaign/ready"
DOCS = ROOT / "docs/results/ready"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}, {PAGE}")
    parser.add_argument("--again", action="store_true", help="run also what was run before")
    parser.add_argument("--only", action="append", metavar="RUN", help="of a part, only these runs")
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    parser.add_argument("--seed", type=int, default=1, help="of the loads and the machine (1)")
    parser.add_argument("--module", type=Path, help="use this one, don't build")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the page goes")


def chosen(options: argparse.Namespace, parser: argparse.ArgumentParser) -> list[str]:
    unknown = set(options.parts) - {*PARTS, PAGE}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}")
    return [name for name in PARTS if not options.parts or name in options.parts]


def work_of(options: argparse.Namespace) -> Work:
    return Work(RUNS, options.quick, options.again, tuple(options.only or ()), options.seed,
                options.module)


def made(options: argparse.Namespace) -> dict:
    return {"commit": version(), "seed": options.seed,
            "options": " --quick" if options.quick else "",
            "date": datetime.date.today().isoformat()}


def measure(name: str, options: argparse.Namespace, before: dict | None) -> dict:
    """A result of which nothing ran now keeps its origin."""
    work = work_of(options)
    found = PARTS[name].measure(work)
    origin = made(options) if work.fresh or not before else before["made"]
    return (before or {}) | found | {"made": origin}


def end(*_: object) -> None:
    """Asked to end: what it has started ends, too."""
    raise SystemExit("ready: ended; it goes on from here when started again")


def main(parser: argparse.ArgumentParser) -> int:
    add_options(parser)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, end)
    path = options.docs / "ready.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    failures = []
    for name in chosen(options, parser):
        if options.parts == [PAGE]:
            break
        try:
            results[name] = measure(name, options, results.get(name))
        except RunError as error:
            failures.append(str(error))
            say(str(error))
    page.write(results, PARTS, options.docs)
    say(f"tables: {options.docs}/tables.rst")
    return 1 if failures else 0
