# SPDX-License-Identifier: GPL-2.0
"""What a request takes the processor, in instructions, in the kernel."""

from __future__ import annotations

import json
from pathlib import Path

from lib import rst
from lib.claim import Bound
from lib.machine import Job

TITLE = "Instructions and memory"
KERNEL = "6.1"
LOADS = {"randread": "read", "randwrite": "write", "randtrim": "trim"}
NAMES = {"randread": "a read", "randwrite": "a write", "randtrim": "a discard"}
CASES = {"bare": "the disk without the target", "pass": "discards pass", "empty": "kept, and there are none",
         "many": "kept, and there are many"}
SIZE_MB = 100
REQUESTS, QUICK_REQUESTS = 50_000, 10_000
RANGES, MOST = 100_000, 200_000
# Of fio's clock, in which a nanosecond is an instruction.
NS_PER_MS = 1_000_000
# What a read pays for it: nothing but what it is to look at its own kind.
READ_MOST = 20
# A look at a tree of 100,000, and one more of the large pieces.
MANY_MOST = 3000


def jobs(seed: int, quick: bool) -> list[Job]:
    settings = {"SIZE_MB": SIZE_MB, "REQUESTS": QUICK_REQUESTS if quick else REQUESTS, "RANGES": RANGES, "MOST": MOST,
                "LOADS": " ".join(LOADS), "SEED": seed}
    return [Job("cpu", "trim-cpu.sh", settings, kernel=KERNEL)]


def read(directory: Path) -> dict:
    found = {case: {load: per_request(directory / f"{case}-{load}.json", kind) for load, kind in LOADS.items()}
             for case in CASES}
    return {"cases": found, "waiting": int((directory / "many").read_text()),
            "memory_kib": int((directory / "memory_kib").read_text())}


def per_request(path: Path, kind: str) -> float:
    done = json.loads(path.read_text())["jobs"][0]
    return done["job_runtime"] * NS_PER_MS / done[kind]["total_ios"]


def goals(result: dict) -> list:
    found = result["boots"]["cpu"]["cases"]
    rows = [Bound(f"{NAMES[load]}, while there are none, beyond discards that pass",
                  found["empty"][load] - found["pass"][load], most=READ_MOST, unit="instructions", digits=0).row()
            for load in ("randread", "randwrite")]
    rows.append(Bound(f"a read, while there are {result['boots']['cpu']['waiting']}, likewise",
                      found["many"]["randread"] - found["pass"]["randread"], most=READ_MOST, unit="instructions",
                      digits=0).row())
    rows.append(Bound("a discard that is kept, beyond one that passes, with many",
                      found["many"]["randtrim"] - found["pass"]["randtrim"], most=MANY_MOST, unit="instructions",
                      digits=0).row())
    return rows


def section(result: dict) -> str:
    one = result["boots"]["cpu"]
    rows = [[text, *(f"{one['cases'][case][load]:,.0f}" for load in LOADS)] for case, text in CASES.items()]
    return rst.page(rst.table(["instructions", *NAMES.values()], rows),
                    f"Of one request with fio's and the block layer's, one at a time; *many* are {one['waiting']:,} pieces, "
                    "of half a KiB in each KiB; a write cuts four out.\n",
                    f"Memory for {MOST:,} pieces: {one['memory_kib']:,} KiB, "
                    f"{one['memory_kib'] * 1024 / MOST:.0f} bytes for each.\n")


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
