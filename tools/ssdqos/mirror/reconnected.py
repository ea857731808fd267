# SPDX-License-Identifier: GPL-2.0
"""An NVMe controller has its link again: members behind it come back.

udev calls it.  One that had failed joins, unless it was given up by hand (`ssdqos mirror
fail`).  One that nobody has missed is given up and joins, too: its machine may have been
started again, and then what its drive had not been told to flush is gone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ssdqos.device import Device, System
from ssdqos.errors import ToolError
from ssdqos.mirror import fail, live
from ssdqos.mirror.join import JOIN, send
from ssdqos.mirror.line import ABSENT
from ssdqos.mirror.live import Live
from ssdqos.mirror.view import FAILED
from ssdqos.streams.alone import alone
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.memory import Memory

EXIT_SOME_FAILED = 1
# A minute: nobody calls again before the link is cut once more.
TRIES = 600


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("controller", metavar="CONTROLLER", help="such as nvme1")


def is_behind(directory: Path, controller: str) -> bool:
    """Whether a disk, by its place in sysfs, is one of the controller's; where paths may be several, they are
    listed beside it."""
    disk = Device.lowest(directory)
    if (disk / "partition").exists():
        disk = disk.parent
    return controller in {disk.parent.name, *(path.name for path in disk.parent.glob("nvme*"))}


def members(one: Live, controller: str, system: System) -> list[int]:
    names = DiskNames(system=system)
    found = []
    for number, member in enumerate(one.line.members):
        directory = (system.sys / "dev" / "block" / names.number(member.device)).resolve()
        if member.device != ABSENT and directory.exists() and is_behind(directory, controller):
            found.append(number)
    return found


def take_back(dmsetup: Dmsetup, memory: Memory, one: Live, member: int) -> None:
    if memory.is_given_up(one.name, member):
        print(f"{one.name}: member {member} was given up by hand, and stays so")
        return
    if one.mirror.state(member) != FAILED:
        dmsetup.message(one.name, 0, fail.MESSAGE, str(member))
    send(dmsetup, one.name, JOIN, member, TRIES)
    print(f"{one.name}: member {member} is back, {live.read(dmsetup, one.name).mirror.done_text(member)}")


def main(args: argparse.Namespace) -> int:
    dmsetup, memory, failed = Dmsetup(), Memory(), 0
    with alone():
        for one in live.read_all(dmsetup):
            for member in members(one, args.controller, System()):
                try:
                    take_back(dmsetup, memory, one, member)
                except ToolError as error:
                    print(f"ssdqos: {one.name}: member {member}: {error}", file=sys.stderr)
                    failed = EXIT_SOME_FAILED
    return failed
