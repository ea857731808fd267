# SPDX-License-Identifier: GPL-2.0
"""Part `kernel`: drawn scenarios with the kernel's module, fio and the virtual clock."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.edf import fio
from lib.machine import Job
from lib.promise import boots, cases, guest, logs, matrix, pick, processor
from lib.promise.draw import WARM_UP_S, Scenario
from lib.promise.guest import Times
from lib.promise.runs import Runs

TITLE = "In the kernel"
SCENARIOS, QUICK_SCENARIOS = 60, 8
# Of the longest promise, as long as it takes no more time than that: a second costs several of the host.
WINDOWS = 20
MOST_S, QUICK_MOST_S = 30, 20
EACH_BOOT = 2
SCRIPT = "promise-kernel.sh"
LEAST_HELD_PCT = 99


def times(scenario: Scenario) -> Times:
    return Times(WARM_UP_S, scenario.runtime_s - WARM_UP_S)


def files_of(scenario: Scenario, runs: Runs) -> dict[str, str]:
    return guest.files(scenario, times(scenario), runs.profile_of(scenario.drive))


def job(scenarios: Sequence[Scenario], runs: Runs) -> Job:
    files: dict[str, str] = {}
    for one in scenarios:
        files |= files_of(one, runs)
    guest_s = sum(times(one).end_s + boots.BESIDE_S for one in scenarios)
    name = f"from-{scenarios[0].number}-to-{scenarios[-1].number}"
    return boots.job(name, SCRIPT, scenarios, files, guest_s, {})


def status(directory: Path) -> dict[str, dict[str, str]]:
    return fio.read_status(directory / "status")


def promises(scenario: Scenario, directory: Path, simulated: dict[str, dict]) -> list[dict]:
    """By the streams' counters; beside them fio's log, and the same scenario in the simulator."""
    streams, made = status(directory), []
    for at, owner in enumerate(scenario.owners):
        stream, other = streams[f"a{at}"], simulated[f"a{at}"]
        met, missed, idle = (int(stream[f"windows_{key}"]) for key in ("met", "missed", "idle"))
        log = logs.read(directory, at, owner, times(scenario))
        pct = matrix.met_pct({"windows_met": met, "windows_missed": missed})
        sim_pct = matrix.met_pct(other) or 0
        if pct is not None:
            held_pct = logs.terms(owner)["confidence_pct"]
            made.append({**logs.terms(owner), "met": met, "missed": missed, "idle": idle, "met_pct": round(pct, 2),
                         "held": pct >= held_pct, "why": stream.get("missed_why", ""),
                         "fio_met": log.met, "fio_windows": log.counted, "least_pct": log.least_pct,
                         "achieved_iops": log.iops, "sim_met": other["windows_met"],
                         "sim_missed": other["windows_missed"], "sim_held": sim_pct >= held_pct})
    return made


def row(scenario: Scenario, directory: Path, runs: Runs) -> dict:
    return {"number": scenario.number, "name": scenario.name, "drive": scenario.drive.name,
            "neighbour": scenario.neighbour, "share_pct": scenario.share_pct,
            "processor": dataclasses.asdict(processor.parse((directory / "processor").read_text())),
            "promises": promises(scenario, directory, runs.run(scenario))}


def rows_of(group: Sequence[Scenario], runs: Runs, options: argparse.Namespace) -> list[dict]:
    """In one boot, those that the page does not have."""
    def more(one: Scenario) -> list[str]:
        return [*boots.sources(SCRIPT), *guest.told(files_of(one, runs))]
    missing = [one for one in group if not runs.known(one, more(one))]
    place = boots.result("kernel", job(missing, runs), runs, options) if missing else Path()
    return [runs.row(one, lambda of: row(of, place / str(of.number) / "ssdqos", runs), more(one)) for one in group]


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    count = cases.asked(options, QUICK_SCENARIOS, SCENARIOS)
    most_s = QUICK_MOST_S if options.quick else MOST_S
    picked = pick.First(pick.numbered(runs, options, WINDOWS, most_s), count, [pick.can_run(runs)])
    rows: list[dict] = []
    for group in boots.batches(picked, EACH_BOOT):
        rows += rows_of(group, runs, options)
        runs.say(f"kernel: {len(rows)} scenarios; {matrix.said(rows)}")
    return {"rows": rows, "passed": picked.sentence(), "most_s": most_s}


# ---- tables ----

def by_log(promise: dict) -> dict:
    pct = 100 * promise["fio_met"] / promise["fio_windows"]
    return promise | {"met": promise["fio_met"], "missed": promise["fio_windows"] - promise["fio_met"], "met_pct": pct,
                      "held": pct >= promise["confidence_pct"]}


def as_simulated(promise: dict) -> dict:
    return promise | {"met": promise["sim_met"], "missed": promise["sim_missed"], "held": promise["sim_held"],
                      "met_pct": 100 * promise["sim_met"] / max(promise["sim_met"] + promise["sim_missed"], 1)}


def use(one: dict) -> processor.Use:
    return processor.Use(**one["processor"])


def lines(rows: list[dict]) -> list[list[object]]:
    return [[one["name"], f"{promise['class']} d{promise['depth']}", f"{promise['iops']:,}",
             f"{promise['window_ms'] / 1000:g} s", f"{promise['confidence_pct']:g}",
             f"{promise['met']}/{promise['met'] + promise['missed']}", f"{promise['fio_met']}/{promise['fio_windows']}",
             f"{promise['sim_met']}/{promise['sim_met'] + promise['sim_missed']}", f"{promise['least_pct']:.0f}",
             promise["why"] if promise["missed"] else "", use(one).text()]
            for one in rows for promise in one["promises"]]


def left_out_text() -> str:
    out = guest.left_out()
    return "Neighbours that are left out: " + "; ".join(f"*{kind}* ({why})" for kind, why in out.items()) + ".\n"


def section(result: dict) -> str:
    rows = result["rows"]
    of, calm = matrix.flat(rows), matrix.flat(one for one in rows if use(one).is_seldom_full)
    return rst.page(
        f"The first {len(rows)} scenarios, by number, that the virtual machine can run (Linux {boots.KERNEL}, virtual clock):\n"
        "streams of ``ssdqos`` on an emulated drive (``ssdqos-flash``) with the simulator's profile, fio as clients.\n"
        f"{WINDOWS} windows of the longest promise, {result['most_s']} s at most.  {result['passed']}\n",
        matrix.interval_text(of),
        left_out_text(),
        "fio's windows begin at another moment than the kernel's, so those that were nearly met may differ:\n",
        rst.table(["", "promises", "hold", "%", "windows %", "points below"],
                  [matrix.group("kernel's counters", of), matrix.group("fio's log", list(map(by_log, of))),
                   matrix.group("same in the simulator", list(map(as_simulated, of))),
                   matrix.group("kernel's counters, processor seldom full", calm)]),
        "*Least* is the worst window by fio's log, % of the promise; *missed why* what the stream says of the last one\n"
        "that it missed.  *Processor* is for what part of the time tasks ran on the machine's processor, %, and for what part of it\n"
        f"it was full: for {processor.FULL_PCT} % of 10 ms and more.  The machine is slower than the drive then.  *Seldom* is less than\n"
        f"{processor.SELDOM_PCT} % of the time.  What interrupts do to an idle processor is not counted.\n",
        rst.table(["scenario", "promise", "IOPS", "window", "confidence", "kernel", "fio", "simulator", "least",
                   "missed why", "processor"],
                  lines(rows)))


def goals(result: dict) -> list[Row]:
    of = matrix.flat(result["rows"])
    return [Bound("promises that hold in the kernel", matrix.held_pct(of), least=LEAST_HELD_PCT, unit="%").row()]


def draw(_result: dict, _directory: Path) -> None:
    """Tables say it all."""
