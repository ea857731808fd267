# SPDX-License-Identifier: GPL-2.0
"""A mirror becomes larger, or gets more members, while it is in use.

Members have to be larger before, as with lvextend; the smallest sets the size, unless
--size does.  What is new is copied to in the background.  In this order, a power cut
may come anywhere:

  the new table is loaded, and waits: what the kernel refuses changes nothing
  the mirror rests: all members have all that was written
  /etc/ssdqos/NAME.conf, if there is one, has the new table (cut here: it grows at boot)
  the new table is in force: the kernel writes masks, then the superblock
  which disk is which member is kept behind the longer map (cut here: names count)

If it cannot begin so, the old table goes on, and the file is as it was.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.lifetime.place import MAPPER
from ssdqos.mirror import conf as mirror_conf
from ssdqos.mirror import live, metadata
from ssdqos.mirror.devices import check_apart, check_block, check_meta_room, check_nothing
from ssdqos.mirror.identity import Identity, keep, secure
from ssdqos.mirror.line import BLOCK_SECTORS, MAX_MEMBERS, SECTOR_BYTES, Line, Member
from ssdqos.mirror.live import Live
from ssdqos.qos.units import bytes_text, parse_size
from ssdqos.streams import conf
from ssdqos.streams.alone import alone
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.dry_run import DryRun
from ssdqos.streams.memory import Memory

BLOCK_BYTES = BLOCK_SECTORS * SECTOR_BYTES


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--size", metavar="SIZE", help="default: all that the smallest member has")
    parser.add_argument("--add", metavar="DEV", nargs="+", action="extend", type=Path, default=[],
                        help="more members; what is on them goes")
    parser.add_argument("--yes", action="store_true", help="although there is something on them")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done")
    parser.add_argument("--dir", type=Path, default=conf.DIRECTORY, metavar="DIR", help="default /etc/ssdqos")


# ---- what is wanted ----

def check_added(one: Live, added: list[Device], yes: bool, names: DiskNames) -> None:
    if len(one.line.members) + len(added) > MAX_MEMBERS:
        raise ToolError(f"a mirror has at most {MAX_MEMBERS} members, and {one.name} would have "
                        f"{len(one.line.members) + len(added)}")
    for device in added:
        check_block(device)
    there = [Device(names.node(name)) for name in one.line.devices() if names.node(name).exists()]
    check_apart([*added, *there])
    for device in added:
        device.check_unused()
        if not yes:
            check_nothing(device, "the data of the mirror")


def rooms(line: Line, names: DiskNames) -> dict[str, int]:
    """Sectors behind the begin, of each member that is here, by its best name."""
    return {names.stable(member.device): Device(names.node(member.device)).size_bytes() // SECTOR_BYTES - member.offset
            for member in line.members if member.is_here()}


def check_here(one: Live, names: DiskNames) -> None:
    """A table with a disk that has gone is refused by the kernel, in words that name nobody."""
    for number, member in enumerate(one.line.members):
        if member.is_here() and not names.node(member.device).exists():
            raise ToolError(f"member {number}, {member.device}, is not there any more: ssdqos mirror replace "
                            f"{one.name} {number} NEWDEV comes first")


def wanted_length(one: Live, size: str | None, room: dict[str, int]) -> int:
    """In sectors."""
    absent = [number for number, member in enumerate(one.line.members) if not member.is_here()]
    if size is None:
        fits = min(room.values()) // BLOCK_SECTORS * BLOCK_SECTORS
        return one.line.length if absent else max(fits, one.line.length)
    if (size_bytes := parse_size(size)) % BLOCK_BYTES:
        raise ToolError(f"{size} is no multiple of {BLOCK_BYTES} bytes")
    if size_bytes < one.line.length * SECTOR_BYTES:
        raise ToolError(f"{one.name} has {one.line.length * SECTOR_BYTES} bytes, and a mirror cannot become smaller")
    if absent and size_bytes > one.line.length * SECTOR_BYTES:
        raise ToolError(f"member {absent[0]} is not here, so nobody knows whether it is as large")
    return size_bytes // SECTOR_BYTES


def check_rooms(length: int, room: dict[str, int]) -> None:
    for name, sectors in room.items():
        if sectors < length:
            raise ToolError(f"{name} has room for {max(sectors, 0) * SECTOR_BYTES} bytes, "
                            f"{length * SECTOR_BYTES} are needed")


def wanted(one: Live, args: argparse.Namespace, names: DiskNames) -> Line:
    """Raises ToolError with one sentence."""
    check_here(one, names)
    check_added(one, [Device(path) for path in args.add], args.yes, names)
    before = one.line.lasting()
    added = tuple(Member(str(path), before.members[0].offset) for path in args.add)
    line = replace(before, members=before.members + added)
    room = rooms(line, names)
    line = replace(line, length=wanted_length(one, args.size, room))
    check_rooms(line.length, room)
    if line == before:
        raise ToolError(f"{one.name} has {bytes_text(before.length * SECTOR_BYTES)} and {len(before.members)} members "
                        "already: make its members larger, or give --add")
    check_meta_room(Device(Path(names.stable(line.meta))), line.length, line.region_bytes())
    one.check_can_rest()
    return line


def told(one: Live, line: Line, names: DiskNames) -> None:
    print(f"{one.name}: {bytes_text(one.line.length * SECTOR_BYTES)} on {len(one.line.members)} members, becomes "
          f"{bytes_text(line.length * SECTOR_BYTES)} on {len(line.members)}")
    with metadata.opened(names.node(line.meta)) as found:
        if not found.keeps_identities(line.length):
            print(f"{names.stable(line.meta)} is too small to keep which disk is which member any longer: "
                  "then only names count")


# ---- it becomes so ----

def note(one: Live, args: argparse.Namespace, line: Line, names: DiskNames) -> None:
    """While the mirror rests."""
    secure(line, names)
    if conf.path_of(args.dir, one.name).is_file():
        mirror_conf.written_down(one.name, line, args.dir, names).write(args.dir)


def become(dmsetup: Dmsetup, one: Live, args: argparse.Namespace, line: Line, names: DiskNames) -> None:
    file = conf.path_of(args.dir, one.name)
    text = file.read_text() if file.is_file() else ""
    before = Identity.of(line, names)
    try:
        dmsetup.replace(one.name, [line.text()], between=lambda: note(one, args, line, names),
                        before=[one.line.lasting().text()])
    except ToolError:
        # If the metadata say that it has grown after all, the old table is refused, and the file is right.
        now = live.table(dmsetup, one.name)
        is_as_before = (now.length, len(now.members)) == (one.line.length, len(one.line.members))
        if is_as_before and text and file.read_text() != text:
            conf.write(args.dir, one.name, text)
        raise
    try:
        keep(line, names, range(len(one.line.members), len(line.members)), before)
    except ToolError as error:
        raise ToolError(f"{one.name} has grown, but which disk is which member is not kept: {error}") from error


def main(args: argparse.Namespace) -> int:
    dmsetup, names = Dmsetup(), DiskNames()
    one = live.read(dmsetup, args.name)
    line = wanted(one, args, names)
    told(one, line, names)
    if args.dry_run:
        DryRun().replace(args.name, [line.text()])
        return 0
    with alone():
        become(dmsetup, one, args, line, names)
    Memory().note_all_back(args.name)
    begun = "; ".join(live.read(dmsetup, args.name).mirror.troubles()) or "all members have the same"
    print(f"{MAPPER / args.name}: {bytes_text(line.length * SECTOR_BYTES)} on {len(line.members)} members; {begun}")
    return 0
