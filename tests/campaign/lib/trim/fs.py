# SPDX-License-Identifier: GPL-2.0
"""Half of a file system's files are deleted beside a reader with a promise, in the kernel."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path

from lib import campaign, filesystem, rst
from lib.claim import Bound
from lib.machine import Job
from lib.trim import tree
from lib.trim.runs import LEAST_GRANULE_KIB, NAME, sets_of, times_of

PAGE = "fs"
TITLE = "File systems, in the kernel"
KERNEL = "6.1"
# Options of mount without discards, with them as they come, and the file system's own way where that is another.
MOUNTS = {"ext4": ("nodiscard", "discard", ""), "xfs": ("nodiscard", "discard", ""),
          "btrfs": ("nodiscard", "discard=sync", "discard=async"), "f2fs": ("nodiscard", "discard", "")}
DRIVES = ("I-TRIM", "E-TRIM")
SIDES = {"none": "no delete", "bare": "nothing is discarded", "pass": "discards pass", "batch": "batched", "fstrim": "fstrim afterwards",
         "own": "its own way, passed"}
SEEDS = 3
PRESET = "ttflash"
READER_MB, WRITER_MB = 8, 64
# XFS has 300 MiB at least.
FILES_MB, QUICK_FILES_MB = 1280, 320
TREES, QUICK_TREES = 200, 12
FILES_OF_TREE, QUICK_FILES_OF_TREE = 500, 200
# Of four writers, those whose files are deleted.
DELETED = "0 2"
READS, PROMISED_IOPS = 200, 150
DELETE_AT_S = 5
# All that is kept is sent half a minute after the delete; f2fs begins after a minute.
RUN_S, LATE_RUN_S = 40, 100
LATE = ("f2fs",)
# btrfs begins two minutes after the delete, so the reader comes shortly before; and takes its time.
OWN_WAIT_S, OWN_SETTLE_S = 110, 600
# f2fs sends some when it has had nothing to do for five seconds.
SETTLE_S = 20
# Little more than what the delete has freed with --quick, so that this can be seen.
OVERWRITES, OVERWRITE_MB, QUICK_OVERWRITE_MB = 1000, 512, 32
PE_CYCLES = 3000
NS_PER_US, NS_PER_S = 1000, 1_000_000_000
UNITS_PER_MIB = 256
UNIT_BYTES, SECTORS_PER_GIB = 4096, 1 << 21
# What one step of a discard has (trim_step_ns).
STEPS_PER_GIB = 256
WITHIN_PCT = 5
# Reads of this drive take 0.15 ms; with 1 ms each the promise is a small part of it.
PROFILE = "ssdqos-profile 1 window_ms 1000 " + " ".join(
    f"cost {op} {pattern} 4096 16 990 1000000" for op in ("read", "write") for pattern in ("rand", "seq"))


def runs() -> Path:
    return campaign.runs_of(f"{NAME}-{PAGE}")


def archive(seed: int, quick: bool) -> Path:
    """The files of a tree, made if they are not there yet."""
    files = QUICK_FILES_OF_TREE if quick else FILES_OF_TREE
    path = runs() / f"tree-{files}-{seed}.tar"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        tree.write(path, files, seed)
    return path


def settings_of(system: str, kind: str, seed: int, quick: bool) -> dict[str, object]:
    """What trim-fs.sh is told."""
    sets = " ".join(f"{key} {value}" for key, value in sets_of(kind, LEAST_GRANULE_KIB))
    no_discard, discard, own = MOUNTS[system]
    return {"FS": system, "MODULES": " ".join(filesystem.modules(system, KERNEL)), "PRESET": PRESET, "DRIVE": sets,
                "FILES_MB": QUICK_FILES_MB if quick else FILES_MB, "READER_MB": READER_MB, "WRITER_MB": WRITER_MB,
                "TREES": QUICK_TREES if quick else TREES, "NO_DISCARD": no_discard, "DISCARD": discard, "OWN": own,
                "READS": READS, "PROMISED_IOPS": PROMISED_IOPS, "DELETE_AT_S": DELETE_AT_S,
                "RUN_S": LATE_RUN_S if system in LATE else RUN_S, "SETTLE_S": SETTLE_S,
                "OWN_WAIT_S": OWN_WAIT_S, "OWN_SETTLE_S": OWN_SETTLE_S, "OVERWRITES": OVERWRITES,
                "OVERWRITE_MB": QUICK_OVERWRITE_MB if quick else OVERWRITE_MB, "PE_CYCLES": PE_CYCLES,
                "PROFILE": PROFILE, "SEED": seed, "SIDES": " ".join(sides_of(system)), "DELETED": DELETED}


def sides_of(system: str) -> list[str]:
    return [side for side in SIDES if side != "own" or MOUNTS[system][2]]


def job(system: str, kind: str, seed: int, quick: bool) -> Job:
    machine = ("--virtual", "--include", f"{archive(seed, quick)}:/tests/tree.tar",
               *filesystem.options(system, KERNEL, runs()))
    return Job(f"{system}-{kind}-{seed}", "trim-fs.sh", settings_of(system, kind, seed, quick), kernel=KERNEL,
               machine=machine)


def jobs(seed: int, quick: bool) -> list[Job]:
    """One drive after the other, seed by seed: what is there of a campaign that was ended is whole."""
    return [job(system, kind, each, quick)
            for kind in DRIVES for each in range(seed, seed + SEEDS) for system in MOUNTS]


def discard_s_per_gib(kind: str, discards: int, sectors: int) -> float:
    """Of the drive's time; it is at one discard at a time.  Up to a step of each GiB too much, since a discard has the
    first one anyway."""
    times = times_of(kind)
    gib = sectors / SECTORS_PER_GIB
    return (discards * times["trim_ns"] / gib + STEPS_PER_GIB * times["trim_step_ns"]) / NS_PER_S if sectors else 0


def read_side(directory: Path, side: str, kind: str) -> dict:
    done = json.loads((directory / f"{side}.json").read_text())["jobs"][0]["read"]
    seen = {key: int(value) for key, value in
            (line.split() for line in (directory / side).read_text().splitlines())}
    p50, p99, p999 = (done["clat_ns"]["percentile"][key] / NS_PER_US
                      for key in ("50.000000", "99.000000", "99.900000"))
    return {"p50": p50, "p99": p99, "p999": p999, "max": done["clat_ns"]["max"] / NS_PER_US,
            "taken_ms": seen.get("taken_ms", 0), "met": seen["windows_met"], "missed": seen["windows_missed"],
            "discards": seen["discards"], "trimmed_mib": seen["trimmed_units"] / UNITS_PER_MIB,
            "s_per_gib": discard_s_per_gib(kind, seen["discards"], seen["discarded_sectors"]),
            "waf": seen["programs"] * seen["page_bytes"] / (seen["written"] * UNIT_BYTES),
            "wear": seen["life_used_bytes"] / seen["life_host_bytes"]}


def read(directory: Path) -> dict:
    kind = next(kind for kind in DRIVES if f"-{kind}-" in directory.parent.name)
    found = {side: read_side(directory, side, kind) for side in SIDES if (directory / side).exists()}
    # A life ends when as much was programmed: it is as much longer as less is programmed for the same writes.
    for one in found.values():
        one["life_pct"] = 100 * found["none"]["wear"] / one["wear"]
    return found


def groups(result: dict) -> Iterator[tuple[str, dict[str, list[dict]]]]:
    """By file system and drive: what each side was with each seed."""
    for kind in DRIVES:
        for system in MOUNTS:
            boots = [found for name, found in result["boots"].items() if name.startswith(f"{system}-{kind}-")]
            if boots:
                yield f"{system}, {kind}", {side: [boot[side] for boot in boots] for side in SIDES if side in boots[0]}


def median(runs_of_side: list[dict], key: str) -> float:
    return statistics.median(run[key] for run in runs_of_side)


def nothing_came(found: dict[str, list[dict]]) -> bool:
    """A file system that begins later than the reader stays: it has not met what is measured."""
    return not all(run["discards"] for side in ("pass", "batch") for run in found[side])


def goals(result: dict) -> list:
    rows = []
    for name, found in groups(result):
        if nothing_came(found):
            continue
        batch, as_they_come = found["batch"], found["pass"]
        rows += [
            Bound(f"{name}: p99.9 of reads beside a batched delete, of without",
                  100 * median(batch, "p999") / median(found["none"], "p999"), most=100 + WITHIN_PCT, unit="%").row(),
            Bound(f"{name}: windows missed beside it, all seeds", sum(run["missed"] for run in batch), most=0,
                  digits=0).row(),
            Bound(f"{name}: WAF after batched discards, of after those that pass",
                  100 * median(batch, "waf") / median(as_they_come, "waf"), most=100 + WITHIN_PCT, unit="%").row()]
    return rows


def spread(values: list[float], digits: int) -> str:
    """Median, least and most."""
    low, middle, high = (f"{value:,.{digits}f}" for value in (min(values), statistics.median(values), max(values)))
    return middle if low == high else f"{middle} ({low} to {high})"


COLUMNS = (("p50", "p50", 0), ("p99", "p99", 0), ("p99.9", "p999", 0), ("longest", "max", 0))
AFTER = (("delete, ms", "taken_ms", 0), ("met", "met", 0), ("missed", "missed", 0), ("discards", "discards", 0),
         ("MiB unmapped", "trimmed_mib", 0), ("s/GiB", "s_per_gib", 1), ("WAF", "waf", 2), ("life, %", "life_pct", 0))


def table(found: dict[str, list[dict]], columns: tuple[tuple[str, str, int], ...]) -> str:
    rows = [[SIDES[side], *(spread([run[key] for run in sides], digits) for _, key, digits in columns)]
            for side, sides in found.items()]
    return rst.table(["", *(head for head, _, _ in columns)], rows)


def section(result: dict) -> str:
    quick = "quick" in result["made"]["options"]
    number = QUICK_TREES * QUICK_FILES_OF_TREE if quick else TREES * FILES_OF_TREE
    overwrite = QUICK_OVERWRITE_MB if quick else OVERWRITE_MB
    pieces = [f"``{PRESET}``, full; {number:,} files, written by four at once; {number // 2:,} of them, those of two, are "
              f"deleted, while {READS} reads a second come, of which {PROMISED_IOPS} are promised.  One boot for each table "
              f"and seed, a new drive for each row; median of the seeds (least to most).  Times of reads in us; "
              "*s/GiB* is the drive's time for a GiB of discards; *WAF* is that of "
              f"{overwrite} MiB of random writes to another volume afterwards, *life* how long the drive lasts at such "
              "writes by the target's count of wear (``life_used_bytes``), of *no delete*.\n"]
    for name, found in groups(result):
        pieces += [rst.heading(f"{name} ({len(found['none'])} of {SEEDS} seeds)", "~"), table(found, COLUMNS),
                   table(found, AFTER)]
        if nothing_came(found):
            pieces.append("It had sent no discards when the reader went and the overwriting began, so neither row of "
                          "*pass* and *batched* can be compared.\n")
    return rst.page(*pieces)


def draw(result: dict, directory: Path) -> None:
    """The tables say it."""
