# SPDX-License-Identifier: GPL-2.0
"""The drive of the paper's Table 1: 256 GiB of flash, and how much of that is data.

The paper says nothing of over-provisioning, but that its drive was warmed up with the load, and that a quarter of what
is collected is valid (appendix A).  Its artefact begins to collect with 30 % of the pages free and maps only what the
load touches.  What is never written is over-provisioning: so ours is as large as its data, all of it written at random
for long, and victims have as many valid pages as that leaves.  A page of u of the flash in use leaves v in victims
with u = (v - 1) / ln v (greedy, uniform): for v = 25 % that is 54 % of the flash, data and parity.  Without parity it is
47 %, and v 17 %.
"""

from __future__ import annotations

import dataclasses

from lib.ttflash.rungs import STRIPE_WIDTH, Rung

GIB, MIB = 1 << 30, 1 << 20
PRESET = "ttflash"
RAW_GIB = 256
DATA_PCT = 47
# A plane is a whole number of blocks; the rest is rounding.
MOST_OFF_PCT = 1
# Section 6: "64 MB cap-backed RAM".
BUFFER_KIB = 64 * 1024


def parity_times(rung: Rung) -> float:
    """Data with their parity, of data."""
    return STRIPE_WIDTH / (STRIPE_WIDTH - 1) if rung.rain else 1


@dataclasses.dataclass(frozen=True)
class Flash:
    """@raw_gib of flash with data in @data_pct of it, the same with and without stripes; or with flash besides for parity."""

    raw_gib: int = RAW_GIB
    data_pct: int = DATA_PCT
    parity_besides: bool = False

    def size_bytes(self) -> int:
        return self.raw_gib * GIB * self.data_pct // 100 // MIB * MIB

    def bytes(self, rung: Rung) -> float:
        """Of all the flash there is."""
        return self.raw_gib * GIB * (parity_times(rung) if self.parity_besides else 1)

    def op_permille(self, rung: Rung) -> int:
        """The parameter counts from data and their parity on."""
        return round(1000 * (self.bytes(rung) / (self.size_bytes() * parity_times(rung)) - 1))

    def off_pct(self, rung: Rung, physical_bytes: int) -> float:
        """How far a drive that was made is from this one."""
        return 100 * abs(physical_bytes / self.bytes(rung) - 1)

    def sets(self, rung: Rung) -> dict[str, object]:
        return {"op_permille": self.op_permille(rung), "aged_pct": 100, "buffer_kib": BUFFER_KIB}
