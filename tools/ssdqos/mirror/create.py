# SPDX-License-Identifier: GPL-2.0
"""Make a mirror of two to eight devices, with the data of the first one.

All others are written over, in the background.  The smallest sets the size.  --meta is
a small device for what has to be known after a power cut.  With --again the devices are
those of a mirror that was there before: it goes on as its metadata say.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ssdqos.create import check_name, sectors
from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.lifetime.place import MAPPER
from ssdqos.mirror import live, metadata
from ssdqos.mirror.devices import Devices, meta_contents
from ssdqos.mirror.identity import Identity, keep, secure
from ssdqos.mirror.line import AT_FIRST_ONLY, SECTOR_BYTES, UUID_PREFIX, Line, Member
from ssdqos.qos.units import bytes_text
from ssdqos.streams import hints
from ssdqos.streams.alone import alone
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.dry_run import DryRun
from ssdqos.streams.memory import Memory
from ssdqos.streams.segment import parse_keys

ON = "on"


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="it becomes /dev/mapper/NAME")
    parser.add_argument("devices", metavar="DEV", nargs="+", type=Path)
    parser.add_argument("--meta", metavar="DEV", type=Path, required=True, help="for the metadata; its contents go")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="a parameter of the target")
    parser.add_argument("--offset", metavar="SIZE", default="0", help="where on each of them it begins")
    parser.add_argument("--same", action="store_true", help="all have the same data already: nothing is copied")
    parser.add_argument("--again", action="store_true", help="it was there before: go on with its metadata")
    parser.add_argument("--trust", action="store_true", help="with --again: the devices are those of the mirror, in their "
                        "order, whatever they say of themselves")
    parser.add_argument("--yes", action="store_true", help="what is on the other devices may go")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done")


def check_meta(args: argparse.Namespace) -> bool:
    """Whether it has to be wiped; raises ToolError if nobody has said so."""
    found = "" if args.again else meta_contents(args.meta)
    if found and not args.yes:
        raise ToolError(f"on {args.meta} is {found}: --yes if that may go, --again if this is that mirror")
    return bool(found)


def wanted(args: argparse.Namespace, devices: Devices, length: int) -> Line:
    keys = parse_keys(args.set) | ({AT_FIRST_ONLY: ON} if args.same else {})
    members = tuple(Member(str(device.path), devices.offset) for device in devices.members)
    return Line(length, members, str(devices.meta.path), keys)


def again(line: Line, trust: bool) -> Line:
    """As long as it was, and with its members in their order."""
    known = metadata.told(Path(line.meta))
    if known is None:
        raise ToolError(f"on {line.meta} are no metadata of a mirror")
    if known.sectors > line.length:
        raise ToolError(f"the mirror has {bytes_text(known.sectors * SECTOR_BYTES)}, and its smallest member "
                        f"{bytes_text(line.length * SECTOR_BYTES)}")
    line = replace(line, length=known.sectors)
    return line if trust else Identity.of(line, DiskNames()).in_order(line)


def prepared(args: argparse.Namespace) -> tuple[Line, bool, list[str]]:
    """The line, whether the metadata device has to be wiped, and what is to be told."""
    devices = Devices(tuple(Device(path) for path in args.devices), Device(args.meta), sectors(args.offset))
    devices.check()
    if not (args.yes or args.again):
        devices.check_contents(args.same)
    length = devices.length()
    line = wanted(args, devices, length)
    if args.again:
        line = again(line, args.trust)
    devices.check_meta(line.length, line.region_bytes())
    return line, check_meta(args), devices.told(line.length)


def make(dmsetup: Dmsetup, name: str, line: Line, trust: bool = False) -> None:
    """With a longer line than its metadata say it becomes larger, which takes the place of what they keep."""
    before = Identity.of(line, DiskNames())
    if not isinstance(dmsetup, DryRun):
        secure(line, DiskNames())
    try:
        dmsetup.create(name, [line.text()], UUID_PREFIX)
    except ToolError as error:
        raise hints.busy(error, Path(line.members[0].device)) from error
    if not isinstance(dmsetup, DryRun):
        keep(line, DiskNames(), range(len(line.members)) if trust else (), before)


def main(args: argparse.Namespace) -> int:
    check_name(args.name)
    dmsetup = DryRun() if args.dry_run else Dmsetup()
    if dmsetup.exists(args.name):
        raise ToolError(f"there is a device {args.name} already")
    line, wipe, notes = prepared(args)
    print("".join(f"{note}\n" for note in notes), end="")
    if args.dry_run:
        if wipe:
            print(f"dd if=/dev/zero of={args.meta} bs=8K count=1")
        make(dmsetup, args.name, line)
        return 0
    with alone():
        if wipe:
            with metadata.opened(args.meta, for_writing=True) as found:
                found.wipe()
        make(dmsetup, args.name, line, args.trust)
        Memory().note_wanted(args.name)
    made = live.read(dmsetup, args.name)
    begun = "; ".join(made.mirror.troubles()) or "all members have the same"
    print(f"{MAPPER / args.name}: {bytes_text(line.length * SECTOR_BYTES)} on {len(line.members)} members; {begun}\n"
          f"ssdqos save {args.name} makes it come back at boot")
    return 0
