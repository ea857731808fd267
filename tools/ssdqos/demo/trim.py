# SPDX-License-Identifier: GPL-2.0
"""A shop reads while its neighbour deletes: discards as they come, and kept."""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path

from ssdqos.demo import kernel
from ssdqos.demo.part import Say
from ssdqos.demo.picture import Picture
from ssdqos.demo.table import Table
from ssdqos.paths import BUILD_DIR

NAME = "trim"
TITLE = "A delete beside a reader"
ABOUT = ("When files are deleted, a drive is told which sectors nobody needs any more. It takes its time for that, and "
         "whoever reads has to wait. With drive_trim=batch it is told later, in few large pieces, when nobody is in the way.")

PRESET, SIZE_MB = "ttflash", 256
# A drive that erases what is discarded, 754 ms for 2 GiB, and meanwhile does nothing else: that of "Revisiting Widely
# Held SSD Expectations" (SIGMETRICS 2013), section 6.2.
DRIVE = "trim_preset e-trim"
DELETED_MIB, PIECE_KIB = 64, 64
READS, READ_S = 300, 6
MEMORY_MB = 1024
SIDES = {"none": "no delete", "pass": "as they come", "batch": "kept"}
QUANTILES = {"p50_ns": "50.000000", "p99_ns": "99.000000", "p999_ns": "99.900000"}
NS_PER_MS = 1e6
# Half of the wait, or the demo has shown nothing.
BETTER = 2


def set_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing of its own."""


def conf(seed: int) -> str:
    """What the guest's script is told."""
    settings = {"SIZE_MB": SIZE_MB, "DRIVE_ARGS": f"preset {PRESET} aged_pct 90 seed {seed} {DRIVE}", "READS": READS,
                "READ_S": READ_S, "DELETED_MIB": DELETED_MIB, "PIECE_KIB": PIECE_KIB}
    return "".join(f'{key}="{value}"\n' for key, value in settings.items())


def run(args: argparse.Namespace, data: Path, say: Say) -> dict:
    settings = data / "trim.conf"
    settings.write_text(conf(args.seed))
    work = BUILD_DIR / "demo/trim"
    words = kernel.command(args.kernel, args.seed, MEMORY_MB, work, {"/demo.conf": settings}, ["trim"])
    say(f"booting Linux {args.kernel}: {DELETED_MIB} MiB are deleted in pieces of {PIECE_KIB} KiB beside a reader")
    kernel.boot(words, BUILD_DIR / "log/demo-trim.log")
    return {"sides": {side: read(work / "results", side) for side in SIDES}, "commands": [shlex.join(words)],
            "kernel": args.kernel, "seed": args.seed}


def read(results: Path, side: str) -> dict:
    took = json.loads((results / f"{side}.json").read_text())["jobs"][0]["read"]["clat_ns"]
    delete_ms, discards = map(int, (results / side).read_text().split())
    return {name: took["percentile"][key] for name, key in QUANTILES.items()} | {
        "max_ns": took["max"], "delete_ms": delete_ms, "discards": discards}


def tables(found: dict) -> list[Table]:
    sides = found["sides"]

    def row(name: str, key: str, scale: float, digits: int) -> list[str]:
        return [name, *(f"{sides[side][key] / scale:,.{digits}f}" for side in SIDES)]

    return [Table(f"{TITLE} (Linux {found['kernel']})", [f"discards {text}" if text != SIDES["none"] else text
                                                         for text in SIDES.values()], [
        row("half of the reads are faster than, ms", "p50_ns", NS_PER_MS, 2),
        row("99 % are faster than, ms", "p99_ns", NS_PER_MS, 2),
        row("99.9 %", "p999_ns", NS_PER_MS, 2),
        row("the delete takes, s", "delete_ms", 1000, 2),
        row("discards that the drive gets", "discards", 1, 0)], [])]


def notes(found: dict) -> list[str]:
    return [f"The neighbour deletes {DELETED_MIB} MiB in pieces of {PIECE_KIB} KiB, in random order and as fast as it can, "
            f"while the shop reads {READS} times a second. The emulated drive erases what is discarded and does nothing else "
            "meanwhile, as a drive of the paper did: 754 ms for 2 GiB. Kept discards are answered at once, and sent when "
            "nobody has used the drive for 20 ms, or when they are 30 s old; what is written meanwhile is not discarded."]


def pictures(found: dict, data: Path) -> list[Picture]:
    """The table says it."""
    return []


def wrong(found: dict) -> str:
    sides = found["sides"]
    if sides["batch"]["p99_ns"] * BETTER > sides["pass"]["p99_ns"]:
        return "reads beside the delete are not faster with discards that are kept"
    return ""
