# SPDX-License-Identifier: GPL-2.0
"""Part `preemptive`: Figures 9c and 9d, collection that yields to reads until it can't any more."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lib import charts, rst
from lib.claim import Row
from lib.ttflash import intime, numbers
from lib.ttflash.flash import Flash
from lib.ttflash.loads import LOADS
from lib.ttflash.numbers import NS_PER_MS, QUANTILES, latency, runs_of, values
from lib.ttflash.rungs import NO_GC, OURS, WITH_SHARES
from lib.ttflash.runs import Run, Runs

TITLE = "Against preemptive collection"
PREEMPTIVE = "preemptive"
SHOWN = (NO_GC, PREEMPTIVE, OURS, WITH_SHARES)
RUN_S, QUICK_S = 300, 10
INTERVAL_MS = 100
POINTS = 400
# Section 6.2: requests of a full stripe, one in 130 us, seven in ten of them reads.
STEADY = "randrw rwmixread=70 bs=28k arrival=fixed rate_iops=7692"
# DTRS ten times as fast.  Thirty times as large, as in the paper, the cut wants 7 GB/s of channels that carry 0.33.
FASTER = 10
QUANTILES_SHOWN = ("mean", "p99", "p999", "p9999")


@dataclasses.dataclass(frozen=True)
class Case:
    """A load whose requests come without a pause."""

    title: str
    figure: str


CASES = {"steady": Case("28 KiB every 130 us, 70 % reads", "Figure 9d"),
         "dtrs": Case(f"the cut of DTRS, {FASTER} times as fast", "Figure 9c")}


def words_of(runs: Runs, case: str, seed: int) -> tuple[str, ...]:
    """Nothing if the trace is not there."""
    seconds = QUICK_S if runs.quick else RUN_S
    if case == "steady":
        return "--load", f"{STEADY} runtime={seconds}s seed={seed}"
    cut = LOADS["cut-DTRS"]
    return (*runs.load_words(cut, seed, Flash().size_bytes()), "--scale-time", str(1 / FASTER)) if cut.path().exists() else ()


def measure(runs: Runs) -> dict:
    rows, shown, commands = [], {}, {}
    for case in CASES:
        wanted = [Run(Flash(), rung, words, seed, INTERVAL_MS) for seed in runs.seeds
                  for words in (words_of(runs, case, seed),) if words for rung in runs.there(SHOWN)]
        for run, found in zip(wanted, runs.all(f"preemptive {case}", wanted)):
            rows.append(numbers.kept_row(case, run.rung, run.seed, {**found, **intime.steadiness(found["series"])}))
            if run.seed == runs.seeds[0]:
                shown[f"{case} {run.rung}"] = intime.thinned(found["series"], POINTS)
                commands[case] = run.command()
    return {"rows": rows, "shown": shown, "missing": runs.missing(SHOWN), "commands": commands}


def table(rows: list, case: str) -> str:
    lines = []
    for rung in numbers.rungs(rows):
        found = runs_of(rows, case, rung)
        cells = [numbers.cell([value / NS_PER_MS for value in values(found, latency(key))], 2) for key in QUANTILES_SHOWN]
        cells += [numbers.cell(values(found, lambda one, key=key: one[key]), digits)
                  for key, digits in (("slowest_ms", 2), ("times", 2), ("gc_blocked_read_pct", 3), ("erases", 0),
                                      ("free_first", 0), ("free_least", 0))]
        lines.append([numbers.title(rung), *cells])
    return rst.table(["reads, ms", *(QUANTILES[key] for key in QUANTILES_SHOWN), "slowest interval", "of the middle one",
                      "blocked %", "erases", "free blocks, first", "least"], lines)


TEXT = f"""\
Means of reads in intervals of {INTERVAL_MS} ms.  Collection that yields to requests does so until a plane is at its hard
watermark; then nothing is served there until the collection is over.
"""


def section(result: dict) -> str:
    pieces = []
    for case in numbers.things(result["rows"]):
        pieces += [rst.heading(f"{CASES[case].figure}: {CASES[case].title}", "~"), table(result["rows"], case),
                   "The last of them::\n\n    " + result["commands"][case],
                   rst.figure(f"preemptive-{case}.svg", f"{CASES[case].title}: the slowest interval of some neighbours.")]
    there = numbers.things(result["rows"])
    left_out = "".join(f"Left out: {case.title} (there is no trace).\n" for name, case in CASES.items() if name not in there)
    return rst.page(TEXT, numbers.missing_text(result["missing"]), left_out, *pieces)


def goals(result: dict) -> list[Row]:
    """A comparison, without a number in the paper."""
    rows = []
    for case in numbers.things(result["rows"]):
        theirs, ours = (numbers.mean(values(runs_of(result["rows"], case, rung), lambda one: one["times"]))
                        for rung in (PREEMPTIVE, OURS))
        if theirs and ours:
            rows.append((f"{CASES[case].title}: slowest interval, of the middle one", "less than preemptive's",
                         f"{ours:.2f}, preemptive {theirs:.2f}", "met" if ours < theirs else "above"))
    return rows


def draw(result: dict, directory: Path) -> None:
    for case in numbers.things(result["rows"]):
        def paint(reads: object, free: object, case: str = case) -> None:
            for rung in numbers.rungs(result["rows"]):
                series = result["shown"][f"{case} {rung}"]
                reads.plot(*intime.means(series), label=numbers.title(rung))
                free.plot(series["time_s"], series["free"], label=numbers.title(rung))
            reads.set_yscale("log")
            free.set_title("free blocks")
        charts.draw(directory / f"preemptive-{case}.svg", paint, "s", "reads (ms)", panels=2)
