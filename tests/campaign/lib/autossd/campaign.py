# SPDX-License-Identifier: GPL-2.0
"""The command: options, what is run, and what is written."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from lib.autossd import driver, limits, micro, page, sensitivity, traces, waits, windows
from lib.autossd.page import Part, Report
from lib.autossd.runs import PARTS, Scale
from lib.autossd.section import Experiment
from lib.autossd.store import Store
from lib.campaign import PAGE, end_on_request
from lib.simulator import ROOT, build, cpu_model, version

EXPERIMENTS = {e.name: e for e in (
    *micro.EXPERIMENTS, traces.EXPERIMENTS[0], *windows.EXPERIMENTS[:2], *waits.EXPERIMENTS,
    traces.EXPERIMENTS[1], windows.EXPERIMENTS[2], traces.REAL, *sensitivity.EXPERIMENTS, *limits.EXPERIMENTS)}
SEEDS = 5
RESULTS = ROOT / "out/campaign/autossd"
DOCS = ROOT / "docs/results/autossd"


def say(text: str) -> None:
    print(f"autossd: {text}", file=sys.stderr, flush=True)


def fraction(text: str) -> float:
    """5% or 0.05; the simulator takes 0.0001 % to 100 %."""
    value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not above 0% and up to 100%")
    return value


def seeds(text: str) -> int:
    """How many."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seeds")
    return int(text)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", nargs="+", choices=[*EXPERIMENTS, PAGE], metavar="NAME",
                        help=f"of {', '.join(EXPERIMENTS)}; page: run nothing")
    parser.add_argument("--fraction", type=fraction, default=1.0,
                        help="of what is run of each load (100%%)")
    parser.add_argument("--whole", action="store_true",
                        help=f"run loads to their end, also those of which a part is enough: {', '.join(PARTS)}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="runs at a time (one for each CPU)")
    parser.add_argument("--seed", type=int, default=1, help="of drives and loads, the first of them (1)")
    parser.add_argument("--count", type=seeds, default=SEEDS, help=f"seeds ({SEEDS})")
    parser.add_argument("--real", action="store_true",
                        help=f"also the real trace {traces.REAL_TRACE.name}, if it is there")
    parser.add_argument("--simulator", type=Path, help="use this one, don't build")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where runs are kept")
    parser.add_argument("--out", type=Path, help="where the page goes (RESULTS/report)")
    parser.add_argument("--docs", type=Path, default=DOCS,
                        help="where tables and JSON of a complete campaign go")


def real_missing(options: argparse.Namespace) -> str:
    """Why the real trace is left out; empty where it is not."""
    if not options.real and "real" not in (options.only or ()):
        return "Not asked for: --real."
    if not traces.REAL_TRACE.exists():
        return f"Skipped: there is no {traces.REAL_TRACE}."
    return ""


def plans(options: argparse.Namespace, scale: Scale) -> dict[str, dict]:
    """Every experiment's runs, also of those that are only shown."""
    skipped = {"real"} if real_missing(options) else set()
    return {name: experiment.plan(scale) if name not in skipped else {}
            for name, experiment in EXPERIMENTS.items()}


def make_part(experiment: Experiment, plan: dict, store: Store, reason: str,
              failures: list[str]) -> Part:
    found = {label: store.find(run) for label, run in plan.items()}
    results = {label: one for label, one in found.items() if one}
    if reason:
        return Part(experiment, {}, None, reason)
    if len(results) < len(found):
        said = [f"Not measured: {len(found) - len(results)} of {len(found)} runs have no result.",
                *(f for f in failures if f.startswith(f"{experiment.name} "))]
        return Part(experiment, results, None, "  ".join(said))
    return Part(experiment, results, experiment.section(results), "")


def make_report(options: argparse.Namespace, scale: Scale, store: Store,
                wanted: dict[str, dict], failures: list[str]) -> Report:
    parts = [make_part(EXPERIMENTS[name], plan, store,
                       real_missing(options) if name == "real" else "", failures)
             for name, plan in wanted.items()]
    # what was not asked for is not shown as missing
    asked = [p for p in parts if p.experiment.name != "real" or options.real or p.section]
    return Report(asked, scale, store.hash, version(), cpu_model(), store.loads())


def write(options: argparse.Namespace, report: Report) -> None:
    out = options.out or options.results / "report"
    say(f"page: {page.write(report, out)}")
    if report.scale.fraction != 1:
        say("tables in docs are left as they are: this was only a part of what is run")
    elif not report.is_complete():
        open_parts = [p.experiment.name for p in report.parts if not p.section]
        say(f"tables in docs are left as they are: not measured: {', '.join(open_parts)}")
    else:
        page.copy_documents(out, options.docs)
        say(f"tables: {options.docs}")


def main(parser: argparse.ArgumentParser) -> int:
    add_options(parser)
    options = parser.parse_args()
    end_on_request("autossd")
    store = Store(options.results.resolve(), options.simulator or build("build"))
    scale = Scale(options.fraction, options.seed, options.count, options.whole, store.least_op)
    wanted = plans(options, scale)
    chosen = options.only or list(EXPERIMENTS)
    tasks = driver.missing(store, {name: wanted[name] for name in chosen if name != PAGE})
    say(f"{len(tasks)} runs to make, {options.jobs} at a time; {scale.text()} of what is run of each load")
    if real_missing(options) and options.real:
        say(f"real: {real_missing(options)}")
    failures = driver.run_all(store, tasks, options.jobs, say)
    write(options, make_report(options, scale, store, wanted, failures))
    for failure in failures:
        say(failure)
    return 1 if failures else 0


