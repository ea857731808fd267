# SPDX-License-Identifier: GPL-2.0
"""Part `peers`: the same owners and neighbours under io.max, iocost, BFQ, nothing and ssdqos."""

from __future__ import annotations

import argparse
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.machine import Job
from lib.promise import boots, cases, contenders, guest, logs, matrix, neighbours, pick
from lib.promise.draw import Scenario
from lib.promise.guest import Times
from lib.promise.runs import Runs

TITLE = "Beside io.max, iocost and BFQ"
CONTENDERS = {"none": "nothing", "bfq": "BFQ", "iocost": "iocost", "io_max": "io.max", "ssdqos": "ssdqos"}
SCENARIOS, QUICK_SCENARIOS = 8, 5
WARM_UP_S = 2
RUN_S, QUICK_RUN_S = 20, 8
# A longer promise has too few of them.
LEAST_WINDOWS = 8
# Who is not told what neighbours may have.
NO_SHARE = ("none", "ssdqos")
# Of which the neighbours' part is searched, and how often it is halved.
SEARCHED, QUICK_SEARCHED = ("io_max", "iocost", "bfq"), ("io_max",)
SEARCH_STEPS, QUICK_SEARCH_STEPS = 5, 4
NOT_ON_LOOP = "randtrim"
SCRIPT = "promise-peers.sh"
SHARED = ("promise-windows.awk",)
MB = 1_000_000
# Behind a contender's name.
SEARCH = "_search"
NO_IO = {"rios": 0, "wios": 0, "rbytes": 0, "wbytes": 0}


def counted_s(options: argparse.Namespace) -> int:
    return QUICK_RUN_S if options.quick else RUN_S


def times(scenario: Scenario, run_s: int) -> Times:
    return Times(guest.warm_up_s(scenario, WARM_UP_S), run_s)


def comparable(run_s: int) -> pick.Test:
    """What is different for peers; quickly found out."""
    def test(scenario: Scenario) -> str:
        of = times(scenario, run_s)
        if not scenario.owners:
            return "without a promise"
        if min(guest.windows(owner, of) for owner in scenario.owners) < LEAST_WINDOWS:
            return "with windows too long for the run"
        if guest.why_not(scenario.neighbour):
            return "with neighbours that fio can't make"
        beside = guest.clients(scenario.neighbour)
        if not any(load.turns.start_s < of.end_s for one in beside for load in one.loads):
            return "without neighbours in this time"
        if any(NOT_ON_LOOP in option for one in beside for load in one.loads for option in load.options):
            return "with trims, which a loop device doesn't pass on"
        return ""
    return test


def job(scenario: Scenario, runs: Runs, options: argparse.Namespace) -> Job:
    of, profile = times(scenario, counted_s(options)), runs.profile_of(scenario.drive)
    beside = guest.clients(scenario.neighbour)
    files = guest.files(scenario, of, profile)
    files[f"s{scenario.number}.limits"] = contenders.limit_lines(beside, profile)
    files[f"s{scenario.number}.sh"] += (f"REST_PERMILLE='{guest.rest_permille(profile, scenario)}'\n"
                                        f"IOCOST_MODEL='{contenders.model(profile)}'\n")
    searched, steps = (QUICK_SEARCHED, QUICK_SEARCH_STEPS) if options.quick else (SEARCHED, SEARCH_STEPS)
    most_runs = len(CONTENDERS) + len(searched) * steps
    return boots.job(f"scenario-{scenario.number}", SCRIPT, [scenario], files,
                     boots.BESIDE_S + most_runs * (of.end_s + boots.BESIDE_S),
                     {"CONTENDERS": " ".join(CONTENDERS), "SEARCHED": " ".join(searched), "SEARCH_STEPS": steps})


# ---- what a run left behind ----

def io_stat(path: Path) -> dict[str, dict[str, int]]:
    """By client: lines NAME MAJOR:MINOR KEY=VALUE..., without what comes behind the name if nothing was done."""
    found = {}
    for line in path.read_text().splitlines():
        name, *words = line.split()
        found[name] = NO_IO | {key: int(value) for key, _, value in (word.partition("=") for word in words) if value}
    return found


def done(directory: Path) -> dict[str, dict[str, int]]:
    """What each client did while it counted, as lib/promise/matrix.py has it."""
    before, after = (io_stat(directory / f"io.{when}") for when in ("begin", "end"))
    keys = {"reads": "rios", "writes": "wios", "read_bytes": "rbytes", "write_bytes": "wbytes"}
    return {name: {key: after[name][of] - before[name][of] for key, of in keys.items()} for name in after}


def owner_rows(scenario: Scenario, directory: Path, of: Times) -> list[dict]:
    made = []
    for at, owner in enumerate(scenario.owners):
        log = logs.read(directory, at, owner, of)
        row = logs.terms(owner)
        pct = 100 * log.met / log.counted
        made.append({**row, "met": log.met, "missed": log.counted - log.met, "met_pct": round(pct, 2),
                     "held": pct >= row["confidence_pct"], "least_pct": log.least_pct, "achieved_iops": log.iops})
    return made


def run_row(scenario: Scenario, directory: Path, runs: Runs, of: Times) -> dict:
    moved, profile = done(directory), runs.profile_of(scenario.drive)

    def sums(who: str) -> tuple[float, float]:
        """MB/s, and device time by the profile."""
        mine = [one for name, one in moved.items() if name[0] == who and name != neighbours.BURST_NAME]
        mb_s = sum(one["read_bytes"] + one["write_bytes"] for one in mine) / MB / of.run_s
        return round(mb_s, 2), sum(matrix.work_ns(one, profile) for one in mine)
    owners_mb_s, owners_ns = sums("a")
    beside_mb_s, beside_ns = sums("b")
    return {"share_permille": int(directory.suffix[1:]), "promises": owner_rows(scenario, directory, of),
            "owners_mb_s": owners_mb_s, "neighbours_mb_s": beside_mb_s, "owners_work_ns": owners_ns,
            "neighbours_work_ns": beside_ns}


def tried(results: Path) -> dict[str, dict[int, bool]]:
    """By contender: with which parts for the neighbours the owners' promises held."""
    found: dict[str, dict[int, bool]] = {}
    path = results / "search"
    for line in path.read_text().splitlines() if path.exists() else ():
        name, share, judged = line.split()
        found.setdefault(name, {})[int(share)] = judged == "held"
    return found


def scenario_row(scenario: Scenario, results: Path, runs: Runs, options: argparse.Namespace) -> dict:
    of = times(scenario, counted_s(options))
    rest = guest.rest_permille(runs.profile_of(scenario.drive), scenario)
    found = {name: run_row(scenario, results / f"{name}.{rest}", runs, of) for name in CONTENDERS}
    searches = tried(results)
    for name, shares in searches.items():
        best = max((share for share, held in shares.items() if held), default=min(shares))
        found[f"{name}{SEARCH}"] = run_row(scenario, results / f"{name}.{best}", runs, of)
    return {"number": scenario.number, "name": scenario.name, "rest_permille": rest, "contenders": found,
            "tried": {name: {str(share): held for share, held in shares.items()} for name, shares in searches.items()}}


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    of_s = counted_s(options)
    count = cases.asked(options, QUICK_SCENARIOS, SCENARIOS)
    picked = pick.First(pick.numbered(runs, options, of_s, of_s), count, [comparable(of_s), pick.can_run(runs)])

    def boot(one: Scenario) -> dict:
        place = boots.result("peers", job(one, runs, options), runs, options, SHARED)
        return scenario_row(one, place / str(one.number), runs, options)

    def more(one: Scenario) -> list[str]:
        made = job(one, runs, options)
        return [*boots.sources(SCRIPT, SHARED), made.text(), *guest.told(made.files)]
    rows = [runs.row(one, boot, more(one)) for one in picked]
    return {"rows": rows, "passed": picked.sentence(), "run_s": of_s}


# ---- tables ----

def title(name: str) -> str:
    base = CONTENDERS[name.removesuffix(SEARCH)]
    return f"{base}, by search" if name.endswith(SEARCH) else base


def names(rows: list[dict]) -> list[str]:
    """Searched ones behind the same by its documentation."""
    found = {name for row in rows for name in row["contenders"]}
    return [name for first in CONTENDERS for name in (first, f"{first}{SEARCH}") if name in found]


def of_nothing_pct(rows: list[dict], name: str, key: str) -> float:
    """Mean over the scenarios, of what there was without control."""
    shares = [100 * row["contenders"][name][key] / row["contenders"]["none"][key] for row in rows
              if name in row["contenders"] and row["contenders"]["none"][key]]
    return sum(shares) / len(shares) if shares else 0.0


def all_work(row: dict) -> dict:
    """With a sum over owners and neighbours in each contender."""
    return row | {"contenders": {name: one | {"work_ns": one["owners_work_ns"] + one["neighbours_work_ns"]}
                                 for name, one in row["contenders"].items()}}


def summary(rows: list[dict]) -> list[list[object]]:
    table = []
    for name in names(rows):
        mine = [row["contenders"][name] for row in rows if name in row["contenders"]]
        of = [promise for one in mine for promise in one["promises"]]
        table.append([title(name), f"{matrix.held(of)} of {len(of)}", f"{matrix.windows_pct(of):.1f}",
                      f"{of_nothing_pct(rows, name, 'neighbours_work_ns'):.0f}",
                      f"{of_nothing_pct(list(map(all_work, rows)), name, 'work_ns'):.0f}",
                      f"{sum(one['owners_mb_s'] for one in mine):.1f}",
                      f"{sum(one['neighbours_mb_s'] for one in mine):.1f}"])
    return table


def found_text(rows: list[dict]) -> str:
    """In how many scenarios a search came to something."""
    tries = {name: [row["tried"].get(name, {}) for row in rows] for name in CONTENDERS}
    counts = [f"for {CONTENDERS[name]} in {sum(any(one.values()) for one in of)} of {len(rows)}"
              for name, of in tries.items() if any(of)]
    return f"A part for the neighbours with which all promises hold was found {', '.join(counts)} scenarios.\n"


def detail(row: dict) -> str:
    table = []
    for name in names([row]):
        one = row["contenders"][name]
        share = f"{one['share_permille'] / 10:g}" if name not in NO_SHARE else ""
        table.append([title(name), share,
                      *(f"{p['met']}/{p['met'] + p['missed']}" for p in one["promises"]),
                      *(f"{p['least_pct']:.0f}" for p in one["promises"]),
                      f"{one['owners_mb_s']:.1f}", f"{one['neighbours_mb_s']:.1f}"])
    promises = row["contenders"]["none"]["promises"]
    asked = "; ".join(f"{p['class']} d{p['depth']} {p['iops']:,} IOPS, {p['confidence_pct']:g} % of "
                      f"{p['window_ms'] / 1000:g} s" for p in promises)
    heads = [f"a{at} {what}" for what in ("met", "least %") for at in range(len(promises))]
    return rst.page(rst.heading(row["name"], "~"), f"Promised: {asked}.\n",
                    rst.table(["", "neighbours %", *heads, "owners MB/s", "neighbours MB/s"], table))


def section(result: dict) -> str:
    rows = result["rows"]
    return rst.page(
        "The first of the drawn scenarios, by number, whose windows are short enough, with fio as in the\n"
        f"kernel (`kernel.rst <kernel.rst>`_), {result['run_s']} s of each contender on a new drive.  {result['passed']}\n",
        TEXT,
        "Promises and windows of the owners; work is device time by the profile, of that under nothing, mean of the\n"
        "scenarios; MB/s are sums over the scenarios:\n",
        rst.table(["", "promises hold", "windows %", "neighbours' work %", "all work %", "owners MB/s",
                   "neighbours MB/s"], summary(rows)),
        found_text(rows),
        *map(detail, rows))


TEXT = f"""\
Schedulers and iocost need requests, which device-mapper targets don't have, so all, ssdqos too, run on a loop device
with direct I/O over the drive.  Each client is a cgroup.  Windows are counted from fio's logs for all alike.

- *nothing*: no control at all.
- *BFQ*: weights are the owners' parts of device time by the profile, and the rest for the neighbours;
  ``low_latency=0``, as its documentation says for shares.
- *iocost*: the same weights; model from the profile's costs of 4 and 64 KiB, qos as in the example of
  ``cgroup-v2.rst``.
- *io.max*: neighbours are limited to the requests that fit into what is not promised, by the profile.  Owners are not
  limited, so one may take what another one was promised.
- *by search*: the largest part for the neighbours ("neighbours %") with which all promises of the scenario hold,
  by bisection; where none was found, the smallest that was tried.  It is chosen after the fact, for this load.
- *ssdqos*: the promises, admitted with the profile of the bare drive.  A neighbour's weight in its scenario is for
  ssdqos only.
"""


def goals(result: dict) -> list[Row]:
    of = [promise for row in result["rows"] for promise in row["contenders"]["ssdqos"]["promises"]]
    return [Bound("beside peers: promises that hold with ssdqos", matrix.held_pct(of), least=matrix.LEAST_HELD_PCT,
                  unit="%").row()]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
