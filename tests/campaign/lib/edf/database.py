# SPDX-License-Identifier: GPL-2.0
"""Part `database`: SQLite beside a client that writes at full speed."""

from __future__ import annotations

import json
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.edf import clients, fio, profiles
from lib.edf.scale import Scale
from lib.machine import Job

TITLE = "A database"
DRIVE = clients.DRIVE_A
RUN_S, WARM_UP_S = 10, 2
RESERVE_PPM = 500_000
DEPTHS = (4,)
PHASES = {"alone": "alone", "shared": "with a writer", "reserved": "with a writer, reservation",
          **{f"reserved-{depth}": f"the same, at most {depth} in the drive" for depth in DEPTHS}}


def jobs(scale: Scale) -> list[Job]:
    settings = {**DRIVE.settings(), "RUN_S": RUN_S, "WARM_UP_S": WARM_UP_S,
                "RESERVE_PPM": RESERVE_PPM, "DEPTHS": " ".join(map(str, DEPTHS))}
    return [Job("database", "edf-database.sh", settings, {"profile": profiles.words(DRIVE)})]


def writer_mb_s(path: Path) -> float:
    if not path.exists():
        return 0
    # fio says first that it was asked to end.
    _, brace, rest = path.read_text().partition("{")
    return round(json.loads(brace + rest)["jobs"][0]["write"]["bw_bytes"] / 1e6, 1)


def measure(out: dict[str, Path], scale: Scale) -> dict:
    results = out["database"]
    rows = []
    for line in (results / "database").read_text().splitlines():
        phase, transactions, ms = line.split()
        rows.append({"phase": phase, "per_s": round(int(transactions) * 1000 / int(ms), 1),
                     "transactions": int(transactions),
                     "writer_mb_s": writer_mb_s(results / f"writer.{phase}.json")})
    return {"reserve_ppm": RESERVE_PPM, "rows": rows}


def section(result: dict) -> str:
    rows = [[PHASES[row["phase"]], f"{row['per_s']:,.1f}", f"{row['writer_mb_s']:.1f}"]
            for row in result["rows"]]
    return rst.page(
        f"SQLite with a write-ahead log and synchronous=FULL on ext4 on one stream of drive "
        f"{DRIVE.title}: two updates\nand an insert in a transaction, for {RUN_S} s; the other "
        "stream writes 64 KiB at random, 32 at a time.\nThe reservation is "
        f"{result['reserve_ppm'] / 10_000:g} % of device time.\n",
        rst.table(["database", "transactions/s", "writer MB/s"], rows))


def goals(result: dict) -> list[Row]:
    """What is reserved is its part of the drive, at the least."""
    per_s = {row["phase"]: row["per_s"] for row in result["rows"]}
    return [Bound("A database with a reservation beside a writer: transactions, of those alone",
                  100 * per_s["reserved"] / per_s["alone"], least=result["reserve_ppm"] / 10_000, unit="%").row()]


def draw(result: dict, directory: Path) -> None:
    """The table says it all."""
