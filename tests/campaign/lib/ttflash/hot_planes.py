# SPDX-License-Identifier: GPL-2.0
"""Traces of somebody who writes the units of some planes only, again and again.

Where stripes put a unit is arithmetic (dm-ssdqos/core/flash/space/stripe.c), so anybody can do that.
"""

from __future__ import annotations

import dataclasses
import gzip
import random
from pathlib import Path

from lib.ttflash.rungs import STRIPE_WIDTH

UNIT_BYTES = 4096
US_PER_S = 1_000_000
HEAD = "time_us,op,offset_bytes,size_bytes"
# Packed well enough, and fast.
LEVEL = 1
NR_DATA = STRIPE_WIDTH - 1


@dataclasses.dataclass(frozen=True)
class HotPlanes:
    """The first plane of the first @groups of @all_groups, in the first @part of the drive."""

    title: str
    groups: int
    all_groups: int
    part: float
    rate_iops: int
    requests: int

    def units(self, drive_units: int) -> list[int]:
        """A stripe whose parity is in the first plane has no data there."""
        stripes = range(int(drive_units * self.part) // NR_DATA)
        return [stripe * NR_DATA for stripe in stripes
                if stripe % self.all_groups < self.groups and stripe // self.all_groups % STRIPE_WIDTH]

    def write(self, place: Path, seed: int, size_bytes: int, requests: int) -> Path:
        """Where it is; made once."""
        path = place / f"planes-{self.groups}-{self.all_groups}-{size_bytes}-{requests}-{seed}.csv.gz"
        if path.exists():
            return path
        place.mkdir(parents=True, exist_ok=True)
        partial, units, draw = path.with_suffix(".new"), self.units(size_bytes // UNIT_BYTES), random.Random(seed)
        with gzip.open(partial, "wt", LEVEL, encoding="ascii") as file:
            print(HEAD, file=file)
            for number in range(requests):
                print(number * US_PER_S // self.rate_iops, "W", draw.choice(units) * UNIT_BYTES, UNIT_BYTES, sep=",", file=file)
        partial.rename(path)
        return path
