# SPDX-License-Identifier: GPL-2.0
"""Somebody deletes files: how long must the drive be given to do it, so that nobody who reads meanwhile sees it?"""

from __future__ import annotations

import statistics
from pathlib import Path

from lib import charts, rst
from lib.claim import Claim
from lib.trim.beside import PIECE_KIB
from lib.trim.runs import NS_PER_US, Drive, Run, Runs, times_of

PAGE = "age"
TITLE = "How long discards are kept"
DRIVES = (Drive("ttflash", "I-TRIM", PIECE_KIB), Drive("x25e-like", "E-TRIM", PIECE_KIB))
# So many that the drive has hardly ever nothing to do for 20 ms, when discards would be sent before their time.
READS = 500
# Once, 4,000 pieces in five seconds.
DELETE_AT_S, DELETE_S, DELETES_PER_S = 10, 5, 800
# drive_trim_age_ms; by default 30 s.
AGES_S = (30, 120, 600, 1800, 7200, 14400)
# Nothing is sent before half of the age, all by its end.
DUE_DIVISOR = 2
WITHIN_PCT = 5
KEYS = ("p99", "p999", "max")
PERCENT = 100
NS_PER_S = 1_000_000_000
MS_PER_S = 1000


def run_of(drive: Drive, age_s: int, deleted: bool, seed: int) -> Run:
    """What is looked at is the time in which discards are sent."""
    reads = ("reads", f"randread bs=4k rate_iops={READS} arrival=poisson")
    deletes = ("deletes", f"randtrim bs={PIECE_KIB}k random_distribution=once rate_iops={DELETES_PER_S} "
               f"runtime={DELETE_S}s start={DELETE_AT_S}s")
    return Run(drive, seed, (reads, deletes) if deleted else (reads,), DELETE_AT_S + DELETE_S + age_s, batch=deleted,
               warm_up_s=DELETE_AT_S + age_s // DUE_DIVISOR, age_ms=age_s * MS_PER_S if deleted else 0)


def figures(found: dict) -> dict:
    return {**{key: found["reads"]["latency_ns"][key] / NS_PER_US for key in KEYS}, "sent": found["drive"]["trim_sent"]}


def measure(runs: Runs) -> dict:
    found = {}
    for drive in DRIVES:
        runs.say(f"{drive.preset}, {drive.kind}")
        found[f"{drive.preset}, {drive.kind}"] = {
            str(age_s): {how: [figures(runs.run(run_of(drive, age_s, how == "batched", seed))) for seed in runs.seeds()]
                         for how in ("no delete", "batched")} for age_s in AGES_S}
    return {"drives": found, "command": run_of(DRIVES[0], AGES_S[-1], True, 1).command()}


def mean(runs: list[dict], key: str) -> float:
    return statistics.mean(run[key] for run in runs)


def ratio_pct(found: dict, key: str) -> float:
    return PERCENT * mean(found["batched"], key) / mean(found["no delete"], key)


def goals(result: dict) -> list:
    """Of those that are kept the longest; the tables show how it moves."""
    return [Claim(f"{name}, kept for {age_s} s: p99.9 beside a batched delete, of without", PERCENT, WITHIN_PCT, "the issue",
                  ratio_pct(found, "p999"), "%").row()
            for name, ages in result["drives"].items() for age_s, found in list(ages.items())[-1:]]


def busy_pct(drive: Drive, age_s: int, found: dict) -> float:
    """Of the time in which discards are sent, that in which the drive is at them."""
    discards_s = mean(found["batched"], "sent") * times_of(drive.kind)["trim_ns"] / NS_PER_S
    return PERCENT * discards_s * DUE_DIVISOR / age_s


def section(result: dict) -> str:
    pieces = [f"{DELETES_PER_S * DELETE_S:,} pieces of {PIECE_KIB} KiB are discarded within {DELETE_S} s, in random order, and kept "
              "(``drive_trim_age_ms``); from half of that time on they are sent, evenly, so that all have gone in the end.  "
              f"{READS} reads a second come at random times; those of that second half are looked at, and in a run without "
              "the delete those of the same time.  Mean of the seeds, us.  *Busy*: part of that time that the drive is at "
              "discards, and so the part of reads that meet one.\n"]
    for drive, (name, ages) in zip(DRIVES, result["drives"].items()):
        rows = [[f"{int(age_s):,} s", *(f"{mean(found[how], key):,.0f}" for key in KEYS for how in ("no delete", "batched")),
                 f"{mean(found['batched'], 'sent'):,.0f}", f"{busy_pct(drive, int(age_s), found):.3f} %"]
                for age_s, found in ages.items()]
        pieces += [rst.heading(name, "~"),
                   rst.table(["kept for", "p99, no delete", "batched", "p99.9, no delete", "batched", "longest, no delete",
                              "batched", "sent", "busy"], rows)]
    return rst.page(*pieces, "One of these runs::\n\n    " + result["command"],
                    rst.figure("age.svg", "p99.9 of reads beside a delete, of without."))


def draw(result: dict, directory: Path) -> None:
    def paint(axes) -> None:
        for name, ages in result["drives"].items():
            axes.semilogx([int(age_s) for age_s in ages], [ratio_pct(found, "p999") for found in ages.values()], marker="o",
                          label=name)
        axes.axhline(PERCENT + WITHIN_PCT, linestyle=":", color="gray")
        axes.legend(fontsize=7)
    charts.draw(directory / "age.svg", paint, "discards are kept for, s", "p99.9 of reads, % of without")
