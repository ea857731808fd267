# SPDX-License-Identifier: GPL-2.0
"""Make the streams of /etc/ssdqos; those that are there already stay as they are.

With --all or --device, streams whose disks are not there yet are passed over:
they come when their disk does.  Lifetimes of drives without drive_meta go on
from /var/lib/ssdqos; with --life, nothing else is done.
"""

from __future__ import annotations

import argparse
import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.lifetime.keeper import Keeper, goes_on
from ssdqos.streams import conf
from ssdqos.streams.conf import Conf
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.maker import Maker
from ssdqos.streams.memory import RUN
from ssdqos.streams.segment import META

LOCK = RUN / "lock"
EXIT_SOME_FAILED = 1


def set_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("name", metavar="NAME", nargs="?")
    which.add_argument("--all", action="store_true")
    which.add_argument("--life", action="store_true", help="lifetimes of streams that are there")
    which.add_argument("--device", type=Path, metavar="DEV", help="those on this disk")
    parser.add_argument("--dir", type=Path, default=conf.DIRECTORY, metavar="DIR", help="default /etc/ssdqos")


def is_on(wanted: Conf, device: Path) -> bool:
    return any(Path(segment.device).resolve() == device.resolve() for segment in wanted.segments)


def missing(wanted: Conf) -> list[str]:
    """What it stands on and is not there yet."""
    needed = [name for part in wanted.segments for name in (part.device, part.keys.get(META, part.device))]
    return [name for name in needed if not DiskNames().node(name).exists()]


def make(wanted: Conf, maker: Maker) -> None:
    """The drive's profile is loaded if it has none."""
    if not maker.dmsetup.exists(wanted.name):
        maker.make(wanted.name, wanted.segments, wanted.profile, always=False)
    goes_on(Keeper(), wanted.name)


def make_those(directory: Path, device: Path | None, maker: Maker) -> int:
    """One that fails does not keep the others from being made."""
    failed = 0
    for path in conf.paths(directory):
        try:
            wanted = conf.read(path)
            if not missing(wanted) and (device is None or is_on(wanted, device)):
                make(wanted, maker)
        except ToolError as error:
            print(f"ssdqos: {path.name}: {error}", file=sys.stderr)
            failed = EXIT_SOME_FAILED
    return failed


@contextmanager
def alone() -> Iterator[None]:
    """Disks that appear at once start several of us."""
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    with LOCK.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(args: argparse.Namespace) -> int:
    if args.life:
        with alone():
            return 0 if goes_on(Keeper()) else EXIT_SOME_FAILED
    if args.name:
        wanted = conf.read(args.dir / f"{args.name}{conf.SUFFIX}")
        if gone := missing(wanted):
            raise ToolError(f"{gone[0]} is not there")
        with alone():
            make(wanted, Maker())
        return 0
    with alone():
        return make_those(args.dir, args.device, Maker())
