# SPDX-License-Identifier: GPL-2.0
"""All that was written is discarded, in one order or another; then writes come: Figures 11 and 12."""

from __future__ import annotations

import statistics
from pathlib import Path

from lib import charts, rst
from lib.claim import Bound, Claim
from lib.trim.runs import GRANULE_KIB, KIB_PER_MIB, KINDS, NS_PER_US, PRESETS, SIZE_MIB, Drive, Run, Runs

TITLE = "What the order of discards is worth"
PIECE_KIB = 64
PIECES = SIZE_MIB * KIB_PER_MIB // PIECE_KIB
LARGE_MIB = 64
# By then all discards have gone, whatever they take.
WRITES_AT_S = 60
RUNTIME_S = 120
DEPTH = 32
WRITE_KIB = 16
# Half of the drive: an empty one needs no collection for that.
WRITES = SIZE_MIB * KIB_PER_MIB // WRITE_KIB // 2
RANDOM = f"randtrim bs={PIECE_KIB}k random_distribution=once number_ios={PIECES}"
HOWS = {
    "pristine": "never written",
    "NON-TRIM": "written, nothing is discarded",
    "SEQ-TRIM": f"pieces of {LARGE_MIB} MiB, ascending",
    "RND-TRIM": f"pieces of {PIECE_KIB} KiB in random order, each once",
    "batched": "the same, with drive_trim=batch",
}
LOADS = {"SEQ-TRIM": f"trim bs={LARGE_MIB}m number_ios={SIZE_MIB // LARGE_MIB}", "RND-TRIM": RANDOM, "batched": RANDOM}
GRANULES_KIB = (4, 64, 128, GRANULE_KIB, 16384)
GRANULES_OF = "ttflash"
WITHIN_PCT = 5


def run_of(drive: Drive, how: str, seed: int) -> Run:
    writes = (f"randwrite bs={WRITE_KIB}k iodepth={DEPTH} start={WRITES_AT_S}s number_ios={WRITES}")
    trims = (("trims", LOADS[how]),) if how in LOADS else ()
    return Run(drive, seed, (*trims, ("writes", writes)), RUNTIME_S, batch=how == "batched")


def figures(found: dict) -> dict:
    mean_us = found["writes"]["latency_ns"]["mean"] / NS_PER_US
    return {"mb_s": DEPTH * WRITE_KIB * 1.024 / mean_us * 1000, "mean_us": mean_us,
            "p99_us": found["writes"]["latency_ns"]["p99"] / NS_PER_US, "waf": found["drive"]["waf"],
            "sent": found["drive"]["trim_sent"],
            "trim_us": found.get("trims", {}).get("latency_ns", {}).get("p50", 0) / NS_PER_US}


def measure(runs: Runs) -> dict:
    found = {}
    for preset in PRESETS:
        for kind in KINDS:
            runs.say(f"{preset}, {kind}")
            found[f"{preset}, {kind}"] = {
                how: [figures(runs.run(run_of(Drive(preset, kind, aged_pct=0 if how == "pristine" else 100), how, seed)))
                      for seed in runs.seeds()] for how in HOWS}
    granules = {kib: {how: [figures(runs.run(run_of(Drive(GRANULES_OF, "I-TRIM", granule_kib=kib), how, seed)))
                            for seed in runs.seeds()] for how in ("RND-TRIM", "batched")} for kib in GRANULES_KIB}
    return {"drives": found, "granules": granules,
            "command": run_of(Drive(PRESETS[0], "I-TRIM"), "batched", 1).command()}


def mean(runs: list[dict], key: str) -> float:
    return statistics.mean(run[key] for run in runs)


def of(found: dict, how: str, base: str, key: str) -> float:
    return 100 * mean(found[how], key) / mean(found[base], key)


def goals(result: dict) -> list:
    rows = []
    for name, found in result["drives"].items():
        rows.append(Claim(f"{name}: writes after batched discards, of SEQ-TRIM", 100, WITHIN_PCT, "the issue",
                          of(found, "batched", "SEQ-TRIM", "mb_s"), "%").row())
        rows.append(Claim(f"{name}: likewise, of pristine", 100, WITHIN_PCT, "the issue",
                          of(found, "batched", "pristine", "mb_s"), "%").row())
        rows.append(Claim(f"{name}: writes after RND-TRIM, of NON-TRIM", 100, WITHIN_PCT, "the paper",
                          of(found, "RND-TRIM", "NON-TRIM", "mb_s"), "%").row())
        rows.append(Bound(f"{name}: latency after RND-TRIM, of SEQ-TRIM (the paper: about 3)",
                          of(found, "RND-TRIM", "SEQ-TRIM", "mean_us") / 100, least=2, most=4, unit="times").row())
    return rows


def cell(runs: list[dict], key: str) -> str:
    values = [run[key] for run in runs]
    return f"{statistics.mean(values):.0f} ({min(values):.0f} to {max(values):.0f})"


def section(result: dict) -> str:
    pieces = [f"A drive of {SIZE_MIB} MiB, full and aged; all of it is discarded; from {WRITES_AT_S} s on {WRITES} random "
              f"writes of {WRITE_KIB} KiB, {DEPTH} at a time.  Mean of the seeds, and their range.  "
              f"The drives do nothing with less than {GRANULE_KIB} KiB.\n",
              rst.table(["", "means"], [[how, what] for how, what in HOWS.items()])]
    for name, found in result["drives"].items():
        rows = [[how, cell(found[how], "mb_s"), cell(found[how], "mean_us"), cell(found[how], "p99_us"),
                 f"{mean(found[how], 'waf'):.2f}", f"{mean(found[how], 'trim_us'):.0f}", f"{mean(found[how], 'sent'):.0f}"]
                for how in HOWS]
        pieces += [rst.heading(name, "~"),
                   rst.table(["", "MB/s", "mean of a write, us", "p99, us", "WAF", "a discard, us", "sent"], rows)]
    rows = [[f"{kib} KiB", cell(found["RND-TRIM"], "mb_s"), cell(found["batched"], "mb_s")]
            for kib, found in result["granules"].items()]
    pieces += [rst.heading("If drives could do something with less", "~"),
               f"``{GRANULES_OF}`` with I-TRIM, by the granule of the drive: writes, MB/s.\n",
               rst.table(["granule", "RND-TRIM", "batched"], rows),
               "One of these runs::\n\n    " + result["command"],
               rst.figure("order.svg", "Writes after discards (Figure 11 of the paper).")]
    return rst.page(*pieces)


def draw(result: dict, directory: Path) -> None:
    names = list(result["drives"])

    def paint(axes) -> None:
        for at, how in enumerate(HOWS):
            axes.bar([place + 0.16 * (at - 2) for place in range(len(names))],
                     [of(result["drives"][name], how, "pristine", "mb_s") for name in names], 0.15, label=how)
        axes.set_xticks(range(len(names)), [name.replace(", ", "\n") for name in names], fontsize=6)
        axes.legend(fontsize=7)
    charts.draw(directory / "order.svg", paint, "", "throughput, % of pristine")
