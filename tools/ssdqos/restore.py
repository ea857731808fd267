# SPDX-License-Identifier: GPL-2.0
"""Make the streams and mirrors of /etc/ssdqos; those that are there already stay as they are.

A stream whose disk was unplugged, and is back under another number, is put on
it again; one whose disk has gone is told of.  With --all or --device, streams whose
disks are not there yet are passed over: they come when their disk does.
--device makes no stream that was removed by hand since the boot.  Lifetimes of drives without drive_meta go on
from /var/lib/ssdqos; with --life, nothing else is done.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ssdqos import standard_output
from ssdqos.errors import ToolError, sentence
from ssdqos.lifetime.keeper import Keeper, goes_on, rescue
from ssdqos.mirror import conf as mirror_conf
from ssdqos.mirror.back import Back
from ssdqos.streams import conf
from ssdqos.streams.alone import alone
from ssdqos.streams.conf import Conf
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dry_run import DryRun, Forgetful
from ssdqos.streams.maker import Maker, devices_of

EXIT_SOME_FAILED = 1


def set_arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("name", metavar="NAME", nargs="?")
    which.add_argument("--all", action="store_true")
    which.add_argument("--life", action="store_true", help="lifetimes of streams that are there")
    which.add_argument("--device", type=Path, metavar="DEV", help="those on this disk")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done")
    parser.add_argument("--dir", type=Path, default=conf.DIRECTORY, metavar="DIR", help="default /etc/ssdqos")


def is_on(wanted: Conf, device: Path) -> bool:
    return any(Path(name).resolve() == device.resolve() for part in wanted.segments for name in devices_of(part))


def missing(wanted: Conf) -> list[str]:
    """What it stands on and is not there yet."""
    return [name for part in wanted.segments for name in devices_of(part) if not DiskNames().node(name).exists()]


def make(wanted: Conf, maker: Maker, by_itself: bool) -> None:
    """The drive's profile is loaded if it has none; `by_itself`: nobody has named the stream."""
    if maker.dmsetup.exists(wanted.name):
        repair(wanted, maker, by_itself)
    else:
        maker.make(wanted.name, wanted.segments, wanted.profile, always=False)
    maker.memory.note_wanted(wanted.name)
    if not isinstance(maker.dmsetup, DryRun):
        goes_on(Keeper(), wanted.name)


def repair(wanted: Conf, maker: Maker, by_itself: bool) -> None:
    """Mapped devices keep the number of a disk that was unplugged; it comes back with another."""
    live = maker.live(wanted.name)
    if not live:
        maker.move_again(wanted.name, wanted.segments, wanted.profile, by_itself)
        print(f"{wanted.name}: its disk is {wanted.segments[0].device} now")
        return
    if not maker.is_elsewhere(wanted.name, live, wanted.segments):
        return
    maker.check_same(wanted.name, live, wanted.segments, by_itself)
    if not isinstance(maker.dmsetup, DryRun):
        rescue(Keeper(), wanted.name, wanted.segments)
    maker.move(wanted.name, live, wanted.segments, wanted.profile)
    for old, new in zip(live, wanted.segments):
        print(f"{wanted.name}: its disk was {old.device} and is {new.device} now")


def check_alive(wanted: Conf, maker: Maker, gone: list[str]) -> None:
    """Raises ToolError for a stream whose disk was unplugged; `gone` are names that are not there."""
    if maker.dmsetup.exists(wanted.name) and (dead := maker.gone(wanted.name, maker.live(wanted.name))):
        raise ToolError(f"its disk {', '.join(dead)} has gone, and {gone[0]} is not there: reads and writes fail")


def make_or_pass(path: Path, device: Path | None, maker: Maker) -> bool:
    """False if something that it stands on is not there yet."""
    if mirror_conf.is_mirror(path):
        return Back(maker.dmsetup, maker.memory, maker.names).make_or_pass(mirror_conf.read(path), device)
    wanted = conf.read(path)
    if gone := missing(wanted):
        if device is None:
            check_alive(wanted, maker, gone)
        return False
    if device is None or (is_on(wanted, device) and not maker.memory.is_removed(wanted.name)):
        make(wanted, maker, by_itself=True)
    return True


def make_those(directory: Path, device: Path | None, maker: Maker) -> int:
    """One that fails does not keep others from being made; streams may stand on mirrors, and mirrors on streams."""
    failed = 0
    left = conf.paths(directory)
    while left:
        passed = []
        for path in left:
            try:
                if not make_or_pass(path, device, maker):
                    passed.append(path)
            except (ToolError, OSError) as error:
                if isinstance(error, OSError) and standard_output.is_of(error):
                    raise
                print(f"ssdqos: {path.name}: {sentence(error)}", file=sys.stderr)
                failed = EXIT_SOME_FAILED
        if len(passed) == len(left):
            break
        left = passed
    return failed


def make_one(path: Path, maker: Maker) -> None:
    """By its name."""
    if mirror_conf.is_mirror(path):
        with alone():
            Back(maker.dmsetup, maker.memory, maker.names).make(mirror_conf.read(path))
        return
    wanted = conf.read(path)
    if gone := missing(wanted):
        check_alive(wanted, maker, gone)
        raise ToolError(f"{gone[0]} is not there")
    with alone():
        make(wanted, maker, by_itself=False)


def main(args: argparse.Namespace) -> int:
    maker = Maker(DryRun(), Forgetful()) if args.dry_run else Maker()
    if args.life and args.dry_run:
        raise ToolError("--dry-run is for streams")
    if args.life:
        with alone():
            return 0 if goes_on(Keeper()) else EXIT_SOME_FAILED
    if args.name:
        make_one(conf.path_of(args.dir, args.name), maker)
        return 0
    with alone():
        return make_those(args.dir, args.device, maker)
