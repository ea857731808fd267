# SPDX-License-Identifier: GPL-2.0
"""Part `cost`: instructions of a request of 4 KiB on mirrors, above those on one disk."""

from __future__ import annotations

import statistics
from pathlib import Path

from lib import rst
from lib.machine import Job

TITLE = "Instructions of a request"
CONTENDERS = {"linear": "dm-linear, one disk", "raid1": "md raid1", "dm_mirror": "dm-raid1", "ianus": "ianus"}
BASE = "linear"
OPS = ("read", "write")
DISK_MB, CACHE_KIB, SWITCH_MS = 256, 65536, 500
ROUNDS, WARM_UP_S, MEASURE_S = 5, 1, 2
NS_PER_S = 1_000_000_000


def jobs(seed: int, quick: bool) -> list[Job]:
    settings = {"DISK_MB": DISK_MB, "CACHE_KIB": CACHE_KIB, "SWITCH_MS": SWITCH_MS, "ROUNDS": 1 if quick else ROUNDS,
                "WARM_UP_S": WARM_UP_S, "MEASURE_S": MEASURE_S, "SEED": seed}
    return [Job("cost", "ianus-cost.sh", settings)]


def read(directory: Path) -> dict:
    """Nanoseconds, and so instructions, of a request: by contender and operation, a number for each round."""
    found: dict = {name: {op: [] for op in OPS} for name in CONTENDERS}
    for line in (directory / "cost").read_text().splitlines():
        name, op, _, per_s = line.split()
        found[name][op].append(NS_PER_S / float(per_s))
    return found


def goals(_: dict) -> list:
    """None was set."""
    return []


def cells(boot: dict, name: str, op: str) -> list[str]:
    own = boot[name][op]
    more = [mine - base for mine, base in zip(own, boot[BASE][op])]
    return [f"{statistics.median(own):,.0f}", f"{statistics.median(more):+,.0f} ({min(more):+,.0f} to {max(more):+,.0f})"]


TEXT = f"""\
One request of 4 KiB at a time, random, on disks that are done at once and hold nothing, on one CPU of the virtual machine
that runs an instruction a nanosecond and is never idle: so the time of a request is what it costs, with what goes on in
the background for it.  Rounds in turns: {ROUNDS}.  fio and the disks are in all of them, so *more* counts: instructions
more than on one disk with dm-linear.  A mirror writes each block twice.
"""


def section(result: dict) -> str:
    boot = next(iter(result["boots"].values()))
    rows = [[text, *cells(boot, name, "read"), *cells(boot, name, "write")] for name, text in CONTENDERS.items()]
    return rst.page(TEXT, rst.table(["", "read", "more", "write", "more"], rows))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
