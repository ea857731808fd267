# SPDX-License-Identifier: GPL-2.0
"""Measure what discards cost on a drive, and propose how they are kept.

ALL DATA IN THE RANGE ARE LOST: it is written with random data, which are discarded
in pieces of 4 KiB to 1 GiB, in ascending and in random order, one and eight at a
time; reads of 4 KiB are timed alone and beside discards.  OFFSET and SIZE are such
as 100g or 4096; the first 8 GiB of the range are used.  Without --yes it only says
what it would do.  DEVICE may also be a stream (/dev/mapper/NAME) with drive_trim=pass.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.qos.units import bytes_text, duration_text, parse_size
from ssdqos.trim import disk, plan, proposal, told
from ssdqos.trim.measurement import Measurement
from ssdqos.trim.plan import Plan
from ssdqos.trim.runner import Report, Runner

SECONDS = 3.0
# A name that somebody has to put there himself.
ANY_STREAM = "NAME"
EXIT_INTERRUPTED = 130
JSON_VERSION = 1


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", metavar="DEVICE", type=Path)
    parser.add_argument("--range", metavar="OFFSET:SIZE", required=True, help="a part of it that nobody needs")
    parser.add_argument("--yes", action="store_true", help="yes, what is in the range may be lost")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S",
                        help=f"of each part (default {SECONDS:g})")
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="also draw it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all numbers there")


def parse_range(text: str) -> tuple[int, int]:
    offset, colon, size = text.partition(":")
    if not colon:
        raise ToolError(f"--range {text!r} is not OFFSET:SIZE, such as 100g:8g")
    return parse_size(offset), parse_size(size)


def check_arguments(args: argparse.Namespace) -> None:
    """Before anything is written: what fails in the end would have been for nothing."""
    if not 0 < args.seconds <= 3600:
        raise ToolError(f"--seconds is {args.seconds:g}, it has to be above 0 and at most 3600")
    for path in (args.out, args.json):
        if path and not path.absolute().parent.is_dir():
            raise ToolError(f"{path} cannot be written: there is no directory {path.absolute().parent}")
    if args.out:
        try:
            from ssdqos.trim import page  # noqa: F401  (matplotlib is not needed for the rest)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("ssdqos"):
                raise
            raise ToolError(f"--out needs the Python package {error.name} (Debian: python3-{error.name})") from error


def tell(report: Report, seconds: float) -> None:
    left = (report.parts - report.number) * seconds
    print(f"ssdqos: {report.number} of {report.parts}, {told.part(report)}, at least {duration_text(left)} left",
          file=sys.stderr, flush=True)


def measure(args: argparse.Namespace, device: Device, wanted: Plan, offset: int, limits: disk.Limits) -> Measurement:
    with disk.opened(device, offset, wanted.range_bytes) as opened:
        runner = Runner(opened, wanted, lambda report: tell(report, wanted.seconds))
        discards, reads = runner.run()
    return Measurement(limits, runner.write_ns_per_mib, discards, reads, device.identity(), offset, wanted.range_bytes)


def announce(args: argparse.Namespace, wanted: Plan, offset: int) -> None:
    print(f"{args.device} from {offset} on: {bytes_text(wanted.range_bytes)} would be overwritten with random data and "
          f"discarded, in {wanted.parts()} parts of {wanted.seconds:g} s; that takes "
          f"{duration_text(wanted.least_s())} to {duration_text(wanted.most_s())}.\n"
          "All data there would be lost; --yes does it.")


def finish(args: argparse.Namespace, found: Measurement) -> None:
    made = proposal.propose(found)
    print("\n".join(told.lines(found, made, ANY_STREAM)))
    if args.json:
        args.json.write_text(json.dumps({"version": JSON_VERSION, "measurement": found.as_json(),
                                         "proposal": made.as_json()}, indent=2) + "\n")
        print(f"numbers: {args.json}")
    if args.out:
        from ssdqos.trim import page  # as above
        args.out.write_text(page.write(found, made, ANY_STREAM))
        print(f"page: {args.out}")


def main(args: argparse.Namespace) -> int:
    check_arguments(args)
    device = Device(args.device)
    offset, size = parse_range(args.range)
    limits = disk.check(device, offset, size)
    wanted = plan.make(size, limits.block_bytes, args.seconds)
    if not args.yes:
        announce(args, wanted, offset)
        return 0
    try:
        finish(args, measure(args, device, wanted, offset, limits))
    except KeyboardInterrupt:
        print("ssdqos: interrupted; nothing is proposed", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 0
