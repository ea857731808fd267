# SPDX-License-Identifier: GPL-2.0
"""Part `bursts`: Figure 11, so many drive writes a day that one plane of a group can't keep up."""

from __future__ import annotations

from pathlib import Path

from lib import charts, rst
from lib.claim import Bound, Row
from lib.ttflash import intime, numbers, paper
from lib.ttflash.flash import GIB, RAW_GIB, Flash
from lib.ttflash.numbers import NS_PER_MS, QUANTILES, latency, ratios, runs_of, values
from lib.ttflash.rungs import BASE, FORCED, NO_GC, OURS, WITH_SHARES
from lib.ttflash.runs import Run, Runs

TITLE = "Bursts of writes"
SHOWN = (NO_GC, BASE, OURS, FORCED, WITH_SHARES)
# Drive writes a day, and the paper's day.
DWPD, QUICK_DWPD = (5, 6, 7, 8, 10, 15), (6, 15)
DAY_S = 8 * 3600
# A stripe of the paper's, and as many reads of that at every rate of writes: the paper doesn't say which.
REQUEST_KIB = 28
READS_PER_S = 1000
RUN_S, QUICK_S = 900, 10
INTERVAL_MS = 1000
POINTS = 300
# Issue 16: p99 of reads with shares at seven drive writes a day, of that at six.
MOST_GROWTH = 1.1
QUANTILES_SHOWN = ("p90", "p99", "p999", "p9999")


def writes_per_s(dwpd: int) -> int:
    return round(dwpd * RAW_GIB * GIB / DAY_S / (REQUEST_KIB * 1024))


def load(dwpd: int, seconds: int, seed: int) -> str:
    rate = READS_PER_S + writes_per_s(dwpd)
    return (f"randrw rwmixread={100 * READS_PER_S / rate:.4f} bs={REQUEST_KIB}k arrival=poisson rate_iops={rate} "
            f"runtime={seconds}s seed={seed}")


def measure(runs: Runs) -> dict:
    seconds = QUICK_S if runs.quick else RUN_S
    wanted = [(dwpd, Run(Flash(), rung, ("--load", load(dwpd, seconds, seed)), seed, INTERVAL_MS))
              for dwpd in (QUICK_DWPD if runs.quick else DWPD) for seed in runs.seeds for rung in runs.there(SHOWN)]
    rows, shown = [], {}
    for (dwpd, run), found in zip(wanted, runs.all("bursts", [run for _, run in wanted])):
        rows.append(numbers.kept_row(str(dwpd), run.rung, run.seed, {**found, **intime.steadiness(found["series"])}))
        if run.seed == runs.seeds[0]:
            shown[f"{dwpd} {run.rung}"] = {key: intime.thinned(found["series"], POINTS)[key] for key in ("time_s", "free")}
    return {"rows": rows, "shown": shown, "missing": runs.missing(SHOWN), "command": wanted[-1][1].command()}


# ---- tables ----

def line(rows: list, dwpd: str, rung: str) -> list[str]:
    found, base = runs_of(rows, dwpd, rung), runs_of(rows, dwpd, NO_GC)
    return [f"{dwpd}, {numbers.title(rung)}",
            *(numbers.cell([value / NS_PER_MS for value in values(found, latency(key))], 2) for key in QUANTILES_SHOWN),
            numbers.cell(ratios(found, base, latency("p99")), 2),
            numbers.cell([value / NS_PER_MS for value in values(found, latency("p99", "write"))], 2),
            numbers.cell(values(found, lambda one: one["gc_blocked_read_pct"]), 3),
            *(numbers.cell([100 * value for value in values(found, lambda one, key=key: one[key] / one["blocks"])], 2)
              for key in ("free_first", "free_least"))]


TEXT = f"""\
The paper's day has eight hours; one drive write a day is {RAW_GIB} GiB in these, 9.5 MB/s.  Requests have {REQUEST_KIB} KiB, a
stripe, at random in the data; besides the writes there are {READS_PER_S:,} reads a second.  Free blocks are percent of all.
"""


def section(result: dict) -> str:
    rows = result["rows"]
    head = ["drive writes a day", *(f"{QUANTILES[key]}, ms" for key in QUANTILES_SHOWN), "p99 of no GC", "writes' p99, ms",
            "blocked %", "free %, first", "least"]
    return rst.page(TEXT, numbers.missing_text(result["missing"]),
                    rst.table(head, [line(rows, dwpd, rung) for dwpd in numbers.things(rows) for rung in numbers.rungs(rows)]),
                    "The last of them::\n\n    " + result["command"],
                    rst.figure("bursts.svg", "p99 of reads, and free blocks at seven drive writes a day."))


def goals(result: dict) -> list[Row]:
    steady, tail = str(paper.DWPD_STEADY), str(paper.DWPD_TAIL)
    found = [runs_of(result["rows"], dwpd, WITH_SHARES) for dwpd in (tail, steady)]
    seen = ratios(*found, latency("p99"))
    return [Bound(f"p99 of reads with shares at {tail} drive writes a day, of that at {steady}", numbers.mean(seen),
                  most=MOST_GROWTH, digits=3).row()] if seen else []


def shown_dwpd(rows: list) -> str:
    """Where the paper shows free blocks; of a quick run, its last."""
    there = numbers.things(rows)
    return str(paper.DWPD_TAIL) if str(paper.DWPD_TAIL) in there else there[-1]


def draw(result: dict, directory: Path) -> None:
    rows = result["rows"]

    def paint(reads: object, free: object) -> None:
        for rung in numbers.rungs(rows):
            reads.plot(numbers.things(rows), [numbers.mean(values(runs_of(rows, dwpd, rung), latency("p99"))) / NS_PER_MS
                                              for dwpd in numbers.things(rows)], marker=".", label=numbers.title(rung))
            series = result["shown"][f"{shown_dwpd(rows)} {rung}"]
            free.plot(series["time_s"], series["free"], label=numbers.title(rung))
        reads.set_yscale("log")
        free.set_title(f"free blocks, {shown_dwpd(rows)} drive writes a day")
        free.set_xlabel("s")
    charts.draw(directory / "bursts.svg", paint, "drive writes a day", "p99 of reads (ms)", panels=2)
