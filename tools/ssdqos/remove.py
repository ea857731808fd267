# SPDX-License-Identifier: GPL-2.0
"""Remove a stream; what is on the disk stays."""

from __future__ import annotations

import argparse

from ssdqos.streams import status
from ssdqos.streams.dmsetup import Dmsetup


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    status.read(dmsetup, args.name)  # no other device is removed by mistake
    dmsetup.remove(args.name)
    return 0
