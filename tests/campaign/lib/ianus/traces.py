# SPDX-License-Identifier: GPL-2.0
"""Recorded requests of real systems, all at once, on one drive and on mirrors: section 5.5 of the paper."""

from __future__ import annotations

from pathlib import Path

from lib import charts, rst
from lib.claim import Bound
from lib.edf.clients import DRIVE_B
from lib.errors import RunError
from lib.ianus.runs import CASES, RESTS, Run, Runs, cell, latencies_ms, median, rates
from lib.simulator import ROOT

TITLE = "Traces"
# Not part of the project; next to its checkout where it is there.
PLACE = ROOT.parent / "shared/traces"
FILES = {"search": "umass_websearch_60s", "oltp": "msps_tpcc_small", "server": "msr_cut_rw20_80_105", "dtrs": "msps_dtrs_300s"}
WHAT = {"search": "a search engine, reads", "oltp": "TPC-C, 63 % reads", "server": "MSR Cambridge, 20 % reads",
        "dtrs": "a data-tier server, 89 % reads"}
# As the paper's queue.
DEPTH = 31
# More than are replayed in the time.
LOOPS = 100_000
SCALE = 0.1
MIXES = {
    "all as fast as goes": tuple(f"{name} iodepth={DEPTH} loop={LOOPS}" for name in ("search", "oltp", "server")),
    "reads as fast as goes, writes by their times": (f"search iodepth={DEPTH} loop={LOOPS}", f"server scale={SCALE} loop={LOOPS}"),
    "ten times as fast as recorded": (f"dtrs scale={SCALE} loop={LOOPS}",),
}
TIMES_S, QUICK_TIMES_S = (20, 80), (10, 30)
BYTES_PER_MB = 1_000_000


def stream(line: str) -> str:
    name, rest = line.split(" ", 1)
    return f"name={name} trace={PLACE / FILES[name]}.csv.gz {rest}"


def run_of(case: str, mix: str, seed: int, times_s: tuple[int, int]) -> Run:
    streams = tuple(stream(line) for line in MIXES[mix])
    return Run(drive=DRIVE_B, streams=streams, seed=seed, warm_up_s=times_s[0], runtime_s=times_s[1], **CASES[case])


def numbers(found: dict) -> dict:
    mirror = found["mirror"]
    return {**rates(found), **latencies_ms(found), "cv_pct": 100 * found["windows"]["read"]["cv"],
            "write_ms": latencies_ms(found, "write")["mean_ms"],
            "cached_pct": 100 * mirror["cache_reads"] / mirror["reads"] if mirror else 0}


def measure(runs: Runs) -> dict:
    missing = [name for name in FILES.values() if not (PLACE / f"{name}.csv.gz").exists()]
    if missing:
        raise RunError(f"traces: {PLACE} does not have {', '.join(missing)}")
    times_s = QUICK_TIMES_S if runs.quick else TIMES_S
    found = {mix: {peer: runs.each_seed(f"{mix}, {peer}", lambda seed, m=mix, p=peer: run_of(p, m, seed, times_s), numbers)
                   for peer in CASES} for mix in MIXES}
    return {"mixes": found, "command": run_of("ianus", next(iter(MIXES)), 1, TIMES_S).command()}


def goals(result: dict) -> list:
    return [Bound(f"{mix}: p99.9 of reads, raid1's by the mirror's ({case})",
                  median(peers["raid1"], "p999_ms") / median(peers[case], "p999_ms"), least=1, unit="times",
                  digits=2).row() for mix, peers in result["mixes"].items() for case in ("ianus", RESTS)]


COLUMNS = (("reads/s", "reads_s", 0), ("vary by, %", "cv_pct", 1), ("read, ms", "mean_ms", 2), ("p99, ms", "p99_ms", 2),
           ("p99.9, ms", "p999_ms", 2), ("writes/s", "writes_s", 0), ("write, ms", "write_ms", 2),
           ("cached, %", "cached_pct", 1))


def section(result: dict) -> str:
    pieces = [f"Replayed again and again on drive {DRIVE_B.title}.  The paper's OLTP trace (Financial) and its MSR trace (Stg) are "
              "not at hand; these stand for them:\n",
              rst.table(["", "trace"], [[name, f"{what} ({FILES[name]})"] for name, what in WHAT.items()]),
              "They write little again and again (22 to 720 MiB), so the drive has it easy, and the mirror's cache has many "
              "of the blocks that are read (*cached*: parts of reads that the cache served).\n"]
    for mix, peers in result["mixes"].items():
        rows = [[peer, *(cell(made, key, digits) for _, key, digits in COLUMNS)] for peer, made in peers.items()]
        names = ", ".join(line.split(" ", 1)[0] for line in MIXES[mix])
        pieces += [rst.heading(f"{mix.capitalize()}: {names}", "~"),
                   rst.table(["", *(head for head, _, _ in COLUMNS)], rows)]
    pieces += ["One of these runs::\n\n    " + result["command"] + "\n",
               rst.figure("traces.svg", "p99.9 of reads of traces.")]
    return rst.page(*pieces)


def draw(result: dict, directory: Path) -> None:
    mixes = result["mixes"]

    def paint(axes) -> None:
        for at, peer in enumerate(CASES):
            axes.bar([place + 0.2 * (at - 1.5) for place in range(len(mixes))],
                     [median(peers[peer], "p999_ms") for peers in mixes.values()], 0.18, label=peer)
        axes.set_xticks(range(len(mixes)), [name.replace(", ", ",\n") for name in mixes], fontsize=7)
        axes.set_yscale("log")
    charts.draw(directory / "traces.svg", paint, "", "p99.9 of reads, ms")
