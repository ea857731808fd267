# SPDX-License-Identifier: GPL-2.0
"""Part `cost`: instructions of a 4 KiB random read."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from pathlib import Path

from lib import charts, rst
from lib.edf.scale import Scale
from lib.machine import Job

TITLE = "Cost of a request"
STREAMS = (1, 8, 64)
MOST_IDLE = 0.01
HEADROOM, QUEUED = "headroom", "queued"
TITLES = {"null_blk": "null_blk, nothing above", "ssdqos-io_uring": "ssdqos, clients use io_uring"}
ORDER = ("null_blk", "io.max", "iocost", "mq-deadline", "bfq", "dm-linear", "ssdqos",
         "ssdqos-io_uring")
OURS = ("ssdqos", "ssdqos-io_uring")
GOAL = "mq-deadline"


def jobs(scale: Scale) -> list[Job]:
    return [Job("cost", "edf-cost.sh", {
        "ROUNDS": scale.rounds, "STREAM_COUNTS": " ".join(map(str, STREAMS)), "SETTLE_S": 0.2,
        "MEASURE_S": 0.5})]


def samples(lines: Iterable[str]) -> dict[tuple[str, int, str], list[float]]:
    """Instructions of a read in each turn, by way, number of streams and system."""
    found: dict[tuple[str, int, str], list[float]] = {}
    for line in lines:
        way, streams, system, _, reads, ns, idle_ns = line.split()
        if way == HEADROOM and int(idle_ns) > MOST_IDLE * int(ns):
            raise SystemExit(f"edf: cost: the CPU was idle in '{line}'")
        busy_ns = int(ns) - int(idle_ns)
        found.setdefault((way, int(streams), system), []).append(busy_ns / int(reads))
    return found


def rows(found: dict[tuple[str, int, str], list[float]]) -> list[dict]:
    """`added` is what a system costs above what it stands on."""
    made = []
    for (way, streams, system), values in found.items():
        stands_on = "dm-linear" if system in OURS else "null_blk"
        if (way, streams, stands_on) not in found:
            continue
        base = statistics.median(found[way, streams, stands_on])
        middle = statistics.median(values)
        made.append({"way": way, "streams": streams, "system": system,
                     "instructions": round(middle), "least": round(min(values)),
                     "most": round(max(values)), "added": round(middle - base)})
    return sorted(made, key=lambda row: (row["way"], row["streams"], ORDER.index(row["system"])))


def measure(out: dict[str, Path], scale: Scale) -> dict:
    lines = (out["cost"] / "cost").read_text().splitlines()
    return {"rounds": scale.rounds, "rows": rows(samples(lines))}


def counted(result: dict, way: str) -> list[int]:
    """Numbers of streams that were measured with a base and all others."""
    return [streams for streams in STREAMS if {"ssdqos", GOAL} <= {
        row["system"] for row in result["rows"]
        if row["way"] == way and row["streams"] == streams}]


def way_table(result: dict, way: str) -> str:
    made = []
    shown = counted(result, way)
    for system in ORDER:
        mine = {row["streams"]: row for row in result["rows"]
                if row["system"] == system and row["way"] == way}
        if mine:
            made.append([TITLES.get(system, system), *(
                f"{mine[streams][key]:,}" if streams in mine else "-" for streams in shown
                for key in ("instructions", "added"))])
    return rst.table(["system", *(text for streams in shown
                                  for text in (f"{streams} streams", "added"))], made)


def verdicts(result: dict, way: str) -> str:
    """The goal: ssdqos adds less than mq-deadline does."""
    said = []
    for streams in counted(result, way):
        added = {row["system"]: row["added"] for row in result["rows"]
                 if row["streams"] == streams and row["way"] == way}
        for system in OURS:
            if system in added:
                word = "below" if added[system] < added[GOAL] else "ABOVE"
                said.append(f"- {streams} streams, {TITLES.get(system, system)}: "
                            f"{added[system]:,}, {word} {GOAL}'s {added[GOAL]:,}\n")
    return "".join(said)


def section(result: dict) -> str:
    spread = max(50 * (row["most"] - row["least"]) / row["instructions"] for row in result["rows"])
    return rst.page(
        TEXT, f"Medians of {result['rounds']} turns; a turn is at most {spread:.1f} % away.\n",
        HEADROOM_TEXT, way_table(result, HEADROOM), verdicts(result, HEADROOM),
        QUEUED_TEXT, way_table(result, QUEUED), verdicts(result, QUEUED), result.get("note", ""))


TEXT = """\
Instructions of a 4 KiB random read, fio included: 64 reads at a time shared out among 1, 8 and 64
clients, each a process in a group of its own, on one null_blk in one boot.  With the virtual clock
the time that the CPU is busy for a read is its instructions.  *Added* is above null_blk without a
scheduler, for ssdqos above dm-linear.  Every stream of ssdqos has a reservation, together 90 %.
"""
HEADROOM_TEXT = """\
With headroom: the disk takes what comes, so nobody waits; fio with io_uring.  iocost and io.max
have limits that are never reached.
"""
QUEUED_TEXT = """\
Saturated: the disk gets 4 reads at a time and takes 100 us for each, so all of the 64 wait above it:
in the scheduler, or in the queue of ssdqos (drive_queue_depth 4); fio with libaio.  The bases have
only 4 reads at a time, so there nobody waits.  Reads by io_uring are first sent with NOWAIT; those
that have to wait do so in the queue of ssdqos like all others.
"""


def draw(result: dict, directory: Path) -> None:
    def paint(*axes):
        for axis, way in zip(axes, (HEADROOM, QUEUED)):
            axis.set_title(way, fontsize=9)
            for at, system in enumerate(ORDER):
                mine = [row for row in result["rows"]
                        if row["system"] == system and row["way"] == way]
                if mine:
                    axis.plot([str(row["streams"]) for row in mine],
                              [row["instructions"] for row in mine], "o-", color=f"C{at}",
                              label=TITLES.get(system, system))
    charts.draw(directory / "cost.svg", paint, "streams", "instructions of a read", panels=2)
