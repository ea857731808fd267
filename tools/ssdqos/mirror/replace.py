# SPDX-License-Identifier: GPL-2.0
"""Another disk in place of a member, while the mirror is in use.

A member that comes with a table is trusted to have what the metadata do not say it
lacks, so they have to say first that it lacks everything.  In this order, a power cut
may come anywhere:

  the new table is loaded, and waits: what the kernel refuses changes nothing
  the mirror rests: all members have all that was written
  the metadata say that member N lacks everything (cut here: the old disk is copied to)
  /etc/ssdqos/NAME.conf, if there is one, has the new disk (cut here: it is copied to)
  the new table is in force: it is copied to
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.mirror import conf as mirror_conf
from ssdqos.mirror import identity, live, metadata
from ssdqos.mirror.devices import check_apart, check_block, check_nothing
from ssdqos.mirror.line import SECTOR_BYTES, Line
from ssdqos.mirror.live import Live
from ssdqos.qos.units import bytes_text
from ssdqos.streams import conf
from ssdqos.streams.alone import alone
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.dry_run import DryRun
from ssdqos.streams.memory import Memory


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("member", metavar="N", type=int)
    parser.add_argument("device", metavar="NEWDEV", type=Path, help="what is on it goes")
    parser.add_argument("--yes", action="store_true", help="although there is something on it")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done")
    parser.add_argument("--dir", type=Path, default=conf.DIRECTORY, metavar="DIR", help="default /etc/ssdqos")


def leader(one: Live, without: int) -> int:
    """A member that has all, once the mirror rests."""
    for number in one.mirror.members():
        if number != without and one.mirror.is_whole(number):
            return number
    raise ToolError(f"no member but {without} has all: wait until another one is rebuilt "
                    f"(ssdqos mirror status {one.name})")


def check(one: Live, member: int, device: Device, yes: bool, names: DiskNames) -> None:
    one.check_member(member)
    leader(one, member)
    check_block(device)
    check_apart([device, *(Device(names.node(name)) for name in one.line.devices() if names.node(name).exists())])
    device.check_unused()
    need = (one.line.members[member].offset + one.line.length) * SECTOR_BYTES
    if device.size_bytes() < need:
        raise ToolError(f"{device.path} has {bytes_text(device.size_bytes())}, {need} bytes are needed")
    if not yes:
        check_nothing(device, "the data of the mirror")
    one.check_can_rest()


def note(one: Live, args: argparse.Namespace, line: Line, names: DiskNames) -> None:
    """While the mirror rests."""
    with metadata.opened(names.node(line.meta), for_writing=True) as found:
        found.forget(args.member, leader(one, args.member))
    identity.keep(line, names, anew=[args.member])
    if conf.path_of(args.dir, args.name).is_file():
        mirror_conf.written_down(args.name, line, args.dir, names).write(args.dir)


def told(args: argparse.Namespace, one: Live, line: Line) -> None:
    print(f"the metadata on {one.line.meta} would say that member {args.member} lacks everything, before resume")
    DryRun().replace(args.name, [line.text()])


def main(args: argparse.Namespace) -> int:
    dmsetup, names = Dmsetup(), DiskNames()
    one = live.read(dmsetup, args.name)
    check(one, args.member, Device(args.device), args.yes, names)
    line = one.line.lasting().with_member(args.member, str(args.device))
    if args.dry_run:
        told(args, one, line)
        return 0
    with alone():
        dmsetup.replace(args.name, [line.text()], between=lambda: note(one, args, line, names))
    Memory().note_all_back(args.name)
    after = live.read(dmsetup, args.name)
    print(f"{args.name}: member {args.member} is {args.device} now, {after.mirror.done_text(args.member)}")
    return 0
