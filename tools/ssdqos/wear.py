# SPDX-License-Identifier: GPL-2.0
"""Ask a drive how worn it is, and tell its streams: `message wear` of the kernel.

NVMe drives are asked by nvme, or by smartctl; ATA drives by smartctl.  What a
drive says is taken only where its meaning is known; the rest is named.

The exit status is 0 if a report was sent, 1 if the drive gave none that can be
used or the kernel does not believe it, 2 for wrong use.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.smart import ata, nvme
from ssdqos.smart.report import Report, WearError
from ssdqos.streams import segment, status
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import TARGET, Dmsetup
from ssdqos.streams.status import Status

EXIT_NO_REPORT = 1
# nvme0n1 is a part of nvme0.
NAMESPACE = re.compile(r"(?<=\d)n\d+$")
READERS = {"nvme": nvme.read, "ata": ata.read}


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", metavar="DEV", type=Path)
    parser.add_argument("--from", dest="source", choices=READERS, help="default: by the name of DEV")
    parser.add_argument("--drive", metavar="STREAM", help="a stream of the drive (default: found by DEV)")
    parser.add_argument("--dry-run", action="store_true", help="print the report, send nothing")


def kind_of(device: Path) -> str:
    return "nvme" if device.resolve().name.startswith("nvme") else "ata"


def disk_of(device: Path, names: DiskNames) -> str:
    """The whole disk's name; that of DEV itself where it is no block device, as /dev/nvme0."""
    disk = Device(device, names.system)
    return Device.lowest(disk.disk_directory()).name if disk.is_block() else device.resolve().name


def streams_on(device: Path, dmsetup: Dmsetup, names: DiskNames) -> list[Status]:
    """One for each of the disk's drives: all streams of a drive hear of it."""
    wanted = disk_of(device, names)
    by_drive: dict[str, Status] = {}
    for name in sorted(dmsetup.names()):
        parts = {part.start: part for part in map(segment.parse, (
            line for line in dmsetup.table(name) if line.split()[2] == TARGET))}
        for one in status.read(dmsetup, name):
            disk = disk_of(names.node(parts[one.start].device), names)
            if disk == wanted or (disk.startswith("nvme") and NAMESPACE.sub("", disk) == wanted):
                by_drive.setdefault(one.drive, one)
    return list(by_drive.values())


def receivers(args: argparse.Namespace, dmsetup: Dmsetup) -> list[Status]:
    found = status.read(dmsetup, args.drive)[:1] if args.drive else streams_on(args.device, dmsetup, DiskNames())
    if not found:
        raise ToolError(f"there is no stream on {args.device}; --drive names one")
    return found


def told(report: Report) -> list[str]:
    made = [f"{key}={getattr(report, key)} ({source})" for key, source in report.sources.items()]
    return made + [f"ignored: {why}" for why in report.ignored]


def send(report: Report, to: list[Status], dmsetup: Dmsetup) -> None:
    for one in to:
        try:
            dmsetup.message(one.name, one.start, "wear", *report.words())
        except ToolError as error:
            raise WearError(f"{one.name} does not take it: {error}") from error


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    try:
        if not args.device.exists():
            raise WearError(f"{args.device} is not there")
        report = READERS[args.source or kind_of(args.device)](args.device)
        if args.dry_run:
            print("\n".join(told(report)) or "nothing")
        report.check()
        if not args.dry_run:
            send(report, receivers(args, dmsetup), dmsetup)
    except WearError as error:
        print(f"ssdqos: no report of wear: {error}", file=sys.stderr)
        return EXIT_NO_REPORT
    return 0
