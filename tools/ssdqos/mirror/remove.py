# SPDX-License-Identifier: GPL-2.0
"""Take a mirror away; what is on its members stays, and all have the same then.

One that was saved comes back at the next boot, unless it is forgotten: --forget removes
its file in /etc/ssdqos, too.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.lifetime.place import MAPPER
from ssdqos.mirror import live
from ssdqos.remove import forget
from ssdqos.streams import conf, hints
from ssdqos.streams.alone import alone
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.dry_run import DryRun
from ssdqos.streams.memory import Memory


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--forget", action="store_true", help="it does not come back at the next boot")
    parser.add_argument("--dry-run", action="store_true", help="print what would be done")
    parser.add_argument("--dir", type=Path, default=conf.DIRECTORY, metavar="DIR", help="default /etc/ssdqos")


def take_away(dmsetup: Dmsetup, name: str) -> None:
    live.read(dmsetup, name)  # no other device is removed by mistake
    try:
        dmsetup.remove(name)
    except ToolError as error:
        raise hints.busy(error, MAPPER / name) from error


def main(args: argparse.Namespace) -> int:
    file = conf.path_of(args.dir, args.name)
    forgets = args.forget and file.is_file()
    if args.dry_run:
        take_away(DryRun(), args.name)
        print(f"rm {file}\n" if forgets else "", end="")
        return 0
    dmsetup = Dmsetup()
    if not forgets or dmsetup.exists(args.name):
        with alone():
            take_away(dmsetup, args.name)
            Memory().note_removed(args.name)
            Memory().note_all_back(args.name)
    if forgets:
        forget(file)
    elif file.is_file():
        print(f"{file} stays: {args.name} comes back at the next boot; --forget ends that")
    return 0
