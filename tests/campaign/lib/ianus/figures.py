# SPDX-License-Identifier: GPL-2.0
"""The paper's four streams on one drive and on mirrors: Figures 15, 16 and 18, and how long a turn should be."""

from __future__ import annotations

import statistics
from pathlib import Path

from lib import charts, rst
from lib.claim import Bound, Claim
from lib.edf.clients import DEPTH, DRIVE_A, DRIVE_B, FIO_LOADS, LARGE, Drive
from lib.ianus.runs import CASES, RESTS, Run, Runs, cell, latencies_ms, median, rates

TITLE = "Reads beside writes"
# Warm-up, runtime; small requests make more of them in a second.
TIMES_S = {256: (60, 160), 4: (20, 60)}
QUICK_TIMES_S = {256: (20, 60), 4: (5, 25)}
DRIVES = (DRIVE_A, DRIVE_B)
SWITCHES_S = (1, 2, 5, 10)
SWITCH_S = 10
ALONE = "reads alone"
# A window that is so far below the median has met interference.
NEAR_PCT = 95
PAPER_GAIN, PAPER_READS_S, PAPER_ONE_S = 2.1, 1100, 525


def loads(kib: int, reads_only: bool = False) -> tuple[str, ...]:
    """Sequential clients have a part of the drive for themselves."""
    streams = []
    for client in LARGE:
        if reads_only and client.op != "read":
            continue
        place = f" offset={client.offset_pct}% size={100 - client.offset_pct}%" if client.offset_pct else ""
        streams.append(f'name={client.name} load="{FIO_LOADS[client.op, client.pattern]} bs={kib}k iodepth={DEPTH}{place}"')
    return tuple(streams)


def reads_by_window(found: dict, warm_up_s: int) -> list[int]:
    each = [one["each"][warm_up_s:] for one in found["streams"].values() if one["op"]["read"]]
    return [sum(row) for row in zip(*each)]


def numbers(found: dict, warm_up_s: int) -> dict:
    windows = sorted(reads_by_window(found, warm_up_s))
    middle = statistics.median(windows)
    near = sum(100 * reads >= NEAR_PCT * middle for reads in windows)
    return {**rates(found), **latencies_ms(found), "cv_pct": 100 * found["windows"]["read"]["cv"],
            "near_pct": 100 * near / len(windows), "least_pct": 100 * windows[0] / middle,
            "turns": found["mirror"].get("switches", 0), "each": reads_by_window(found, warm_up_s),
            "cache_pct": 100 * found["mirror"].get("cache_high_blocks", 0) / found["mirror"].get("cache_blocks", 1)}


def cases(kib: int) -> dict[str, dict]:
    """By name, what is not as usual."""
    named = {**CASES, ALONE: {"peer": "one", "streams": loads(kib, reads_only=True)}}
    if kib == max(TIMES_S):
        named |= {f"turns of {switch} s": {"switch_s": switch} for switch in SWITCHES_S if switch != SWITCH_S}
    return named


def run_of(drive: Drive, kib: int, seed: int, times_s: tuple[int, int], case: dict) -> Run:
    warm_up_s, runtime_s = times_s
    usual = {"peer": "ianus", "streams": loads(kib)}
    return Run(drive=drive, seed=seed, warm_up_s=warm_up_s, runtime_s=runtime_s, **(usual | case))


def measure(runs: Runs) -> dict:
    found: dict[str, dict] = {}
    for drive in DRIVES:
        for kib in TIMES_S:
            times_s = (QUICK_TIMES_S if runs.quick else TIMES_S)[kib]
            found[f"{drive.title}, {kib} KiB"] = {
                name: runs.each_seed(f"{drive.title}, {kib} KiB, {name}",
                                     lambda seed, d=drive, k=kib, t=times_s, c=case: run_of(d, k, seed, t, c),
                                     lambda one, t=times_s: numbers(one, t[0]))
                for name, case in cases(kib).items()}
    for mixes in found.values():
        for made in mixes.values():
            for other in made[1:]:
                del other["each"]
    return {"mixes": found, "command": run_of(DRIVE_B, 256, 1, TIMES_S[256], {}).command()}


def gain(mix: dict) -> float:
    return median(mix["ianus"], "reads_s") / median(mix["one"], "reads_s")


def goals(result: dict) -> list:
    rows = []
    for name, mix in result["mixes"].items():
        rows.append(Bound(f"{name}: reads of the mirror, of one drive's with the same streams (the paper, drive B: "
                          f"{PAPER_READS_S} and {PAPER_ONE_S})", gain(mix), least=PAPER_GAIN, unit="times", digits=2).row())
        alone = 100 * median(mix["ianus"], "reads_s") / median(mix[ALONE], "reads_s")
        rows.append(Claim(f"{name}: reads of the mirror, of a drive that has no writes", 100, 5,
                          "the paper: the maximum possible", alone, "%").row())
        for case, least in (("ianus", 95), (RESTS, 99)):
            rows.append(Bound(f"{name}, {case}: windows of 1 s with at least {NEAR_PCT} % of the median's reads",
                              median(mix[case], "near_pct"), least=least, unit="%").row())
    return rows


COLUMNS = (("reads/s", "reads_s", 0), ("vary by, %", "cv_pct", 2), (f">= {NEAR_PCT} %, %", "near_pct", 1),
           ("least, %", "least_pct", 0), ("read, ms", "mean_ms", 1), ("p99.9, ms", "p999_ms", 1),
           ("max, ms", "max_ms", 1), ("writes/s", "writes_s", 0), ("turns", "turns", 0), ("cache, %", "cache_pct", 0))


def section(result: dict) -> str:
    pieces = [f"Two random and two sequential streams, each reads or writes, {DEPTH} requests of each under way, as in section "
              f"4.3 of the paper; sequential writes have the second half of the drive.  A turn takes {SWITCH_S} s or until "
              "who is written has caught up.  Windows are of 1 s; *vary by* is the standard deviation of their reads by "
              f"the mean, *>= {NEAR_PCT} %* is how many have so much of the median's, *least* is the window with the "
              "fewest.  Median of the seeds, and their range.\n",
              rst.table(["", "means"], [*([name, what] for name, what in (
                  ("one", "one drive, all four streams"), ("raid1", "two drives, written at once, read from either"),
                  ("ianus", "two drives that take turns"), (ALONE, "one drive, without the two that write"),
                  (RESTS, "ianus; who was written rests for the last second of a turn"),
                  ("turns of 1 s", "ianus, with a cache in proportion")))])]
    for name, mix in result["mixes"].items():
        rows = [[case, *(cell(made, key, digits) for _, key, digits in COLUMNS)] for case, made in mix.items()]
        pieces += [rst.heading(f"Drive {name}", "~"), rst.table(["", *(head for head, _, _ in COLUMNS)], rows)]
    pieces += ["One of these runs::\n\n    " + result["command"] + "\n",
               rst.figure("reads.svg", "Reads by second, 256 KiB, seed 1 (Figures 15 and 16 of the paper).")]
    return rst.page(*pieces)


def draw(result: dict, directory: Path) -> None:
    chosen = {name: mix for name, mix in result["mixes"].items() if name.endswith("256 KiB")}

    def paint(*axes) -> None:
        for one, (name, mix) in zip(axes, chosen.items()):
            for case in ("one", "raid1", "ianus"):
                one.plot(mix[case][0]["each"], label=case, linewidth=0.8)
            one.set_title(f"drive {name}", fontsize=8)
    charts.draw(directory / "reads.svg", paint, "s", "reads in a second", panels=len(chosen))
