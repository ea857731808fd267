# SPDX-License-Identifier: GPL-2.0
"""Part `cost`: instructions of a 4 KiB random read."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterable
from pathlib import Path

from lib import charts, rst
from lib.claim import Bound, Row
from lib.edf.scale import Scale
from lib.machine import Job

TITLE = "Cost of a request"
STREAMS = (1, 8, 64)
# For requests that wait; the start of many clients takes most of the time.
ENGINES = {1: ("libaio", "io_uring"), 8: ("libaio",), 64: ("libaio",)}
WALL_LIMIT_S = 3600
# Now and then something else of the system takes some 4 ms, which in half a second is 300
# instructions for each read.
SETTLE_S, MEASURE_S = 0.5, 1
MOST_IDLE_PCT = 1
HEADROOM, QUEUED, QUEUED_URING = "headroom", "queued", "queued-io_uring"
TITLES = {"null_blk": "null_blk, nothing above"}
ORDER = ("null_blk", "io.max", "iocost", "mq-deadline", "bfq", "dm-linear", "ssdqos")
OURS = "ssdqos"
GOAL = "mq-deadline"


def jobs(scale: Scale) -> list[Job]:
    """A boot for each number of streams, with all that is compared."""
    return [Job(f"cost-{streams}", "edf-cost.sh", {
        "ROUNDS": scale.rounds, "NR_STREAMS": streams, "ENGINES": " ".join(ENGINES[streams]),
        "SETTLE_S": SETTLE_S, "MEASURE_S": MEASURE_S}, wall_limit_s=WALL_LIMIT_S) for streams in STREAMS]


@dataclasses.dataclass(frozen=True)
class Turn:
    """`idle` is the part of the time in which the CPU had nothing to do."""

    instructions: float
    idle: float


def turns(lines: Iterable[str]) -> dict[tuple[str, int, str], list[Turn]]:
    """What a read took, by way, number of streams and system."""
    found: dict[tuple[str, int, str], list[Turn]] = {}
    for line in lines:
        way, streams, system, _, *numbers = line.split()
        reads, ns, idle_ns = map(int, numbers)
        found.setdefault((way, int(streams), system), []).append(
            Turn((ns - idle_ns) / reads, idle_ns / ns))
    return found


def middle(found: list[Turn]) -> float:
    return statistics.median(turn.instructions for turn in found)


def rows(found: dict[tuple[str, int, str], list[Turn]]) -> list[dict]:
    """`added` is what a system costs above what it stands on."""
    made = []
    for (way, streams, system), mine in found.items():
        base = found.get((way, streams, "dm-linear" if system == OURS else "null_blk"))
        if not base:
            continue
        each = [turn.instructions for turn in mine]
        made.append({"way": way, "streams": streams, "system": system,
                     "instructions": round(middle(mine)), "least": round(min(each)),
                     "most": round(max(each)), "added": round(middle(mine) - middle(base)),
                     "idle_pct": round(100 * max(turn.idle for turn in mine), 1)})
    return sorted(made, key=lambda row: (row["way"], row["streams"], ORDER.index(row["system"])))


def measure(out: dict[str, Path], scale: Scale) -> dict:
    found = {name: rows(turns((results / "cost").read_text().splitlines()))
             for name, results in out.items()}
    return {"rounds": scale.rounds} | found


def all_rows(result: dict, way: str | None = None) -> list[dict]:
    return [row for streams in STREAMS for row in result.get(f"cost-{streams}", [])
            if way in (None, row["way"])]


def counted(result: dict, way: str) -> list[int]:
    """Numbers of streams that were measured with a base and all others."""
    return [streams for streams in STREAMS if {OURS, GOAL} <= {
        row["system"] for row in all_rows(result, way) if row["streams"] == streams}]


def way_table(result: dict, way: str) -> str:
    made = []
    shown = counted(result, way)
    for system in ORDER:
        mine = {row["streams"]: row for row in all_rows(result, way)
                if row["system"] == system}
        if mine:
            made.append([TITLES.get(system, system), *(
                f"{mine[streams][key]:,}" if streams in mine else "-" for streams in shown
                for key in ("instructions", "added"))])
    return rst.table(["system", *(text for streams in shown
                                  for text in (f"{streams} streams", "added"))], made)


def goals(result: dict) -> list[Row]:
    """ssdqos adds less than mq-deadline does."""
    rows = []
    for way in (HEADROOM, QUEUED, QUEUED_URING):
        for streams in counted(result, way):
            added = {row["system"]: row["added"] for row in all_rows(result, way) if row["streams"] == streams}
            rows.append(Bound(f"Cost: what {OURS} adds, of what {GOAL} adds, {way}, {streams} streams",
                              100 * added[OURS] / added[GOAL], most=100, unit="%", digits=0).row())
    return rows


def held_back(result: dict) -> str:
    """With headroom, who left the CPU idle made reads wait for nothing."""
    said = [f"{row['system']} with {row['streams']} streams ({row['idle_pct']:.0f} % of the time)"
            for row in all_rows(result, HEADROOM) if row["idle_pct"] > MOST_IDLE_PCT]
    return f"The CPU was idle, as reads were held back, with {', '.join(said)}.\n" if said else ""


def way_part(result: dict, way: str, text: str) -> str:
    if not counted(result, way):
        return ""
    return rst.page(text, way_table(result, way))


def section(result: dict) -> str:
    spread = max(50 * (row["most"] - row["least"]) / row["instructions"]
                 for row in all_rows(result))
    return rst.page(
        TEXT, f"Medians of {result['rounds']} turns; a turn is at most {spread:.1f} % away.\n",
        way_part(result, HEADROOM, HEADROOM_TEXT), held_back(result),
        way_part(result, QUEUED, QUEUED_TEXT), way_part(result, QUEUED_URING, QUEUED_URING_TEXT),
        result.get("note", ""))


TEXT = """\
Instructions of a 4 KiB random read, fio included: 64 reads at a time shared out among 1, 8 and 64
clients, each a process in a group of its own, on one null_blk; a boot for each number of clients.
With the virtual clock the time that the CPU is busy for a read is its instructions.  *Added* is
above null_blk without a scheduler, for ssdqos above dm-linear.  Every stream of ssdqos has a
reservation, together 90 %.
"""
HEADROOM_TEXT = """\
With headroom: the disk takes what comes, so nobody waits; fio with io_uring.  iocost and io.max
have limits that are never reached.
"""
QUEUED_TEXT = """\
Saturated: the disk gets 4 reads at a time and takes 100 us for each, so all of the 64 wait above it:
in the scheduler, or in the queue of ssdqos (drive_queue_depth 4); fio with libaio.  The bases have
only 4 reads at a time, so there nobody waits.
"""
QUEUED_URING_TEXT = """\
The same with io_uring, whose reads come with NOWAIT; those that have to wait do so in the queue of
ssdqos like all others.
"""


def draw(result: dict, directory: Path) -> None:
    def paint(*axes):
        for axis, way in zip(axes, (HEADROOM, QUEUED)):
            axis.set_title(way, fontsize=9)
            for at, system in enumerate(ORDER):
                mine = [row for row in all_rows(result, way) if row["system"] == system]
                if mine:
                    axis.plot([str(row["streams"]) for row in mine],
                              [row["instructions"] for row in mine], "o-", color=f"C{at}",
                              label=TITLES.get(system, system))
    charts.draw(directory / "cost.svg", paint, "streams", "instructions of a read", panels=2)
