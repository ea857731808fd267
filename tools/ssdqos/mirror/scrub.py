# SPDX-License-Identifier: GPL-2.0
"""Compare members, and mend from the others what one has lost.

It goes on by itself, at rebuild_mb_s.  --wait shows how far it has come, and exits with 1
if something differed.  What was in the cache meanwhile is left out.
"""

from __future__ import annotations

import argparse
import sys
import time

from ssdqos.errors import ToolError
from ssdqos.mirror import live
from ssdqos.mirror.view import Mirror
from ssdqos.streams.dmsetup import Dmsetup

PAUSE_S = 0.5
# A line is printed so often.
STEP_PCT = 10
EXIT_DIFFERED = 1


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--stop", action="store_true", help="compare no more")
    what.add_argument("--wait", action="store_true", help="until all was compared and mended")


def found(before: Mirror, after: Mirror) -> str:
    """What a comparison has brought, in words."""
    blocks = after["differing_blocks"] - before["differing_blocks"]
    if not blocks:
        return "members have the same"
    left = after["not_mended"] - before["not_mended"]
    mended = f"{left:,} regions could not be mended: compare them once more" if left else "all are mended"
    return f"{blocks:,} blocks differed or could not be read; {mended}"


def follow(dmsetup: Dmsetup, name: str) -> Mirror:
    shown = 0
    while True:
        now = live.read(dmsetup, name).mirror
        if not now.is_compared() and not now["stale_regions"]:
            return now
        done = now.compared_pct() // STEP_PCT * STEP_PCT
        if now.is_compared() and done > shown:
            shown = done
            print(f"{name}: {done} % compared", file=sys.stderr)
        time.sleep(PAUSE_S)


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    before = live.read(dmsetup, args.name).mirror
    if sum(before.is_whole(member) for member in before.members()) < 2 and not args.stop:
        raise ToolError(f"{args.name}: one member only has all, there is nothing to compare it with")
    dmsetup.message(args.name, 0, "scrub", "stop" if args.stop else "start")
    if not args.wait:
        print(f"{args.name}: members are {'not compared any more' if args.stop else 'being compared'}")
        return 0
    after = follow(dmsetup, args.name)
    if after["scrubs"] == before["scrubs"]:
        raise ToolError(f"{args.name}: somebody has stopped the comparison")
    print(f"{args.name}: {found(before, after)}")
    return EXIT_DIFFERED if after["differing_blocks"] != before["differing_blocks"] else 0
