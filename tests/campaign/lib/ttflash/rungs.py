# SPDX-License-Identifier: GPL-2.0
"""The rungs: each is a name, and parameters of the drive.  What a parameter is called is said here only."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from lib.overload.runs import FEEDBACK

# Pages of a stripe, one of them parity: the paper's N.
STRIPE_WIDTH = 8


@dataclasses.dataclass(frozen=True)
class Rung:
    """`sets` are parameters of the drive, all that tell it from other rungs."""

    title: str
    sets: Mapping[str, object]

    @property
    def rain(self) -> bool:
        return self.sets["rain"] == "on"


SINGLE = {"rain": "off"}
STRIPES = {"rain": "on", "rain_width": STRIPE_WIDTH, "rain_reconstruct": "off", "rotate": "off"}
PLANE = {"gc_blocking": "plane"}
GTR = {**PLANE, **STRIPES, "rain_reconstruct": "on"}
RGC = {**GTR, "rotate": "on"}
GTF = {**RGC, "rain_flush": "stripes"}
# Collection that takes no time: the paper's "no GC".
IDEAL = {"gc_ideal": "on"}
# Shares of tasks, from the state of the drive.
SHARES = {**FEEDBACK, "scheduler": "debit", "quiet_ns": 4_000_000}

RUNGS: dict[str, Rung] = {
    "nogc-norain": Rung("no GC, no RAIN", {**SINGLE, **IDEAL}),
    "nogc": Rung("no GC", {**GTF, **IDEAL}),
    "controller": Rung("controller", {**SINGLE, "gc_blocking": "controller"}),
    "channel": Rung("channel", {**SINGLE, "gc_blocking": "channel"}),
    "plane": Rung("plane", {**SINGLE, **PLANE}),
    "preemptive": Rung("preemptive", {**SINGLE, "gc_blocking": "preemptive"}),
    "rain": Rung("plane, RAIN", {**PLANE, **STRIPES}),
    "gtr": Rung("+ GTR", GTR),
    "rgc": Rung("+ RGC", RGC),
    "gtf": Rung("+ GTF", GTF),
    "shares": Rung("+ shares", {**GTF, **SHARES}),
    "forced": Rung("one in a group, always", {**GTF, "rotate": "forced"}),
}

NO_RAIN, NO_GC, BASE, OURS, WITH_SHARES, FORCED = "nogc-norain", "nogc", "channel", "gtf", "shares", "forced"
# Each of these is to be no worse than the one before it.
LADDER = ("controller", "channel", "plane", "gtr", "rgc", "gtf")
# All of the ladder's table, in its order; `rain` and `preemptive` stand beside it.
TABLE = (NO_RAIN, NO_GC, "controller", "channel", "preemptive", "plane", "rain", "gtr", "rgc", "gtf", WITH_SHARES)
# Of these, what happened is counted.
COUNTED = ("gtr", "rgc", "gtf", WITH_SHARES)
