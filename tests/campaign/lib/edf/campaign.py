# SPDX-License-Identifier: GPL-2.0
"""The command: options, what is run, and what is written."""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import signal
import time
from pathlib import Path

from lib.edf import cost, database, figures, isolation, page, peers, profile, storm
from lib.edf.scale import FULL, QUICK, Scale
from lib.machine import Machine, RunError
from lib.simulator import ROOT, version

PARTS = {"profile": profile, "figures": figures, "peers": peers, "isolation": isolation,
         "cost": cost, "database": database, "storm": storm}
PAGE = "page"
RUNS = ROOT / "out/campaign/edf"
DOCS = ROOT / "docs/results/edf"
KERNEL = "6.1"


def say(text: str) -> None:
    print(f"edf: {text}", flush=True)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}, {PAGE}")
    parser.add_argument("--again", action="store_true", help="run also what was run before")
    parser.add_argument("--only", action="append", metavar="RUN", help="of a part, only these boots")
    parser.add_argument("--quick", action="store_true", help="fewer windows and turns")
    parser.add_argument("--seed", type=int, default=1, help="of the machine (1)")
    parser.add_argument("--module", type=Path, help="use this one, don't build")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the page goes")


def chosen(options: argparse.Namespace, parser: argparse.ArgumentParser) -> list[str]:
    unknown = set(options.parts) - {*PARTS, PAGE}
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}")
    return [name for name in PARTS if not options.parts or name in options.parts]


@dataclasses.dataclass
class Boots:
    """Where the results of each boot are; `fresh` if one was made just now,
    `needless` if the part has none."""

    out: dict[str, Path] = dataclasses.field(default_factory=dict)
    fresh: bool = False
    needless: bool = False


def run_jobs(machine: Machine, part: str, options: argparse.Namespace) -> Boots:
    """Boots that were made before are kept."""
    jobs = PARTS[part].jobs(scale(options))
    boots = Boots(needless=not jobs)
    for job in jobs:
        kept = machine.find(job)
        wanted = not options.only or job.name in options.only
        if kept and not (options.again and wanted):
            say(f"{part}: {job.name}: kept")
        elif wanted:
            say(f"{part}: {job.name}: runs")
            begun = time.monotonic()
            kept = machine.run(job)
            boots.fresh = True
            say(f"{part}: {job.name}: {time.monotonic() - begun:.0f} s")
        if kept:
            boots.out[job.name] = kept
    return boots


def scale(options: argparse.Namespace) -> Scale:
    return QUICK if options.quick else FULL


def made(options: argparse.Namespace) -> dict:
    return {"commit": f"unknown, module {options.module}" if options.module else version(),
            "kernel": KERNEL, "seed": options.seed,
            "options": " --quick" if options.quick else "",
            "date": datetime.date.today().isoformat()}


def end(*_: object) -> None:
    """Asked to end: the virtual machine ends, too."""
    raise SystemExit("edf: ended; it goes on from here when started again")


def main(parser: argparse.ArgumentParser) -> int:
    add_options(parser)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, end)
    path = options.docs / "edf.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    machine = Machine("edf", ("edf-lib.sh",), RUNS, options.module, options.seed)
    failures = []
    for name in chosen(options, parser):
        try:
            boots = run_jobs(machine, name, options)
            if boots.out or boots.needless:
                before = results.get(name, {})
                origin = made(options) if boots.fresh or not before else before["made"]
                # Of a part with several boots, those that were not made again stay.
                found = PARTS[name].measure(boots.out, scale(options))
                results[name] = before | found | {"made": origin}
        except RunError as error:
            failures.append(str(error))
            say(str(error))
    page.write(results, PARTS, options.docs)
    say(f"tables: {options.docs}/tables.rst")
    return 1 if failures else 0

