# SPDX-License-Identifier: GPL-2.0
"""Remove a stream; what is on the disk stays.

A stream that was saved comes back at the next boot, unless it is forgotten:
--forget removes its file in /etc/ssdqos, too.  The lifetime of its drive is
saved first.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.lifetime.keeper import Keeper, keep
from ssdqos.lifetime.place import MAPPER
from ssdqos.streams import conf, hints, status
from ssdqos.streams.alone import alone
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.dry_run import DryRun
from ssdqos.streams.memory import Memory


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--forget", action="store_true", help="it does not come back at the next boot")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done")
    parser.add_argument("--dir", type=Path, default=conf.DIRECTORY, metavar="DIR", help="default /etc/ssdqos")


def remove(name: str, dmsetup: Dmsetup) -> None:
    status.read(dmsetup, name)  # no other device is removed by mistake
    keeper = Keeper()
    lives = {drive.drive for drive in keeper.drives(name)}
    if not keep(keeper, name):
        raise ToolError(f"{name} stays, since what is known of its drive's lifetime would be lost with it; "
                        f"dmsetup remove {name} removes it all the same")
    try:
        dmsetup.remove(name)
    except ToolError as error:
        raise hints.busy(error, MAPPER / name) from error
    keeper.note(without=lives)
    Memory().note_removed(name)


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    file = conf.path_of(args.dir, args.name)
    is_saved = file.is_file()
    is_live = not (args.forget and is_saved) or dmsetup.exists(args.name)
    if args.dry_run:
        told(args, dmsetup, is_live, file if is_saved and args.forget else None)
        return 0
    if is_live:
        with alone():
            remove(args.name, dmsetup)
    if is_saved and args.forget:
        forget(file)
    elif is_saved:
        print(f"{file} stays: {args.name} comes back at the next boot; ssdqos remove --forget {args.name} ends that")
    return 0


def told(args: argparse.Namespace, dmsetup: Dmsetup, is_live: bool, file: Path | None) -> None:
    if is_live:
        status.read(dmsetup, args.name)
        DryRun().remove(args.name)
    if file:
        print(f"rm {file}")


def forget(file: Path) -> None:
    try:
        file.unlink()
    except OSError as error:
        raise ToolError(f"{file} cannot be removed: {error.strerror}") from error
    print(f"{file} is gone")
