# SPDX-License-Identifier: GPL-2.0
"""A member that was given up is back: what was written meanwhile is copied to it.

With --rebuild, all of it is copied, as somebody may have written to it.  A member
that is another disk has to be put there with `ssdqos mirror replace`.
"""

from __future__ import annotations

import argparse
import time

from ssdqos.errors import ToolError
from ssdqos.mirror import live
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.memory import Memory

JOIN, REBUILD = "join", "rebuild"
# What its failure has begun takes a moment: others get what only it had.
TRY_AGAIN = "try again"
TRIES, PAUSE_S = 50, 0.1


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("member", metavar="N", type=int)
    parser.add_argument("--rebuild", action="store_true", help="copy all of it")


def send(dmsetup: Dmsetup, name: str, verb: str, member: int, tries: int = TRIES) -> None:
    for left in reversed(range(tries)):
        try:
            dmsetup.message(name, 0, verb, str(member))
            return
        except ToolError as error:
            if TRY_AGAIN not in str(error) or not left:
                raise
        time.sleep(PAUSE_S)


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    live.read(dmsetup, args.name).check_member(args.member)
    send(dmsetup, args.name, REBUILD if args.rebuild else JOIN, args.member)
    Memory().note_taken_back(args.name, args.member)
    after = live.read(dmsetup, args.name)
    print(f"{args.name}: member {args.member} is back, {after.mirror.done_text(args.member)}")
    return 0
