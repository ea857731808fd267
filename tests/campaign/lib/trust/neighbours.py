# SPDX-License-Identifier: GPL-2.0
"""Part `neighbours`: a reader with a promise beside requests that others wait for."""

from __future__ import annotations

import json
from pathlib import Path

from lib import charts, filesystem, rst
from lib.edf import completions, fio
from lib.campaign import runs_of
from lib.claim import Claim, Row
from lib.errors import RunError
from lib.machine import Job
from ssdqos.qos import profile_file
from ssdqos.qos.request import OPS, RequestClass

NAME = "trust"
TITLE = "A promise beside a neighbour's urgent requests"
KERNEL = "6.1"
SIDES = {"linear": "dm-linear", "bfq": "BFQ", "io_max": "io.max", "ssdqos": "ssdqos"}
NEIGHBOURS = {"nothing": "nothing", "stat_ext4": "cold stat, ext4", "stat_xfs": "cold stat, XFS",
              "fsync": "fsync, ext4", "swap": "swapping"}
ALONE = "nothing"
WHY = "as with nothing beside, in the same windows"
THREADS, FILES = 64, 32
# The disk does so many requests at a time, in so much time each.
DEPTH = 8
READ_NS = 20_000_000
DISK_IOPS = DEPTH * 1_000_000_000 // READ_NS
GOLD_IOPS = DISK_IOPS // 2
WINDOW_MS = 500
WINDOWS, QUICK_WINDOWS = 20, 8
WARM_UP_S = 2
# Of the host, which has to emulate a kernel that looks for memory all the time.
SWAP_WALL_LIMIT_S = 7200
WEIGHT = 500
BYTES = 4096
CONFIDENCE_PERMILLE = 990
NS_PER_MS, MS_PER_S = 1_000_000, 1000
# Fields of /sys/block/*/stat.
STAT_READS, STAT_WRITES, STAT_FLUSHES = 0, 4, 15


def profile() -> str:
    """Every request of 4 KiB costs its part of what the disk can do."""
    made = profile_file.Profile(windows_ms=(WINDOW_MS,))
    for op in OPS:
        for pattern in ("rand", "seq"):
            key = profile_file.CostKey(RequestClass(op, pattern), BYTES, DEPTH, CONFIDENCE_PERMILLE)
            made.costs[key] = (READ_NS // DEPTH,)
    return made.words()


def job(neighbour: str, sides: tuple[str, ...], seed: int, quick: bool) -> Job:
    count = QUICK_WINDOWS if quick else WINDOWS
    settings = {"NEIGHBOUR": neighbour, "SIDES": " ".join(sides), "SEED": seed, "THREADS": THREADS,
                "FILES": FILES, "DEPTH": DEPTH, "READ_NS": READ_NS, "GOLD_MB": 128, "REST_MB": 512,
                "GOLD_IOPS": GOLD_IOPS, "REST_IOPS": DISK_IOPS - GOLD_IOPS, "WINDOW_MS": WINDOW_MS,
                "GOLD_WEIGHT": WEIGHT, "REST_WEIGHT": WEIGHT, "WARM_UP_S": WARM_UP_S,
                "RUN_S": count * WINDOW_MS // MS_PER_S, "PROFILE": profile()}
    machine = ("--virtual", *(filesystem.options("xfs", KERNEL, runs_of(NAME)) if neighbour == "stat_xfs" else ()))
    limit = {"wall_limit_s": SWAP_WALL_LIMIT_S} if neighbour == "swap" else {}
    return Job(neighbour, "trust.sh", settings, kernel=KERNEL, machine=machine, **limit)


def jobs(seed: int, quick: bool) -> list[Job]:
    return [job(neighbour, tuple(SIDES), seed, quick) for neighbour in NEIGHBOURS]


def neighbour_iops(text: str) -> float:
    """Requests of its device in a second, from what the device counted before and after."""
    before, after = ([int(word) for word in line.split()] for line in text.splitlines())
    fields = (STAT_READS, STAT_WRITES, STAT_FLUSHES)
    done = sum(after[1 + field] - before[1 + field] for field in fields)
    return round(MS_PER_S * done / (after[0] - before[0]), 1)


def read_side(directory: Path) -> dict:
    """What the reader got, and the neighbour."""
    done = json.loads((directory / "gold.json").read_text())["jobs"][0]
    count = round(done["read"]["runtime"] / WINDOW_MS)
    with (directory / "gold_iops.1.log").open() as lines:
        amounts = completions.windows(completions.parse(lines), WINDOW_MS, count)
    wanted = GOLD_IOPS * WINDOW_MS / MS_PER_S
    p50, p99 = (done["read"]["clat_ns"]["percentile"][key] / NS_PER_MS
                for key in ("50.000000", "99.000000"))
    return {"windows": len(amounts), "met": round(len(amounts) * completions.met_pct(amounts, wanted) / 100),
            "iops": round(done["read"]["iops"]), "least_iops": round(min(amounts) * MS_PER_S / WINDOW_MS),
            "p50_ms": round(p50, 1), "p99_ms": round(p99, 1),
            "neighbour_iops": neighbour_iops((directory / "rest").read_text())}


def kernel_says(results: Path) -> dict:
    """Of the run with ssdqos: windows as the kernel counts them, and how the neighbour's requests went."""
    status = fio.parse_status((results / "status").read_text().replace(": 0 ", " "))
    gold, rest = status["gold"], status["rest"]
    return {"kernel_met": int(gold["windows_met"]), "kernel_missed": int(gold["windows_missed"]),
            "urgent": int(rest["dispatched_urgent"]), "urgent_waited": int(rest.get("urgent_waited", 0))}


def read(neighbour: str, seed: int, results: Path) -> list[dict]:
    rows = []
    for side in SIDES:
        if (results / side / "gold.json").exists():
            extra = kernel_says(results) if side == "ssdqos" else {}
            rows.append({"neighbour": neighbour, "seed": seed, "side": side,
                         **read_side(results / side), **extra})
    if not rows:
        raise RunError(f"{neighbour}: no results in {results}")
    return rows


HEAD = ["neighbour", "side", "windows met", "IOPS", "least", "p50 ms", "p99 ms", "neighbour IOPS"]


def cells(row: dict) -> list[str]:
    return [f"{row['met']} of {row['windows']}", f"{row['iops']:,}", f"{row['least_iops']:,}",
            f"{row['p50_ms']:,.1f}", f"{row['p99_ms']:,.1f}", f"{row['neighbour_iops']:,.0f}"]


def seed_text(rows: list[dict], seed: int) -> str:
    found = [row for row in rows if row["seed"] == seed]
    return rst.page(rst.heading(f"Seed {seed}", "~"), rst.table(HEAD, [
        [NEIGHBOURS[row["neighbour"]], SIDES[row["side"]], *cells(row)] for row in found]))


def kernel_text(rows: list[dict]) -> str:
    found = [[NEIGHBOURS[row["neighbour"]], row["seed"], row["kernel_met"], row["kernel_missed"],
              f"{row['urgent']:,}", f"{row['urgent_waited']:,}"] for row in rows if "kernel_met" in row]
    return rst.page(
        "What the kernel says of it: its own count of the reader's windows, and of the neighbour's flushes, metadata\n"
        "and swap how many went before their turn, and how many had to wait:\n",
        rst.table(["neighbour", "seed", "met", "missed", "before turn", "waited"], found))


def promise_text() -> str:
    return (f"A disk that does {DEPTH} requests at a time in {READ_NS / NS_PER_MS:g} ms each, so {DISK_IOPS:,} a "
            f"second.  The reader reads 4 KiB at random,\n{DEPTH} at a time, and is promised {GOLD_IOPS:,} IOPS in "
            f"windows of {WINDOW_MS / MS_PER_S:g} s.\n")


def section(result: dict) -> str:
    rows = result["rows"]
    seeds = sorted({row["seed"] for row in rows})
    return rst.page(promise_text(), *(seed_text(rows, seed) for seed in seeds),
                    rst.heading("In the kernel", "~"), kernel_text(rows),
                    rst.figure("neighbours.svg", "What the reader got, of what it was promised (first seed)."))


def goals(result: dict) -> list[Row]:
    """Of ssdqos: as many windows are met as with nothing beside, and no more: the neighbour gives nothing."""
    mine = [row for row in result["rows"] if row["side"] == "ssdqos"]
    alone = {row["seed"]: row["met"] for row in mine if row["neighbour"] == ALONE}
    return [Claim(f"beside {NEIGHBOURS[row['neighbour']]}, seed {row['seed']}", alone[row["seed"]], 0, WHY, row["met"],
                  "windows met", 0).row() for row in mine if row["seed"] in alone and row["neighbour"] != ALONE]


def draw(result: dict, directory: Path) -> None:
    first = min(row["seed"] for row in result["rows"])
    share = {(row["side"], row["neighbour"]): 100 * row["iops"] / GOLD_IOPS
             for row in result["rows"] if row["seed"] == first}
    names = [name for name in NEIGHBOURS if any(key[1] == name for key in share)]
    width = 0.8 / len(SIDES)

    def paint(axis):
        for at, (side, title) in enumerate(SIDES.items()):
            axis.bar([i + (at + 0.5) * width - 0.4 for i in range(len(names))],
                     [share.get((side, name), 0) for name in names], width, color=f"C{at}", label=title)
        axis.axhline(100, color="black", linewidth=1)
        axis.set_xticks(range(len(names)), [NEIGHBOURS[name] for name in names])
    charts.draw(directory / "neighbours.svg", paint, "", "of the promise, %")
