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
from ssdqos.streams.maker import NO_PROFILE
from ssdqos.streams.memory import Memory
from ssdqos.streams.segment import DRIVE_PREFIX, parse_keys
from ssdqos.streams.status import Status


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("keys", metavar="KEY=VALUE", nargs="*")
    parser.add_argument("--profile", metavar="FILE", help="give the drive another profile first")
    parser.add_argument("--segment", type=int, default=0, metavar="SECTOR",
                        help="where the stream begins, in a device of several")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done")


def change(args: argparse.Namespace, keys: dict[str, str], stream: Status, dmsetup: Dmsetup, memory: Memory) -> None:
    """What is refused changes nothing: then the profile is that of before."""
    old = memory.recall(stream.drive) if stream.words.get("profile", NO_PROFILE) != NO_PROFILE else NO_PROFILE
    if args.profile:
        load(args, Path(args.profile), dmsetup)
    try:
        if keys:
            dmsetup.message(args.name, args.segment, "set", *(word for pair in keys.items() for word in pair))
    except ToolError as error:
        if args.profile:
            go_back(args, old, error, dmsetup)
        raise
    if args.profile:
        memory.keep(stream.drive, Path(args.profile))


def load(args: argparse.Namespace, profile: Path, dmsetup: Dmsetup) -> None:
    dmsetup.message(args.name, args.segment, "profile", profile_file.read(profile).words())


def go_back(args: argparse.Namespace, old: str, why: ToolError, dmsetup: Dmsetup) -> None:
    """To the drive's profile of before; raises ToolError where it is not known, or not taken."""
    try:
        if not old:
            raise ToolError("its file is not known")
        if old == NO_PROFILE:
            dmsetup.message(args.name, args.segment, "profile", NO_PROFILE)
        else:
            load(args, Path(old), dmsetup)
    except ToolError as error:
        raise ToolError(f"{why}; the drive has {args.profile} now, as the profile that it had cannot be loaded: {error}") from error


def main(args: argparse.Namespace) -> int:
    keys = parse_keys(args.keys)
    if not keys and not args.profile:
        raise ToolError("nothing is to be changed")
    dmsetup, memory = (DryRun(), Forgetful()) if args.dry_run else (Dmsetup(), Memory())
    stream = {one.start: one for one in status.read(dmsetup, args.name)}.get(args.segment)
    if stream is None:
        raise ToolError(f"{args.name} has no stream at sector {args.segment}")
    change(args, keys, stream, dmsetup, memory)
    if not args.dry_run and any(key.startswith(DRIVE_PREFIX) for key in keys):
        Keeper().note()  # its life may begin with this
        life_view.tell_terms(Place().stream(args.name, args.segment), keys)
    if not args.dry_run:
        conf.tell_unsaved(args.name)
    return 0
