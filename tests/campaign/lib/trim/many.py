# SPDX-License-Identifier: GPL-2.0
"""As fs.py, with as many files as the kernel's sources have, and more: 100,000 of them are deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lib import campaign, filesystem, rst
from lib.claim import Bound
from lib.machine import Job
from lib.trim import fs
from lib.trim.runs import NAME

PAGE = "many"
TITLE = "100,000 files are deleted"
KIND = "I-TRIM"
# XFS first: it sends its discards all at once.
SYSTEMS = ("xfs", "btrfs", "ext4")
SIDES = ("none", "bare", "pass", "batch")
# Three of four writers delete all of theirs: 201 trees of 500 files.
TREES, QUICK_TREES = 268, 16
DELETED = "0 1 2"
WRITERS, DELETERS = 4, 3
# A file has 10.4 KiB on the disk; 64 MiB are XFS's log, and some must be free.
FILES_MB, QUICK_FILES_MB = 1664, 320
# The drive's data and the files' own pages.
MEMORY_MB = 4096
# As they come, the drive is at the discards of XFS for 40 s.
RUN_S = 150
OVERWRITE_MB = 128
# Of this machine, which is one of several on its processor.
WALL_LIMIT_S = 4 * 3600


def runs() -> Path:
    return campaign.runs_of(f"{NAME}-{PAGE}")


def files(quick: bool) -> tuple[int, int]:
    """All, and how many of them are deleted."""
    trees = QUICK_TREES if quick else TREES
    return trees * fs.FILES_OF_TREE, trees // WRITERS * DELETERS * fs.FILES_OF_TREE


def job(system: str, side: str, seed: int, quick: bool) -> Job:
    settings = fs.settings_of(system, KIND, seed, quick) | {
        "TREES": QUICK_TREES if quick else TREES, "FILES_MB": QUICK_FILES_MB if quick else FILES_MB,
        "DELETED": DELETED, "SIDES": side, "RUN_S": RUN_S, "OVERWRITE_MB": OVERWRITE_MB}
    machine = ("--virtual", "--mem", str(MEMORY_MB), "--include", f"{fs.archive(seed, quick=False)}:/tests/tree.tar",
               *filesystem.options(system, fs.KERNEL, runs()))
    return Job(f"{system}-{side}", "trim-fs.sh", settings, kernel=fs.KERNEL, machine=machine,
               wall_limit_s=WALL_LIMIT_S)


def jobs(seed: int, quick: bool) -> list[Job]:
    """One seed, and a boot for each row: ten minutes."""
    return [job(system, side, seed, quick) for system in SYSTEMS for side in SIDES]


def read(directory: Path) -> dict:
    return {side: fs.read_side(directory, side, KIND) for side in SIDES if (directory / side).exists()}


def found_of(result: dict) -> Iterator[tuple[str, dict[str, dict]]]:
    """By file system, where all is there that others are compared with: what each side was."""
    for system in SYSTEMS:
        boots = [boot for name, boot in result["boots"].items() if name.startswith(f"{system}-")]
        seen = {side: boot[side] for side in SIDES for boot in boots if side in boot}
        if {"none", "pass", "batch"} <= set(seen):
            yield system, {side: one | {"life_pct": 100 * seen["none"]["wear"] / one["wear"]} for side, one in seen.items()}


def goals(result: dict) -> list:
    rows = []
    for system, found in found_of(result):
        rows += [
            Bound(f"{system}: p99.9 of reads beside a batched delete, of without",
                  100 * found["batch"]["p999"] / found["none"]["p999"], most=100 + fs.WITHIN_PCT, unit="%").row(),
            Bound(f"{system}: windows missed beside it", found["batch"]["missed"], most=0, digits=0).row(),
            Bound(f"{system}: WAF after batched discards, of after those that pass",
                  100 * found["batch"]["waf"] / found["pass"]["waf"], most=100 + fs.WITHIN_PCT, unit="%").row()]
    return rows


def section(result: dict) -> str:
    quick = "quick" in result["made"]["options"]
    there, gone = files(quick)
    drive_mb = (QUICK_FILES_MB if quick else FILES_MB) + fs.READER_MB + fs.WRITER_MB
    pieces = [f"As in `fs.rst <fs.rst>`_, with {there:,} files, written by four at once; {gone:,} of them, those of three, are "
              f"deleted.  ``{fs.PRESET}`` of {drive_mb:,} MiB, full, with {KIND}; {fs.READS} reads a "
              f"second for {RUN_S} s; {OVERWRITE_MB} MiB of random writes to another volume afterwards.  A new drive for each row; "
              "one seed.\n"]
    for system, found in found_of(result):
        sides = {side: [one] for side, one in found.items()}
        pieces += [rst.heading(system, "~"), fs.table(sides, fs.COLUMNS), fs.table(sides, fs.AFTER)]
    return rst.page(*pieces)


def draw(result: dict, directory: Path) -> None:
    """The tables say it."""
