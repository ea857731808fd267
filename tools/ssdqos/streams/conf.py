# SPDX-License-Identifier: GPL-2.0
"""/etc/ssdqos/NAME.conf: a mapped device that comes back at boot.

    [device]
    profile = /etc/ssdqos/intel.profile

    [segment 1]
    device = /dev/disk/by-id/ata-INTEL_SSDSC2MH250A2-part2
    offset_bytes = 0
    length_bytes = 10737418240
    min_iops = 1000
    window_ms = 3000
"""

from __future__ import annotations

import configparser
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from ssdqos import whole_file
from ssdqos.errors import ToolError
from ssdqos.streams.segment import SECTOR_BYTES, Segment

DIRECTORY = Path("/etc/ssdqos")
SUFFIX = ".conf"
HEADER = "# Written by ssdqos save, read by ssdqos restore.\n"
PLACE = ("device", "offset_bytes", "length_bytes")
WHOLE = "device"
PART = "segment "


@dataclass(frozen=True)
class Conf:
    """`profile` is a path or empty."""

    name: str
    profile: str
    segments: list[Segment]

    def text(self) -> str:
        made = [HEADER, f"[{WHOLE}]"]
        if self.profile:
            made.append(f"profile = {self.profile}")
        for number, segment in enumerate(self.segments, start=1):
            made += ["", f"[{PART}{number}]", f"device = {segment.device}",
                     f"offset_bytes = {segment.offset * SECTOR_BYTES}",
                     f"length_bytes = {segment.length * SECTOR_BYTES}",
                     *(f"{key} = {value}" for key, value in segment.keys.items())]
        return "\n".join(made) + "\n"

    def write(self, directory: Path) -> Path:
        return write(directory, self.name, self.text())


def path_of(directory: Path, name: str) -> Path:
    return directory / f"{name}{SUFFIX}"


def write(directory: Path, name: str, text: str) -> Path:
    """All or nothing."""
    path = path_of(directory, name)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        whole_file.replace(path, text)
    except OSError as error:
        raise ToolError(f"{path} cannot be written: {error.strerror}") from error
    return path


def tell_unsaved(name: str) -> None:
    """What a stream is told is in force until the next boot; its file is another matter."""
    if path_of(DIRECTORY, name).exists():
        print(f"ssdqos: {name}: that holds until the next boot, \"ssdqos save\" makes it last", file=sys.stderr)


def sectors(section: configparser.SectionProxy, key: str) -> int:
    value = int(section[key])
    if value < 0 or value % SECTOR_BYTES:
        raise ValueError(f"{key} {value} is no multiple of {SECTOR_BYTES}")
    return value // SECTOR_BYTES


def parse_segment(section: configparser.SectionProxy) -> Segment:
    keys = {key: value for key, value in section.items() if key not in PLACE}
    return Segment(0, sectors(section, "length_bytes"), section["device"], sectors(section, "offset_bytes"), keys)


def parse(name: str, text: str) -> Conf:
    parser = configparser.ConfigParser(delimiters=("=",), comment_prefixes=("#",), interpolation=None)
    try:
        parser.read_string(text, f"{name}{SUFFIX}")
        segments: list[Segment] = []
        for title in parser.sections():
            if not title.startswith(PART):
                continue
            start = segments[-1].start + segments[-1].length if segments else 0
            segments.append(replace(parse_segment(parser[title]), start=start))
        if not segments:
            raise ValueError(f"there is no [{PART}1]")
        return Conf(name, parser.get(WHOLE, "profile", fallback=""), segments)
    except (configparser.Error, KeyError, ValueError) as error:
        message = " ".join(str(error).split())
        raise ToolError(f"{name}{SUFFIX}: {message}") from error


def text_of(path: Path) -> str:
    """Raises ToolError."""
    try:
        return path.read_text()
    except UnicodeDecodeError as error:
        raise ToolError(f"{path} cannot be read: it is no text (byte {error.start} is none of {error.encoding})") from error
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}") from error


def read(path: Path) -> Conf:
    return parse(path.name.removesuffix(SUFFIX), text_of(path))


def paths(directory: Path) -> list[Path]:
    return sorted(path for path in directory.glob(f"*{SUFFIX}") if not path.name.startswith("."))
