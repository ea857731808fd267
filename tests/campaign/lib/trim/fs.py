# SPDX-License-Identifier: GPL-2.0
"""Half of a file system's files are deleted beside a reader with a promise, in the kernel."""

from __future__ import annotations

import json
from pathlib import Path

from lib import campaign, rst, xfs
from lib.claim import Bound, Claim
from lib.machine import Job
from lib.trim.runs import COMMON, KINDS, NAME

TITLE = "File systems, in the kernel"
KERNEL = "6.1"
FILE_SYSTEMS = ("ext4", "xfs")
DRIVES = ("I-TRIM", "E-TRIM")
SIDES = {"none": "no delete", "pass": "discards pass", "batch": "batched", "fstrim": "fstrim afterwards"}
PRESET = "ttflash"
# XFS has 300 MiB at least.
FILES_MB, READER_MB = 320, 64
FILES, QUICK_FILES = 2000, 500
FILE_KIB = 16
READS, PROMISED_IOPS = 200, 150
RUN_S, DELETE_AT_S = 25, 5
NS_PER_US, MS_PER_S = 1000, 1000
WITHIN_PCT = 5
# Reads of this drive take 0.15 ms; with 1 ms each the promise is a small part of it.
PROFILE = "ssdqos-profile 1 window_ms 1000 " + " ".join(
    f"cost {op} {pattern} 4096 16 990 1000000" for op in ("read", "write") for pattern in ("rand", "seq"))


def job(system: str, kind: str, seed: int, quick: bool) -> Job:
    sets = " ".join(f"{key} {value}" for key, value in (*COMMON, *KINDS[kind]))
    settings = {"FS": system, "PRESET": PRESET, "DRIVE": sets, "SIZE_MB": FILES_MB + READER_MB, "FILES_MB": FILES_MB,
                "READER_MB": READER_MB, "FILES": QUICK_FILES if quick else FILES, "FILE_KIB": FILE_KIB, "READS": READS,
                "PROMISED_IOPS": PROMISED_IOPS, "RUN_S": RUN_S, "DELETE_AT_S": DELETE_AT_S, "PROFILE": PROFILE,
                "SEED": seed}
    machine = ("--virtual", *(xfs.options(KERNEL, campaign.runs_of(NAME)) if system == "xfs" else ()))
    return Job(f"{system}-{kind}", "trim-fs.sh", settings, kernel=KERNEL, machine=machine)


def jobs(seed: int, quick: bool) -> list[Job]:
    return [job(system, kind, seed, quick) for system in FILE_SYSTEMS for kind in DRIVES]


def read_side(directory: Path, side: str) -> dict:
    done = json.loads((directory / f"{side}.json").read_text())["jobs"][0]["read"]
    first, discards, trimmed, programs, written = (directory / side).read_text().splitlines()
    taken_ms, met, missed = first.split()
    p50, p99, p999 = (done["clat_ns"]["percentile"][key] / NS_PER_US
                      for key in ("50.000000", "99.000000", "99.900000"))
    return {"p50": p50, "p99": p99, "p999": p999, "max": done["clat_ns"]["max"] / NS_PER_US,
            "taken_ms": int(taken_ms), "met": int(met), "missed": int(missed), "discards": int(discards),
            "trimmed_mib": int(trimmed) / 256, "programs": int(programs), "written": int(written)}


def read(directory: Path) -> dict:
    return {side: read_side(directory, side) for side in SIDES}


def goals(result: dict) -> list:
    rows = []
    for name, found in result["boots"].items():
        rows.append(Claim(f"{name}: p99.9 of reads beside a batched delete, of without", 100, WITHIN_PCT, "the issue",
                          100 * found["batch"]["p999"] / found["none"]["p999"], "%").row())
        rows.append(Bound(f"{name}: windows missed beside it", found["batch"]["missed"], most=0, digits=0).row())
        rows.append(Claim(f"{name}: what is discarded batched, of what is as it comes", 100, WITHIN_PCT, "the issue",
                          100 * found["batch"]["trimmed_mib"] / max(found["pass"]["trimmed_mib"], 1), "%").row())
    return rows


def section(result: dict) -> str:
    pieces = [f"``{PRESET}``, {FILES_MB + READER_MB} MiB; files of {FILE_KIB} KiB, written by four at once; the half of two of "
              f"them is deleted, while {READS} reads a second come, of which {PROMISED_IOPS} are promised.  One boot for each "
              "table, a new drive for each row; times of reads in us.\n"]
    for name, found in result["boots"].items():
        rows = [[text, *(f"{found[side][key]:.0f}" for key in
                         ("p50", "p99", "p999", "max", "taken_ms", "met", "missed", "discards", "trimmed_mib"))]
                for side, text in SIDES.items()]
        pieces += [rst.heading(name, "~"),
                   rst.table(["", "p50", "p99", "p99.9", "longest", "delete, ms", "windows met", "missed", "discards",
                              "MiB unmapped"], rows)]
    return rst.page(*pieces)


def draw(result: dict, directory: Path) -> None:
    """The tables say it."""
