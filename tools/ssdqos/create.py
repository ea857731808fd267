# SPDX-License-Identifier: GPL-2.0
"""Make a stream: a mapped device on a disk, with a promise of throughput or without.

KEY=VALUE are those of the target, such as min_iops=1000 op=read pattern=rand
block_bytes=4096 window_ms=3000 confidence_permille=990 max_iops=5000 weight=200.
A profile is the drive's: one is enough for all its streams.  So are keys that
begin with drive_, such as drive_throttle=ready_opt drive_endurance_gb=600000.
drive_meta=DEVICE is where the drive keeps the state of its lifetime; without it,
that goes on from /var/lib/ssdqos if it is there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.lifetime.keeper import Keeper, goes_on
from ssdqos.qos.units import parse_size
from ssdqos.streams.maker import Maker
from ssdqos.streams.segment import SECTOR_BYTES, Segment, parse_keys


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="it becomes /dev/mapper/NAME")
    parser.add_argument("device", metavar="DEV", type=Path)
    parser.add_argument("keys", metavar="KEY=VALUE", nargs="*")
    parser.add_argument("--offset", metavar="SIZE", default="0", help="where on DEV it begins")
    parser.add_argument("--size", metavar="SIZE", help="default: all that follows")
    parser.add_argument("--profile", metavar="FILE", default="", help="what requests cost on the drive")


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


def main(args: argparse.Namespace) -> int:
    Maker().make(args.name, [segment(args)], args.profile)
    goes_on(Keeper(), args.name)
    return 0
