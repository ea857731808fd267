# SPDX-License-Identifier: GPL-2.0
"""Show what each drive keeps, and what became of discards so far.

DEV is a stream, or a drive with streams on it (/dev/nvme0n1, 259:0); without
DEV all drives are shown.  MB are 1,000,000 bytes.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass

from ssdqos.errors import ToolError
from ssdqos.qos.units import BYTES_PER_MB
from ssdqos.streams import status
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import TARGET, Dmsetup
from ssdqos.streams.status import Status
from ssdqos.trim_view import COSTS, COSTS_DEFAULT, GAUGES, POLICY, PREFIX, STATS, Trim, oldest_text

HEAD = ("drive", "policy", "pieces", "MB", "under way", "oldest", "taken", "sent", "mean MB", "cut MB", "passed",
        "failed", "left out MB", "streams")
GAP = "  "
MEASURE = ("the profile of drive {drive} says nothing of discards, so they are charged a guess; "
           "ssdqos profile measures them")
KEEP = "discards pass to drive {drive} as they come; to keep them: ssdqos set {name} drive_trim=batch"


@dataclass(frozen=True)
class Drive:
    """With the names of its streams: all of them know of it."""

    name: str
    streams: tuple[str, ...]
    trim: Trim


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", metavar="DEV", nargs="?")
    parser.add_argument("--json", action="store_true", help="print the kernel's numbers instead, by their names")


def drives(statuses: list[Status]) -> list[Drive]:
    """Each once, whoever shares it."""
    by_drive: dict[str, list[Status]] = {}
    for one in statuses:
        by_drive.setdefault(one.drive, []).append(one)
    return [Drive(name, tuple(dict.fromkeys(one.name for one in found)), Trim(found[0].words))
            for name, found in by_drive.items()]


def chosen(statuses: list[Status], device: str | None) -> list[Drive]:
    found = drives(statuses)
    if device is None:
        return found
    names, stream = DiskNames().in_status(device), DiskNames().mapped_name(device)
    found = [drive for drive in found if drive.name in names or stream in drive.streams]
    if not found:
        raise ToolError(f"{device} is no live stream of target {TARGET}, and there is none on it")
    return found


def mb_text(size: int) -> str:
    return f"{size / BYTES_PER_MB:,.1f}"


def cells(drive: Drive) -> tuple[str, ...]:
    trim = drive.trim
    return (drive.name, trim.policy, f"{trim['waiting']:,}", mb_text(trim.size("waiting")), f"{trim['under_way']}",
            oldest_text(trim), f"{trim['taken']:,}", f"{trim['sent']:,}",
            mb_text(trim.mean_sent_bytes()) if trim["sent"] else "-", mb_text(trim.size("cut")),
            f"{trim['passed']:,}", f"{trim['failed']:,}", mb_text(trim.left_out_bytes()), " ".join(drive.streams))


def table(found: list[Drive]) -> list[str]:
    """Numbers to the right, words to the left."""
    rows = [HEAD, *(cells(drive) for drive in found)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEAD))]
    words = (HEAD.index("drive"), HEAD.index("policy"), HEAD.index("streams"))
    return [GAP.join(cell.ljust(width) if at in words else cell.rjust(width)
                     for at, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def lines(found: list[Drive]) -> list[str]:
    if not found:
        return ["no streams"]
    return table(found) + [KEEP.format(drive=drive.name, name=drive.streams[0]) for drive in found
                           if not drive.trim.is_kept()] \
        + [MEASURE.format(drive=drive.name) for drive in found if drive.trim.lacks_costs()]


def as_json(found: list[Drive]) -> list[dict]:
    return [{"drive": drive.name, "streams": list(drive.streams), POLICY: drive.trim.policy,
             COSTS: drive.trim.words.get(COSTS, COSTS_DEFAULT),
             **{PREFIX + row.name: drive.trim[row.name] for row in (*GAUGES, *STATS)}} for drive in found]


def main(args: argparse.Namespace) -> int:
    found = chosen(status.read_all(Dmsetup()), args.device)
    print(json.dumps(as_json(found), indent=2) if args.json else "\n".join(lines(found)))
    return 0
