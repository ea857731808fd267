# SPDX-License-Identifier: GPL-2.0
"""/etc/ssdqos/NAME.conf of a mirror: it comes back at boot.

    [mirror]
    length_bytes = 256060510208
    meta_device = /dev/disk/by-partuuid/5a0c
    switch_ms = 2000

    [member 0]
    device = /dev/disk/by-id/nvme-A
    offset_bytes = 0
"""

from __future__ import annotations

import configparser
from dataclasses import dataclass, replace
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.mirror.line import Line, Member
from ssdqos.streams import conf
from ssdqos.streams.conf import HEADER, SUFFIX, sectors
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.segment import SECTOR_BYTES

WHOLE, PART = "mirror", "member "
LENGTH, META = "length_bytes", "meta_device"


@dataclass(frozen=True)
class MirrorConf:
    """Devices by names that stay."""

    name: str
    line: Line

    def text(self) -> str:
        made = [HEADER, f"[{WHOLE}]", f"{LENGTH} = {self.line.length * SECTOR_BYTES}", f"{META} = {self.line.meta}",
                *(f"{key} = {value}" for key, value in self.line.keys.items())]
        for number, member in enumerate(self.line.members):
            made += ["", f"[{PART}{number}]", f"device = {member.device}",
                     f"offset_bytes = {member.offset * SECTOR_BYTES}"]
        return "\n".join(made) + "\n"

    def write(self, directory: Path) -> Path:
        return conf.write(directory, self.name, self.text())


def is_mirror(path: Path) -> bool:
    try:
        return any(line.strip() == f"[{WHOLE}]" for line in path.read_text(errors="replace").splitlines())
    except OSError:
        return False


def parse(name: str, text: str) -> MirrorConf:
    parser = configparser.ConfigParser(delimiters=("=",), comment_prefixes=("#",), interpolation=None)
    try:
        parser.read_string(text, f"{name}{SUFFIX}")
        whole = parser[WHOLE]
        titles = [title for title in parser.sections() if title.startswith(PART)]
        if titles != [f"{PART}{number}" for number in range(len(titles))] or not titles:
            raise ValueError(f"members have to be [{PART}0], [{PART}1] and so on")
        members = tuple(Member(parser[title]["device"], sectors(parser[title], "offset_bytes")) for title in titles)
        keys = {key: value for key, value in whole.items() if key not in (LENGTH, META)}
        return MirrorConf(name, Line(sectors(whole, LENGTH), members, whole[META], keys))
    except (configparser.Error, KeyError, ValueError) as error:
        message = " ".join(str(error).split())
        raise ToolError(f"{name}{SUFFIX}: {message}") from error


def read(path: Path) -> MirrorConf:
    return parse(path.name.removesuffix(SUFFIX), conf.text_of(path))


def written_down(name: str, line: Line, directory: Path, names: DiskNames) -> MirrorConf:
    """With names that hold at the next boot; a member that is not here keeps the name that it had."""
    path = conf.path_of(directory, name)
    before = read(path).line.members if is_mirror(path) else ()
    members = []
    for number, member in enumerate(line.members):
        had = before[number].device if number < len(before) else member.device
        members.append(replace(member, device=names.stable(member.device) if member.is_here() else had))
    lasting = line.lasting()
    if journal := line.journal():
        lasting = lasting.with_journal(names.stable(journal))
    return MirrorConf(name, replace(lasting, members=tuple(members), meta=names.stable(line.meta)))
