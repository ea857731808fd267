# SPDX-License-Identifier: GPL-2.0
"""Write live streams and mirrors down in /etc/ssdqos: they come back at boot and hot-plug.

The state of their drives' lifetimes goes to /var/lib/ssdqos, for drives that
have no drive_meta; ssdqos-save.timer does that, with --life, each minute.  A
drive whose life was seen before, and has gone since unsaved, is told of, and the
exit status is 1; with --present, what is there is enough.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.lifetime.keeper import Keeper, keep
from ssdqos.mirror import conf as mirror_conf
from ssdqos.mirror import line, live
from ssdqos.streams import conf, segment, status
from ssdqos.streams.alone import alone
from ssdqos.streams.conf import Conf
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import TARGET, Dmsetup
from ssdqos.streams.maker import NO_PROFILE, place, rates_of
from ssdqos.streams.memory import Memory
from ssdqos.streams.segment import DRIVE, META, Segment


EXIT_SOME_FAILED = 1
ROOT = Path("/")


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="default: all")
    parser.add_argument("--life", action="store_true", help="the state of lifetimes only")
    parser.add_argument("--present", action="store_true", help="say nothing of drives that have gone")
    parser.add_argument("--dir", type=Path, default=conf.DIRECTORY, metavar="DIR", help="default /etc/ssdqos")


def before(name: str, directory: Path) -> Conf | None:
    """What was written down last; nothing if that is not there, or broken."""
    try:
        return conf.read(conf.path_of(directory, name))
    except ToolError:
        return None


def written_down(name: str, dmsetup: Dmsetup, memory: Memory, names: DiskNames, last: Conf | None = None) -> Conf:
    """What cannot be known now, the name of a disk that has gone and whence a profile is, stays as it was `last`."""
    lines = dmsetup.table(name)
    if any(line.split()[2] != TARGET for line in lines):
        raise ToolError(f"{name} is not made of streams only: its table has to be kept elsewhere")
    streams = status.read(dmsetup, name)
    profiles = {memory.recall(one.drive) for one in streams if one.words.get("profile", NO_PROFILE) != NO_PROFILE}
    parts = [segment.parse(line) for line in lines]
    profile = next(iter(sorted(profiles - {""})), "") or (last.profile if last and profiles else "")
    if profiles and not profile and any(rates_of(part.keys) for part in parts):
        raise ToolError(f"{name}: the promise needs its drive's profile, and that was not loaded by ssdqos, so its file is not "
                        f"known: ssdqos set {name} --profile FILE tells it")
    known = {place(part): part for part in last.segments} if last else {}
    return Conf(name, profile, [lasting(name, part, known.get(place(part)), names) for part in parts])


def lasting(name: str, part: Segment, last: Segment | None, names: DiskNames) -> Segment:
    """With names that hold at the next boot; a drive's name that is found anew is left out."""
    keys = dict(part.keys)
    if keys.get(DRIVE) == names.drive_of(names.node(part.device)):
        del keys[DRIVE]
    if META in keys:
        meta = keys[META]
        keys[META] = stable(name, meta, names.is_known(meta), last.keys.get(META) if last else None, names)
    is_there = names.is_there(part.device, name)
    return replace(part, device=stable(name, part.device, is_there, last.device if last else None, names), keys=keys)


def stable(name: str, device: str, is_there: bool, last: str | None, names: DiskNames) -> str:
    """Of a disk that has gone the name that it had: its number may be another one's."""
    if is_there:
        return names.stable(device)
    if not last:
        raise ToolError(f"{name}: its disk {device} has gone, and its name is not known: nothing is written down")
    return last


def mounted_late(profile: str) -> bool:
    """Streams are made at boot when the root file system is there, and others may not be yet."""
    return bool(profile) and Path(profile).stat().st_dev != ROOT.stat().st_dev


def will_come_back(made: Conf) -> bool:
    """Not without its profile; where that may be missing only is told, too."""
    try:
        if mounted_late(made.profile):
            print(f"ssdqos: {made.name}: {made.profile} is not on the root file system, so it may not be there when "
                  "streams are made at boot; /etc/ssdqos is a better place", file=sys.stderr)
    except OSError as error:
        print(f"ssdqos: {made.name}: {made.profile} cannot be read ({error.strerror}), so the stream will not come back",
              file=sys.stderr)
        return False
    return True


def write(name: str, is_mirror: bool, directory: Path, dmsetup: Dmsetup) -> bool:
    """Its file; returns whether it will come back."""
    if is_mirror:
        print(mirror_conf.written_down(name, live.read(dmsetup, name).line, directory, DiskNames()).write(directory))
        return True
    made = written_down(name, dmsetup, Memory(), DiskNames(), before(name, directory))
    good = will_come_back(made)
    print(made.write(directory))
    return good


def main(args: argparse.Namespace) -> int:
    dmsetup = Dmsetup()
    mirrors = [] if args.life else dmsetup.names(line.TARGET)
    kept: list[bool] = []
    for name in () if args.life else args.names or sorted([*dmsetup.names(), *mirrors]):
        try:
            kept.append(write(name, name in mirrors, args.dir, dmsetup))
        except ToolError as error:
            if args.names:
                raise
            print(f"ssdqos: {error}", file=sys.stderr)  # the others are no worse for it
            kept.append(False)
    streams = [name for name in args.names if name not in mirrors]
    with alone():
        kept += [] if args.names and not streams else [keep(Keeper(), name) for name in streams or (None,)]
        missed = [] if args.names or args.present else [Keeper().missed()]
    return 0 if all(kept) and not any(missed) else EXIT_SOME_FAILED
