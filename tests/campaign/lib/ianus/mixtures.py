# SPDX-License-Identifier: GPL-2.0
"""Reads and writes of one client in different proportions: what is late where."""

from __future__ import annotations

from pathlib import Path

from lib import charts, rst
from lib.claim import Bound
from lib.edf.clients import DRIVE_B
from lib.ianus.runs import CASES, RESTS, Run, Runs, cell, latencies_ms, median, rates

TITLE = "Mixtures"
READ_PCTS = (90, 70, 50)
KIB, DEPTH = 4, 32
# Less than one drive of model B does of any of the mixtures.
RATE_S = 2000
HOWS = {"as much as goes": f"iodepth={DEPTH}", f"{RATE_S:,} a second": f"rate_iops={RATE_S}"}
TIMES_S, QUICK_TIMES_S = (20, 80), (10, 30)


def run_of(case: str, read_pct: int, how: str, seed: int, times_s: tuple[int, int]) -> Run:
    stream = f'name=mixed load="randrw rwmixread={read_pct} bs={KIB}k {HOWS[how]}"'
    return Run(drive=DRIVE_B, streams=(stream,), seed=seed, warm_up_s=times_s[0], runtime_s=times_s[1], **CASES[case])


def numbers(found: dict) -> dict:
    return {**rates(found), **latencies_ms(found), "write_ms": latencies_ms(found, "write")["mean_ms"],
            "write_p999_ms": latencies_ms(found, "write")["p999_ms"]}


def measure(runs: Runs) -> dict:
    times_s = QUICK_TIMES_S if runs.quick else TIMES_S
    found = {how: {str(pct): {peer: runs.each_seed(f"{pct} % reads, {how}, {peer}",
                                                   lambda seed, h=how, q=pct, p=peer: run_of(p, q, h, seed, times_s),
                                                   numbers)
                              for peer in CASES} for pct in READ_PCTS} for how in HOWS}
    return {"hows": found, "command": run_of("ianus", READ_PCTS[1], "as much as goes", 1, TIMES_S).command()}


def goals(result: dict) -> list:
    rows = []
    for how, by_pct in result["hows"].items():
        for pct, peers in by_pct.items():
            rows += [Bound(f"{pct} % reads, {how}: p99.9 of reads, raid1's by the mirror's ({case})",
                           median(peers["raid1"], "p999_ms") / median(peers[case], "p999_ms"), least=1, unit="times",
                           digits=2).row() for case in ("ianus", RESTS)]
    return rows


COLUMNS = (("reads/s", "reads_s", 0), ("read, ms", "mean_ms", 2), ("p99, ms", "p99_ms", 2), ("p99.9, ms", "p999_ms", 2),
           ("writes/s", "writes_s", 0), ("write, ms", "write_ms", 2), ("p99.9, ms", "write_p999_ms", 1))


def section(result: dict) -> str:
    pieces = [f"One client with random requests of {KIB} KiB on drive {DRIVE_B.title}: with {DEPTH} under way all the time, so that "
              f"a write that waits keeps reads from coming, too; and with {RATE_S:,} a second, whatever is answered.\n"]
    for how, by_pct in result["hows"].items():
        rows = [[f"{pct} % reads, {peer}", *(cell(made, key, digits) for _, key, digits in COLUMNS)]
                for pct, peers in by_pct.items() for peer, made in peers.items()]
        pieces += [rst.heading(how.capitalize(), "~"), rst.table(["", *(head for head, _, _ in COLUMNS)], rows)]
    pieces += ["One of these runs::\n\n    " + result["command"] + "\n",
               rst.figure("mixtures.svg", f"p99.9 of reads, {RATE_S:,} requests a second.")]
    return rst.page(*pieces)


def draw(result: dict, directory: Path) -> None:
    by_pct = result["hows"][f"{RATE_S:,} a second"]

    def paint(axes) -> None:
        for at, peer in enumerate(CASES):
            axes.bar([place + 0.2 * (at - 1.5) for place in range(len(by_pct))],
                     [median(peers[peer], "p999_ms") for peers in by_pct.values()], 0.18, label=peer)
        axes.set_xticks(range(len(by_pct)), [f"{pct} % reads" for pct in by_pct])
        axes.set_yscale("log")
    charts.draw(directory / "mixtures.svg", paint, "", "p99.9 of reads, ms")
