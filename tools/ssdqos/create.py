# SPDX-License-Identifier: GPL-2.0
"""Make a stream: a mapped device on a disk, with a promise of throughput or without.

KEY=VALUE are those of the target, such as min_iops=1000 op=read pattern=rand
block_bytes=4096 window_ms=3000 confidence_permille=990 max_iops=5000 weight=200.
A profile is the drive's: one is enough for all its streams.  So are keys that
begin with drive_, such as drive_throttle=horizon drive_endurance_gb=600000.
drive_meta=DEVICE is where the drive keeps the state of its lifetime; without it,
that goes on from /var/lib/ssdqos if it is there.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ssdqos import life_view
from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.lifetime.keeper import Keeper, goes_on
from ssdqos.lifetime.place import MAPPER, Place
from ssdqos.qos.promise import RATE_KEYS
from ssdqos.qos.units import bytes_text, parse_size, ppm_text
from ssdqos.streams import status
from ssdqos.streams.alone import alone
from ssdqos.streams.dry_run import DryRun, Forgetful
from ssdqos.streams.maker import Maker
from ssdqos.streams.segment import SECTOR_BYTES, Segment, parse_keys
from ssdqos.streams.status import Status

NAME_MAX = 127
NAME = re.compile(rf"[A-Za-z0-9+_@=][A-Za-z0-9+\-._@=]{{0,{NAME_MAX - 1}}}")
PROMISE_KEYS = (*RATE_KEYS, "op", "pattern", "block_bytes", "window_ms", "confidence_permille", "windows")


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="it becomes /dev/mapper/NAME")
    parser.add_argument("device", metavar="DEV", type=Path)
    parser.add_argument("keys", metavar="KEY=VALUE", nargs="*")
    parser.add_argument("--offset", metavar="SIZE", default="0", help="where on DEV it begins")
    parser.add_argument("--size", metavar="SIZE", help="default: all that follows")
    parser.add_argument("--profile", metavar="FILE", default="", help="what requests cost on the drive")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done")


def sectors(text: str) -> int:
    size = parse_size(text)
    if size % SECTOR_BYTES:
        raise ToolError(f"{text} is no multiple of {SECTOR_BYTES} bytes")
    return size // SECTOR_BYTES


def segment(args: argparse.Namespace) -> Segment:
    if not Device(args.device).is_block():
        raise ToolError(f"{args.device} is no block device")
    offset = sectors(args.offset)
    whole = Device(args.device).size_bytes() // SECTOR_BYTES
    length = sectors(args.size) if args.size else whole - offset
    if length < 1 or offset + length > whole:
        raise ToolError(f"{args.device} has {whole * SECTOR_BYTES} bytes, that is not enough")
    return Segment(0, length, str(args.device), offset, parse_keys(args.keys))


def check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise ToolError(f"{name!r} is no name for a stream: 1 to {NAME_MAX} letters, digits and + - . _ @ =, "
                        "of which . and - do not begin it")


def told(name: str, made: Segment, stream: Status) -> str:
    """What was made, and what it is promised."""
    promised = " ".join(f"{key}={value}" for key, value in made.keys.items() if key in PROMISE_KEYS)
    util_ppm = int(stream.number("util_ppm"))
    promise = f"promised are {promised}, {ppm_text(util_ppm)} of the device time" if util_ppm else \
        "nothing is promised, it gets what is left, by weight"
    return (f"{MAPPER / name}: {bytes_text(made.length * SECTOR_BYTES)} of {made.device} from "
            f"{bytes_text(made.offset * SECTOR_BYTES)} on; {promise}")


def main(args: argparse.Namespace) -> int:
    check_name(args.name)
    made = segment(args)
    if args.dry_run:
        Maker(DryRun(), Forgetful()).make(args.name, [made], args.profile)
        return 0
    maker = Maker()
    with alone():
        maker.make(args.name, [made], args.profile)
        goes_on(Keeper(), args.name)
    print(told(args.name, made, status.read(maker.dmsetup, args.name)[0]))
    life_view.tell_terms(Place().stream(args.name, 0), made.keys)
    return 0
