# SPDX-License-Identifier: GPL-2.0
"""Nothing that was written is lost in the kernel: a million operations against a model of what may be read."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from lib import rst
from lib.claim import Bound
from lib.machine import Job

TITLE = "Operations against a model"
STREAMS = 3
WANTED = 1_000_000
QUICK_DIVISOR = 50
LIMIT_S = 6000
SAYS = re.compile(r"seed \d+: (\d+ operations, .*)$", re.MULTILINE)
NUMBER = re.compile(r"(\d+) (\w+)")
OPS = ("writes", "discards", "zeroes", "reads", "flushes")


@dataclasses.dataclass(frozen=True)
class Storm:
    """@fails is nothing, disk or memory; @operations are those of each stream."""

    title: str
    operations: int
    disk: str
    fails: str = ""
    kernel: str = "6.1"


# A disk that is done at once lets the most operations pass; with one that takes a while, discards are under way
# when writes come.
STORMS = {
    "fast": Storm("a disk that is done at once", 260_000, "queue_mode=0"),
    "slow": Storm("one that takes 0.2 ms", 12_000, "irqmode=2 completion_nsec=200000"),
    "disk": Storm("one that fails writes and discards", 60_000, "queue_mode=0", "disk"),
    "memory": Storm("allocations fail, and all checkers watch", 4_000, "queue_mode=0", "memory", "debug"),
}


def jobs(seed: int, quick: bool) -> list[Job]:
    divisor = QUICK_DIVISOR if quick else 1
    return [Job(name, "trim-storm.sh",
                {"OPERATIONS": storm.operations // divisor, "DISK_SETS": storm.disk, "FAILS": storm.fails, "SEED": seed},
                kernel=storm.kernel, machine=("--smp", "2"), limit_s=LIMIT_S, wall_limit_s=LIMIT_S)
            for name, storm in STORMS.items()]


def numbers(said: str) -> dict[str, int]:
    """Of one model: what it did, and how often; nothing if it read what may not be there."""
    found = SAYS.search(said)
    return {name: int(count) for count, name in NUMBER.findall(found[1])} if found else {}


def read(directory: Path) -> dict:
    """Of one boot."""
    models = [numbers((directory / f"model{number}").read_text()) for number in range(1, STREAMS + 1)]
    drive = dict(line.split("=") for line in (directory / "drive").read_text().splitlines())
    return {"model": {name: sum(model.get(name, 0) for model in models) for name in ("operations", *OPS, "failed")},
            "mismatches": sum(not model for model in models),
            "drive": {name.removeprefix("trim_"): int(value) for name, value in drive.items() if value.isdigit()}}


def goals(result: dict) -> list:
    boots = result["boots"].values()
    return [Bound("operations in the kernel", sum(boot["model"]["operations"] for boot in boots), least=WANTED,
                  digits=0).row(),
            Bound("sectors that were not what they may be", sum(boot["mismatches"] for boot in boots), most=0,
                  digits=0).row()]


def row(name: str, boot: dict) -> list[str]:
    storm, model, drive = STORMS[name], boot["model"], boot["drive"]
    figures = [model["operations"], *(model[op] for op in OPS[:-1]), model["failed"], drive["taken"], drive["sent"],
               drive["failed"], drive["cut_sectors"] // 2, drive["held"], boot["mismatches"]]
    return [storm.title, storm.kernel, *(f"{figure:,}" for figure in figures)]


def section(result: dict) -> str:
    rows = [row(name, boot) for name, boot in result["boots"].items()]
    return rst.page(
        f"{STREAMS} streams of one drive, 2 MiB of each, are written, discarded, zeroed and read at random: 512 bytes to\n"
        "128 KiB at any sector, each 256th discard up to all of it.  Meanwhile, each some times in ten seconds: discards\n"
        "pass and are kept again, with another age, depth, granule and memory; flushes, promises and maxima; a stream gets\n"
        "another table, and others are suspended.  What each sector may hold is known; it is read at random, and all of it at\n"
        "the end.  *Failed*: operations that ended with an error; *sent*, *refused*: discards by the batch.\n",
        rst.table(["", "kernel", "operations", "writes", "discards", "zeroes", "reads", "failed", "kept", "sent", "refused",
                   "KiB cut out", "writes held", "wrong"], rows))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
