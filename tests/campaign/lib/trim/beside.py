# SPDX-License-Identifier: GPL-2.0
"""Somebody deletes files while others read: what reads take, by how busy the readers are."""

from __future__ import annotations

import statistics
from pathlib import Path

from lib import charts, rst
from lib.claim import Bound, Claim
from lib.trim.runs import NS_PER_US, Drive, Run, Runs, times_of

TITLE = "Reads beside a delete"
# Of a granule: the drive can do something with each.
PIECE_KIB = 64
DRIVES = (Drive("ttflash", "I-TRIM", PIECE_KIB), Drive("x25e-like", "E-TRIM", PIECE_KIB))
# Reads a second, at random times: from a drive that mostly rests to one that never does.
RATES = (20, 100, 500, 2000)
# Files of some size lie where they lie: 4,000 pieces in five seconds, once in a minute.
DELETES = f"randtrim bs={PIECE_KIB}k random_distribution=once rate_iops=800 runtime=5s every=60s start=10s"
RUNTIME_S = 130
WARM_UP_S = 10
HOWS = ("no delete", "pass", "batched")
WITHIN_PCT = 5
KEYS = ("p50", "p99", "p999")
S_PER_US = 1e-6


def run_of(drive: Drive, rate: int, how: str, seed: int) -> Run:
    reads = ("reads", f"randread bs=4k rate_iops={rate} arrival=poisson")
    return Run(drive, seed, (reads,) if how == "no delete" else (reads, ("deletes", DELETES)), RUNTIME_S,
               batch=how == "batched", warm_up_s=WARM_UP_S)


def figures(found: dict) -> dict:
    deletes = found.get("deletes", {}).get("latency_ns", {})
    return {**{key: found["reads"]["latency_ns"][key] / NS_PER_US for key in KEYS},
            "delete": deletes.get("mean", 0) / NS_PER_US, "sent": found["drive"]["trim_sent"]}


def measure(runs: Runs) -> dict:
    found = {}
    for drive in DRIVES:
        runs.say(f"{drive.preset}, {drive.kind}")
        found[f"{drive.preset}, {drive.kind}"] = {
            str(rate): {how: [figures(runs.run(run_of(drive, rate, how, seed))) for seed in runs.seeds()] for how in HOWS}
            for rate in RATES}
    return {"drives": found, "command": run_of(DRIVES[0], RATES[0], "batched", 1).command()}


def mean(runs: list[dict], key: str) -> float:
    return statistics.mean(run[key] for run in runs)


def goals(result: dict) -> list:
    rows = []
    for name, rates in result["drives"].items():
        for rate, found in rates.items():
            rows.append(Claim(f"{name}, {rate} reads/s: p99.9 beside a batched delete, of without", 100, WITHIN_PCT,
                              "the issue", 100 * mean(found["batched"], "p999") / mean(found["no delete"], "p999"),
                              "%").row())
            rows.append(Bound(f"{name}, {rate} reads/s: likewise, of one that passes",
                              100 * mean(found["batched"], "p999") / mean(found["pass"], "p999"), most=100,
                              unit="%").row())
    return rows


def busy_pct(drive: Drive, found: dict) -> float:
    """Of the time, in which the drive is at discards that were batched."""
    discard_us = times_of(drive.kind)["trim_ns"] / NS_PER_US
    return 100 * mean(found["batched"], "sent") * discard_us * S_PER_US / RUNTIME_S


def section(result: dict) -> str:
    pieces = [f"4,000 pieces of {PIECE_KIB} KiB are discarded within 5 s, once a minute, in random order; readers come at "
              "random times.  Mean of the seeds, us.\n"]
    for drive, (name, rates) in zip(DRIVES, result["drives"].items()):
        rows = [[f"{rate} reads/s, {how}", *(f"{mean(found[how], key):.0f}" for key in (*KEYS, "delete")),
                 f"{mean(found[how], 'sent'):.0f}"] for rate, found in rates.items() for how in HOWS]
        pieces += [rst.heading(name, "~"), rst.table(["", "p50", "p99", "p99.9", "a discard", "sent"], rows),
                   f"The drive is at batched discards for {busy_pct(drive, next(iter(rates.values()))):.1f} % of the "
                   "time: of readers who come at random, as many meet one, whenever they are sent.\n"]
    return rst.page(*pieces, "One of these runs::\n\n    " + result["command"],
                    rst.figure("beside.svg", "p99.9 of reads beside a delete."))


def draw(result: dict, directory: Path) -> None:
    def paint(axes) -> None:
        for name, rates in result["drives"].items():
            for how in HOWS:
                axes.loglog([int(rate) for rate in rates], [mean(found[how], "p999") for found in rates.values()],
                            marker="o", label=f"{name}: {how}")
        axes.legend(fontsize=7)
    charts.draw(directory / "beside.svg", paint, "reads a second", "p99.9 of reads, us")
