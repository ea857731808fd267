# SPDX-License-Identifier: GPL-2.0
"""Random reads and writes of 4 KiB: an aged drive's first requests against a written drive's."""

from __future__ import annotations

import statistics
from pathlib import Path

from lib import charts, rst
from lib.claim import Claim
from lib.steady import state
from lib.steady.runs import INTERVAL_S, Drive, Run, Runs
from lib.steady.written import go_on, write

TITLE = "Small writes at random"
WRITTEN_TIMES = 10
SEEDS, QUICK_SEEDS = 10, 3
# So many drives, or moments of a drive, are looked at; the written one a twentieth of a drive write apart.
LOOKS, QUICK_LOOKS = 200, 20
LOOK_PART = 20
LOOKS_SAY = 50
SHOWN_S = 10
TOLERANCE_PCT = 3
POINTS = 3
POINTS_IN_STEP = 12
WHY = "what ten seeds can tell"
# Each look sees nearly all planes at one number.
WHY_IN_STEP = "planes in step: 200 looks scatter by 4"
SMALL = (("pages_per_block", 64),)
DRIVES = (
    Drive("ttflash", "ttflash", "ttflash", 3000, sets=(("op_permille", 400), ("buffer_kib", 1024), *SMALL)),
    Drive("autossd", "autossd, planes for themselves", "autossd", 10000,
          sets=(("gc_scope", "plane"), *SMALL), in_step=True),
    Drive("x25e-like", "x25e-like, which stands still while it collects", "x25e-like", 1000),
)
FIGURES = (("collected", "blocks collected per 1,000 writes", ""), ("waf", "WAF", ""), ("p50", "p50 of reads", "us"),
           ("p99", "p99 of reads", "us"), ("p999", "p99.9 of reads", "us"))


def look_at_written(runs: Runs, drive: Drive, key: str, number: int) -> list[dict]:
    found = []
    for seed in range(number):
        found.append(runs.run(Run(drive, 2 * drive.blocks() // LOOK_PART, 5000 + seed, start=key, ends=True,
                                  looks=True)))
        if seed:
            runs.drop(key)
        key = found[-1]["key"]
        if seed % LOOKS_SAY == LOOKS_SAY - 1:
            runs.say(f"{drive.name}: the written drive was looked at {seed + 1} times")
    return found


def seen(looks: list[dict]) -> dict:
    return {what: state.add(looks, what) for what in ("free", "tenths")}


def compare(runs: Runs, drive: Drive) -> dict:
    seeds = range(1, 1 + (QUICK_SEEDS if runs.quick else SEEDS))
    looks = QUICK_LOOKS if runs.quick else LOOKS
    runs.say(f"{drive.name}: is written {WRITTEN_TIMES} times")
    key = write(runs, drive, WRITTEN_TIMES)
    written, end = go_on(runs, drive, key, seeds)
    runs.say(f"{drive.name}: {len(seeds)} aged drives, and looks at {looks}")
    aged = [runs.run(Run(drive, drive.blocks(), seed, aged=True, measured=True)) for seed in seeds]
    aged_looks = [runs.run(Run(drive, 1, seed, aged=True, looks=True)) for seed in range(1, 1 + looks)]
    return {"written": written, "aged": aged,
            "written_seen": seen(look_at_written(runs, drive, end, looks)), "aged_seen": seen(aged_looks),
            "command": Run(drive, drive.blocks(), 1, aged=True).command()}


def measure(runs: Runs) -> dict:
    return {"drives": {drive.name: compare(runs, drive) for drive in DRIVES}}


def farthest(found: dict, what: str) -> float:
    """Of two distributions: the greatest difference, in points."""
    one, other = ({int(key): value for key, value in found[side][what].items()}
                  for side in ("written_seen", "aged_seen"))
    return max((other.get(key, 0) - one.get(key, 0) for key in {*one, *other}), key=abs)


def claims(drive: Drive, found: dict) -> list[Claim]:
    rows = [Claim(f"{drive.name}: {name}, of the written drive's", 100, TOLERANCE_PCT, WHY,
                  100 * statistics.mean(one[key] for one in found["aged"])
                  / statistics.mean(one[key] for one in found["written"]), "%")
            for key, name, _ in FIGURES]
    rows.append(Claim(f"{drive.name}: closed blocks by tenths of valid units, farthest apart", 0, POINTS, WHY,
                      farthest(found, "tenths"), "points"))
    rows.append(Claim(f"{drive.name}: planes by free blocks, farthest apart", 0,
                      POINTS_IN_STEP if drive.in_step else POINTS, WHY_IN_STEP if drive.in_step else WHY,
                      farthest(found, "free"), "points"))
    return rows


def goals(result: dict) -> list:
    return [claim.row() for drive in DRIVES if drive.name in result["drives"]
            for claim in claims(drive, result["drives"][drive.name])]


def cells(values: list[float]) -> list[str]:
    return [f"{statistics.mean(values):.2f}", f"{min(values):.2f} to {max(values):.2f}"]


def figures_table(found: dict) -> str:
    rows = []
    for key, name, unit in FIGURES:
        one, other = ([run[key] for run in found[side]] for side in ("written", "aged"))
        rows.append([f"{name}, {unit}" if unit else name, *cells(one), *cells(other),
                     f"{100 * (statistics.mean(other) / statistics.mean(one) - 1):+.1f} %"])
    return rst.table(["", "written", "its runs", "aged", "its seeds", ""], rows)


def seen_table(found: dict) -> str:
    rows = []
    for what, name in (("free", "planes with {} free blocks, %"), ("tenths", "closed blocks, {} tenths valid, %")):
        one, other = ({int(key): value for key, value in found[side][what].items()}
                      for side in ("written_seen", "aged_seen"))
        rows += [[name.format(key), f"{one.get(key, 0):.1f}", f"{other.get(key, 0):.1f}"]
                 for key in sorted({*one, *other})]
    return rst.table(["", "written", "aged"], rows)


def section(result: dict) -> str:
    pieces = []
    for drive in DRIVES:
        if drive.name in result["drives"]:
            found = result["drives"][drive.name]
            pieces += [rst.heading(drive.title, "~"), figures_table(found), seen_table(found),
                       "An aged drive::\n\n    " + found["command"]]
    return rst.page(*pieces)


def a_second(runs: list[dict]) -> list[float]:
    """Collections in each of the first seconds, in the mean over runs."""
    return [statistics.mean(run["series"][i] for run in runs) / INTERVAL_S for i in range(SHOWN_S)]


def draw(result: dict, directory: Path) -> None:
    for name, found in result["drives"].items():
        def paint(when: object, free: object, tail: object, found: dict = found) -> None:
            for shift, side in ((-.2, "written"), (.2, "aged")):
                when.plot(range(SHOWN_S), a_second(found[side]), marker=".", label=side)
                dots = found[f"{side}_seen"]["free"]
                free.bar([int(key) + shift for key in dots], list(dots.values()), width=.4, label=side)
                tail.plot([shift] * len(found[side]), [run["p999"] / 1000 for run in found[side]], "o", label=side,
                          alpha=.5)
            when.set_title("blocks collected a second")
            free.set_title("planes (%)")
            free.set_xlabel("free blocks")
            tail.set_title("p99.9 of reads (ms)")
            tail.set_xlabel("a dot a run")
            tail.set_xticks([])
        charts.draw(directory / f"{name}.svg", paint, "second of the run", "", panels=3)
