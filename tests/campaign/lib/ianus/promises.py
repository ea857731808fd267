# SPDX-License-Identifier: GPL-2.0
"""Part `promises`: guarantees of reads and of writes on one drive, md raid1 and a mirror whose members take turns."""

from __future__ import annotations

import dataclasses
import statistics
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.ianus.peers import CACHE_KIB, DEPTH, DRIVE_MB, IDLE_MS, PRESET, SWITCH_MS
from lib.ianus.runs import QUICK_SEEDS, SEEDS
from lib.machine import Job

TITLE = "Promises of reads and of writes"
CONTENDERS = {"one": "one drive", "raid1": "md raid1", "ianus": "ianus, as one drive",
              "apart": "ianus, reads and writes apart"}
CLIENTS = {"reader": "reads", "writer": "writes"}
# Of what one drive does of each alone.  The mirror writes all twice, to one member at a time that rests a quarter of
# the time, so of one drive's writes it can do 37 % at most.
READ_PCT, WRITE_PCT = 70, 25
READ_WINDOW_MS, WRITE_WINDOW_MS = 1000, 2 * SWITCH_MS
WARM_UP_S, RUN_S, ALONE_S = 10, 60, 10
QUICK_DIVISOR = 5
# A boot is half an hour of a quiet core.
WALL_LIMIT_S = 6000
# The paper, Figure 18: with rest before each switch, "more than 99%".
LEAST_PCT = 99.0
PERCENT = 100.0


@dataclasses.dataclass(frozen=True)
class Promise:
    """A line of the guest's: `promised` and windows are by window, `done` since the statistics were reset."""

    promised: int
    done: int
    met: int
    missed: int

    def met_pct(self) -> float:
        return PERCENT * self.met / max(1, self.met + self.missed)


def jobs(seed: int, quick: bool) -> list[Job]:
    faster = QUICK_DIVISOR if quick else 1
    settings = {"PRESET": PRESET, "DRIVE_MB": DRIVE_MB, "DEPTH": DEPTH, "SWITCH_MS": SWITCH_MS, "IDLE_MS": IDLE_MS,
                "CACHE_KIB": CACHE_KIB, "READ_PCT": READ_PCT, "WRITE_PCT": WRITE_PCT, "READ_WINDOW_MS": READ_WINDOW_MS,
                "WRITE_WINDOW_MS": WRITE_WINDOW_MS, "WARM_UP_S": WARM_UP_S // faster,
                "ALONE_S": ALONE_S // faster, "RUN_S": RUN_S // faster}
    return [Job(f"promises-{each}", "ianus-promises.sh", {**settings, "SEED": each}, wall_limit_s=WALL_LIMIT_S)
            for each in range(seed, seed + (QUICK_SEEDS if quick else SEEDS))]


def read(directory: Path) -> dict:
    """Of one boot: what one drive does alone, and of each contender and client what became of the promise."""
    reads, writes, seconds = map(int, (directory / "alone").read_text().split())
    found: dict = {"alone": {"reads": reads, "writes": writes, "seconds": seconds}}
    for line in (directory / "promises").read_text().splitlines():
        contender, client, *numbers = line.split()
        found.setdefault(contender, {})[client] = dataclasses.asdict(Promise(*map(int, numbers)))
    return found


def of(result: dict, contender: str, client: str) -> list[Promise]:
    """By boot."""
    return [Promise(**boot[contender][client]) for boot in result["boots"].values()]


def goals(result: dict) -> list[Row]:
    return [Bound(f"promises of {what}, {CONTENDERS['apart']}: windows that were met (the paper, with rest: more than 99 %)",
                  statistics.median(each.met_pct() for each in of(result, "apart", client)), least=LEAST_PCT, unit=" %").row()
            for client, what in CLIENTS.items()]


def met(promises: list[Promise]) -> str:
    shares = [each.met_pct() for each in promises]
    return f"{statistics.median(shares):.1f} ({min(shares):.1f} to {max(shares):.1f})"


def rate(promises: list[Promise], seconds: int) -> str:
    return f"{statistics.median(each.done for each in promises) / seconds:,.0f}"


TEXT = f"""\
Emulated drives of {DRIVE_MB} MiB (``{PRESET}``), full and aged, in the virtual machine with its virtual clock.  A client is promised
{READ_PCT} % of the reads of 4 KiB that one drive does alone (windows of {READ_WINDOW_MS // 1000} s), another one {WRITE_PCT} % of the writes (windows of two turns,
{WRITE_WINDOW_MS // 1000} s); two more read and write as much as goes, and all four have {DEPTH} requests under way.  What they cost is taken from
what one drive does alone, the same for all, and promises may exceed it (``drive_overcommit``).
The mirror's turns take {SWITCH_MS / 1000:.0f} s with {IDLE_MS} ms of rest.  Windows that were met, in per cent: median of the seeds, least and
most; and requests of the client by second.
"""


def section(result: dict) -> str:
    alone = [boot["alone"] for boot in result["boots"].values()]
    seconds = alone[0]["seconds"]
    rows = [[text, *(cell for client in CLIENTS for cell in
                     (met(of(result, name, client)), rate(of(result, name, client), seconds)))]
            for name, text in CONTENDERS.items()]
    told = (f"One drive alone: {statistics.median(each['reads'] for each in alone):,.0f} reads and "
            f"{statistics.median(each['writes'] for each in alone):,.0f} writes a second.  Contenders ran for {seconds} s.\n")
    return rst.page(TEXT, told, rst.table(["", "reads met, %", "reads/s", "writes met, %", "writes/s"], rows))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
