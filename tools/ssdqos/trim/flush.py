# SPDX-License-Identifier: GPL-2.0
"""Send all discards that a drive keeps, from now on.

NAME is any of the drive's streams.  The exit status is 1 if the drive has not
done all of it, 2 if there is no such stream.
"""

from __future__ import annotations

import argparse
import sys

from ssdqos.errors import ToolError
from ssdqos.life_view import bytes_text
from ssdqos.streams import status
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.status import Status
from ssdqos.trim_view import Trim

EXIT_NOT_DONE = 1
FLUSH, SYNC = "trim_flush", "trim_sync"


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--wait", action="store_true",
                        help="until the drive has done them, for 30 s at most")


def first(dmsetup: Dmsetup, name: str) -> Status:
    try:
        return status.read(dmsetup, name)[0]
    except ToolError as error:
        raise ToolError(f"{name} cannot be asked: {error}") from error


def told(name: str, before: Trim, waited: bool) -> str:
    if before.is_empty():
        return f"{name}: nothing is kept"
    amount = f"{before['waiting']:,} pieces with {bytes_text(before.size('waiting'))}"
    return f"{name}: {amount} {'have gone, and the drive has done them' if waited else 'are being sent'}"


def complaint(name: str, before: Trim, after: Trim) -> str:
    """Empty if the drive has taken all; errors of discards are only counted."""
    failed = after["failed"] - before["failed"]
    if failed > 0:
        return f"{name}: the drive answered {failed:,} discards with an error"
    lost = after.size("lost") - before.size("lost")
    return f"{name}: {bytes_text(lost)} were left out" if lost > 0 else ""


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    stream = first(dmsetup, args.name)
    before = Trim(stream.words)
    try:
        dmsetup.message(args.name, stream.start, SYNC if args.wait else FLUSH)
    except ToolError as error:
        print(f"ssdqos: {args.name}: {error}", file=sys.stderr)
        return EXIT_NOT_DONE
    if args.wait and (why := complaint(args.name, before, Trim(first(dmsetup, args.name).words))):
        print(f"ssdqos: {why}", file=sys.stderr)
        return EXIT_NOT_DONE
    print(told(args.name, before, args.wait))
    return 0
