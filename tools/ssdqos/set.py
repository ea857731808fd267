# SPDX-License-Identifier: GPL-2.0
"""Change a live stream, or its drive: all of it or nothing.

Keys that begin with drive_ hold for all streams of the drive, such as
drive_throttle=horizon or drive_lifetime_h=43800.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ssdqos import life_view
from ssdqos.errors import ToolError
from ssdqos.lifetime.keeper import Keeper
from ssdqos.lifetime.place import Place
from ssdqos.qos import profile_file
from ssdqos.streams import conf, status
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.dry_run import DryRun, Forgetful
from ssdqos.streams.memory import Memory
from ssdqos.streams.segment import DRIVE_PREFIX, parse_keys


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("keys", metavar="KEY=VALUE", nargs="*")
    parser.add_argument("--profile", metavar="FILE", help="give the drive another profile first")
    parser.add_argument("--segment", type=int, default=0, metavar="SECTOR",
                        help="where the stream begins, in a device of several")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done")


def main(args: argparse.Namespace) -> int:
    keys = parse_keys(args.keys)
    if not keys and not args.profile:
        raise ToolError("nothing is to be changed")
    dmsetup, memory = (DryRun(), Forgetful()) if args.dry_run else (Dmsetup(), Memory())
    stream = {one.start: one for one in status.read(dmsetup, args.name)}.get(args.segment)
    if stream is None:
        raise ToolError(f"{args.name} has no stream at sector {args.segment}")
    if args.profile:
        dmsetup.message(args.name, args.segment, "profile", profile_file.read(Path(args.profile)).words())
        memory.keep(stream.drive, Path(args.profile))
    if keys:
        dmsetup.message(args.name, args.segment, "set", *(word for pair in keys.items() for word in pair))
    if not args.dry_run and any(key.startswith(DRIVE_PREFIX) for key in keys):
        Keeper().note()  # its life may begin with this
        life_view.tell_terms(Place().stream(args.name, args.segment), keys)
    if not args.dry_run:
        conf.tell_unsaved(args.name)
    return 0
