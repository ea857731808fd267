# SPDX-License-Identifier: GPL-2.0
"""Give a member up: it is not used any more until it joins again.

What only it has is written to another one first, as far as it can be.  The last
member stays.
"""

from __future__ import annotations

import argparse

from ssdqos.mirror import live
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.memory import Memory

MESSAGE = "fail"


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("member", metavar="N", type=int)


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    live.read(dmsetup, args.name).check_member(args.member)
    dmsetup.message(args.name, 0, MESSAGE, str(args.member))
    Memory().note_given_up(args.name, args.member)
    print(f"{args.name}: member {args.member} is given up; ssdqos mirror join {args.name} {args.member} takes it back")
    return 0
