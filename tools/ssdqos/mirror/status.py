# SPDX-License-Identifier: GPL-2.0
"""Show what the members of mirrors do, and what has to be copied.

Without NAME, all mirrors.  The exit status is 1 if one has a member that has failed
or is being rebuilt, or if its metadata cannot be written.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ssdqos.life_view import bytes_text
from ssdqos.mirror import live
from ssdqos.mirror.line import ABSENT, SECTOR_BYTES
from ssdqos.mirror.live import Live
from ssdqos.mirror.view import MEMBER_NUMBERS
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup

EXIT_DEGRADED = 1
HEAD = ("member", "device", "state", "to copy", "errors", "writes")
GAP = "  "
DURABILITY = "durability"
# As the target has it by itself.
STRICT = "strict"


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?")
    parser.add_argument("--json", action="store_true", help="print the kernel's numbers instead, by their names")


def shown(device: str) -> str:
    return ABSENT if device == ABSENT else str(DiskNames().node(device))


def cells(one: Live, number: int) -> tuple[str, ...]:
    stale = one.mirror.stale(number)
    return (str(number), shown(one.line.members[number].device), one.mirror.state(number),
            bytes_text(stale * one.line.region_bytes()) if stale else "-", str(one.mirror[f"errors{number}"]),
            one.mirror.speed_text(number))


def table(one: Live) -> list[str]:
    rows = [HEAD, *(cells(one, number) for number in one.mirror.members())]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEAD))]
    return ["  " + GAP.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def lines(one: Live) -> list[str]:
    size = bytes_text(one.line.length * SECTOR_BYTES)
    head = (f"{one.name}: {size}, durability {one.line.keys.get(DURABILITY, STRICT)}, cache {one.mirror.cache_text()}, "
            f"{one.mirror['switches']:,} turns, last because {one.mirror.why()}; metadata on "
            f"{Path(shown(one.line.meta))}")
    compared = [f"  members are being compared, {one.mirror.compared_pct()} % done"] if one.mirror.is_compared() else []
    return [head, *table(one), *compared, *(f"  {trouble}" for trouble in one.mirror.troubles())]


def as_json(one: Live) -> dict:
    """The members' numbers by member, all others as the kernel names them."""
    own = {f"{key}{number}" for number in one.mirror.members() for key in ("member", *MEMBER_NUMBERS)}
    rest = {key: int(value) if value.isdecimal() else value for key, value in one.mirror.words.items()
            if key not in own and key != "members"}
    return {"name": one.name, "degraded": one.mirror.is_degraded(), "size_bytes": one.line.length * SECTOR_BYTES,
            "meta": shown(one.line.meta), "params": one.line.keys,
            "members": [{"device": shown(one.line.members[number].device), "state": one.mirror.state(number),
                         **{key: one.mirror[f"{key}{number}"] for key in MEMBER_NUMBERS}}
                        for number in one.mirror.members()], **rest}


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    found = [live.read(dmsetup, args.name)] if args.name else live.read_all(dmsetup)
    if args.json:
        print(json.dumps([as_json(one) for one in found], indent=2))
    else:
        print("\n".join(text for one in found for text in lines(one)) or "no mirrors")
    return EXIT_DEGRADED if any(one.mirror.is_degraded() for one in found) else 0
