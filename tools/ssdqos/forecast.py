# SPDX-License-Identifier: GPL-2.0
"""Say how long a drive will last: its age, its budget, the delay of writes, and the end as it goes.

DEV is a stream, or a drive with streams on it (/dev/nvme0n1, 259:0).  Wear is
counted where a drive has drive_endurance_gb or drive_pe_cycles.

The exit status is 0 if the target is met, 1 if it is not.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ssdqos import life_view, stream_view
from ssdqos.errors import ToolError
from ssdqos.life_view import Life
from ssdqos.lifetime import place, state, summary
from ssdqos.lifetime.place import Place
from ssdqos.lifetime.summary import Subject
from ssdqos.streams.disk_names import DiskNames

EXIT_NOT_MET = 1
SUFFIXES = (".svg", ".png", ".pdf")


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", metavar="DEV")
    parser.add_argument("-o", dest="picture", type=Path, metavar="PICTURE", help="draw it: .svg, .png or .pdf")
    parser.add_argument("--json", action="store_true", help="print all numbers instead")


def directory(device: str) -> Path:
    """Of a stream on the drive that is meant."""
    named = Place(place.SYSFS).node(device)
    if found := stream_view.directories(named.name if named else device, place.SYSFS, place.MAPPER):
        return found[0]
    wanted = DiskNames().in_status(device)
    for path in stream_view.directories(None, place.SYSFS, place.MAPPER):
        if stream_view.status(path).get(stream_view.MARK) in wanted:
            return path
    raise ToolError(f"{device} is no live stream, and there is none on it")


def read(device: str) -> Subject:
    path = directory(device)
    words, status = life_view.words(path), stream_view.status(path)
    drive = status.get(stream_view.MARK, device)
    if not words:
        raise ToolError(f"wear is not counted on drive {drive}: give it drive_endurance_gb or drive_pe_cycles")
    raw = place.read_state(path)
    return Subject(drive, Life(words), state.parse(raw, str(path / place.STATE)) if raw else None,
                   status.get("unmanaged", "0") not in ("0", ""))


def draw(subject: Subject, path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise ToolError(f"{path} does not end in {', '.join(SUFFIXES)}")
    try:
        from ssdqos.lifetime import picture
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ssdqos"):
            raise
        raise ToolError(f"a picture needs the Python package {error.name} (Debian: python3-{error.name})") from error
    picture.write(subject, path)


def main(args: argparse.Namespace) -> int:
    subject = read(args.device)
    if args.picture:
        draw(subject, args.picture)
    if args.json:
        print(json.dumps(summary.as_json(subject), indent=2))
    else:
        print("\n".join(summary.lines(subject)))
    return 0 if subject.life.is_met() else EXIT_NOT_MET
