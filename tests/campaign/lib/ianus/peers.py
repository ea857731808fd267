# SPDX-License-Identifier: GPL-2.0
"""Part `peers`: the same client on one drive, the kernel's mirrors and one whose members take turns, in the kernel."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.ianus.runs import NS_PER_MS, QUICK_SEEDS, SEEDS, cell
from lib.machine import Job

TITLE = "Beside the kernel's mirrors"
CONTENDERS = {"one": "one drive", "raid1": "md raid1", "dm_mirror": "dm-raid1", "ianus": "ianus",
              "ianus_idle": "ianus, with rest"}
OTHERS = ("raid1", "dm_mirror")
MIXES = (90, 70, 50)
PRESET, DRIVE_MB = "intel510-like", 1024
# Fewer than any contender can do, so that all have the same to do.
RATE, DEPTH = 2000, 32
SWITCH_MS, IDLE_MS, CACHE_KIB = 2000, 500, 65536
# Some turns each.
WARM_UP_S, RUN_S, QUICK_RUN_S = 5, 30, 8
PERCENTILES = {"p50": "50.000000", "p99": "99.000000", "p999": "99.900000"}
LEAST_RATIO = 1.0


def jobs(seed: int, quick: bool) -> list[Job]:
    settings = {"PRESET": PRESET, "DRIVE_MB": DRIVE_MB, "MIXES": " ".join(map(str, MIXES)), "RATE": RATE, "DEPTH": DEPTH,
                "SWITCH_MS": SWITCH_MS, "IDLE_MS": IDLE_MS, "CACHE_KIB": CACHE_KIB, "WARM_UP_S": WARM_UP_S,
                "RUN_S": QUICK_RUN_S if quick else RUN_S}
    return [Job(f"peers-{each}", "ianus-peers.sh", {**settings, "SEED": each})
            for each in range(seed, seed + (QUICK_SEEDS if quick else SEEDS))]


def read_one(path: Path) -> dict:
    job = json.loads(path.read_text())["jobs"][0]
    found = {}
    for op in ("read", "write"):
        told = job[op]["clat_ns"]
        found[op] = {"iops": job[op]["iops"], "mean": told["mean"] / NS_PER_MS, "max": told["max"] / NS_PER_MS,
                     **{name: told["percentile"][key] / NS_PER_MS for name, key in PERCENTILES.items()}}
    return found


def read(directory: Path) -> dict:
    """Of one boot."""
    return {name: {str(mix): read_one(directory / f"{name}-{mix}.json") for mix in MIXES} for name in CONTENDERS}


def of(result: dict, contender: str, mix: int, op: str) -> list[dict]:
    """By boot."""
    return [boot[contender][str(mix)][op] for boot in result["boots"].values()]


def goals(result: dict) -> list[Row]:
    made = []
    for mix in MIXES:
        for name in OTHERS:
            for own in ("ianus", "ianus_idle"):
                ratios = [theirs["p999"] / ours["p999"] for theirs, ours in
                          zip(of(result, name, mix, "read"), of(result, own, mix, "read"))]
                made.append(Bound(f"{mix} % reads, in the kernel: p99.9 of reads, that of {CONTENDERS[name]} by that of "
                                  f"{CONTENDERS[own]}", statistics.median(ratios), least=LEAST_RATIO, unit=" times").row())
    return made


def table(result: dict, mix: int) -> str:
    head = ["", "reads/s", "read, ms", "p99, ms", "p99.9, ms", "max, ms", "writes/s", "write, ms", "p99.9, ms"]
    rows = [[text, *(cell(of(result, name, mix, op), key, digits) for op, key, digits in
                     (("read", "iops", 0), ("read", "mean", 2), ("read", "p99", 2), ("read", "p999", 2), ("read", "max", 1),
                      ("write", "iops", 0), ("write", "mean", 2), ("write", "p999", 1)))]
            for name, text in CONTENDERS.items()]
    return rst.page(rst.heading(f"{mix} % reads", "~"), rst.table(head, rows))


TEXT = f"""\
In the virtual machine with its virtual clock: emulated drives of {DRIVE_MB} MiB (``ssdqos-flash``, preset
{PRESET}, aged), and one client with {RATE:,} random requests of 4 KiB a second, {DEPTH} under way at most.  All
contenders in one boot, each on new drives of the same seed.  *md raid1* is the target ``raid``, *dm-raid1* the target
``mirror``.  Turns last {SWITCH_MS / 1000:g} s; *with rest*, {IDLE_MS} ms of them.  Medians of seeds, and from least to most.
"""


def section(result: dict) -> str:
    return rst.page(TEXT, *(table(result, mix) for mix in MIXES))


def draw(result: dict, directory: Path) -> None:
    """The tables say it."""
