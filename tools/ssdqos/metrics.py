# SPDX-License-Identifier: GPL-2.0
"""Print all streams', drives' and mirrors' numbers for Prometheus, or write them for node_exporter.

The file of --textfile belongs into node_exporter's directory of its textfile
collector, with a name that ends in .prom; it is replaced at once.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ssdqos import whole_file
from ssdqos.lifetime.place import Place
from ssdqos.mirror import live
from ssdqos.mirror import metrics as mirror_metrics
from ssdqos.streams import life_metrics, prometheus, status, trim_metrics
from ssdqos.streams.dmsetup import Dmsetup

# For a reader that is not root.
MODE = 0o644


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--textfile", type=Path, metavar="PATH", help="write there instead")


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    streams = status.of_promises(status.read_all(dmsetup), Place())
    text = (prometheus.text(streams) + life_metrics.text(streams, Place()) + trim_metrics.text(streams) +
            mirror_metrics.text(live.read_all(dmsetup)))
    if args.textfile:
        whole_file.replace(args.textfile, text, MODE)
    else:
        print(text, end="")
    return 0
