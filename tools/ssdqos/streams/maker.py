# SPDX-License-Identifier: GPL-2.0
"""Makes a mapped device with its streams, its profile and its promises."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from ssdqos.errors import ToolError
from ssdqos.qos import profile_file
from ssdqos.qos.promise import RATE_KEYS
from ssdqos.streams import status
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.dmsetup import Dmsetup
from ssdqos.streams.memory import Memory
from ssdqos.streams.segment import DRIVE, Segment

NO_PROFILE = "none"


@dataclass(frozen=True)
class Maker:
    """Whatever fails, no half-made device stays."""

    dmsetup: Dmsetup = field(default_factory=Dmsetup)
    memory: Memory = field(default_factory=Memory)
    names: DiskNames = field(default_factory=DiskNames)

    def make(self, name: str, segments: list[Segment], profile: str, always: bool = True) -> None:
        """A promise needs the profile, and the profile the device: rates come last.

        `always` loads the profile also where the drive has one already.
        """
        words = profile_file.read(Path(profile)).words() if profile else ""
        if self.dmsetup.exists(name):
            raise ToolError(f"there is a device {name} already")
        self.dmsetup.create(name, [self.first_line(segment) for segment in segments])
        try:
            if words:
                self.load(name, words, profile, always)
            for segment in segments:
                rates = rates_of(segment.keys)
                if rates:
                    self.dmsetup.message(name, segment.start, "set", *rates)
        except ToolError:
            self.dmsetup.remove(name)
            raise

    def first_line(self, segment: Segment) -> str:
        """Without a promise; streams on mapped devices of one disk share that disk."""
        keys = {DRIVE: self.names.drive_of(Path(segment.device))} | without_rates(segment.keys)
        return replace(segment, keys={key: value for key, value in keys.items() if value}).line()

    def load(self, name: str, words: str, profile: str, always: bool) -> None:
        for one in status.read(self.dmsetup, name):
            if always or one.words.get("profile", NO_PROFILE) == NO_PROFILE:
                self.dmsetup.message(name, one.start, "profile", words)
                self.memory.keep(one.drive, Path(profile))


def without_rates(keys: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in keys.items() if key not in RATE_KEYS}


def rates_of(keys: dict[str, str]) -> list[str]:
    return [word for key, value in keys.items() if key in RATE_KEYS and value != "0" for word in (key, value)]
