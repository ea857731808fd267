# SPDX-License-Identifier: GPL-2.0
"""Discards that a drive keeps, from its streams' status, and in words; needs nothing beside Python."""

from __future__ import annotations

from dataclasses import dataclass

try:
    from ssdqos.life_view import Row, bytes_text
except ImportError:  # beside top.py, started as a file
    from life_view import Row, bytes_text

# As SSDQOS_TRIM_STATS of trim.h (a test compares names and units); the status has them with this before.
PREFIX = "trim_"
STATS = (
    Row("taken", "requests", "discards that were answered at once, to be sent later"),
    Row("taken_sectors", "sectors", "size of discards that were answered at once"),
    Row("passed", "requests", "discards that went as they came, for want of memory or during a flush"),
    Row("cut_sectors", "sectors", "size of what was written before its discard was sent"),
    Row("sent", "requests", "discards that were sent, of those that were kept"),
    Row("sent_sectors", "sectors", "size of discards that were sent"),
    Row("failed", "requests", "discards that were sent and ended with an error"),
    Row("held", "requests", "writes that waited for a discard under way"),
    Row("small_sectors", "sectors", "size of what was left out, in pieces that stayed too small"),
    Row("lost_sectors", "sectors", "size of what was left out for want of memory, or as the drive did not take it in time"),
)
GAUGES = (
    Row("waiting", "ranges", "pieces that are kept"),
    Row("waiting_sectors", "sectors", "size of the pieces that are kept"),
    Row("under_way", "requests", "discards that the drive has now"),
    Row("oldest_ms", "ms", "for how long the oldest piece has been kept"),
    Row("cost_ns", "ns", "device time that a discard is charged which is sent"),
)
# Status has its keys only once discards were kept.
POLICY, PASS, BATCH = "trim", "pass", "batch"
POLICIES = (PASS, BATCH)
# Whence the cost of a discard is, in the status, too.
COSTS, COSTS_DEFAULT, COSTS_PROFILE = "discard_costs", "default", "profile"
COSTS_WORDS = (COSTS_DEFAULT, COSTS_PROFILE)
SECTOR_BYTES = 512
MS_PER_S = 1000


@dataclass(frozen=True)
class Trim:
    """What a drive keeps; `words` are those of a status of any of its streams."""

    words: dict[str, str]

    def __getitem__(self, name: str) -> int:
        """A gauge or a counter, its name without trim_."""
        try:
            return int(self.words.get(PREFIX + name, "0"))
        except ValueError:
            return 0

    def size(self, name: str) -> int:
        """In bytes, of what counts sectors."""
        return self[f"{name}_sectors"] * SECTOR_BYTES

    @property
    def policy(self) -> str:
        return self.words.get(POLICY, PASS)

    def lacks_costs(self) -> bool:
        """The drive has a profile that says nothing of discards."""
        return self.words.get(COSTS) == COSTS_DEFAULT and self.words.get("profile", "none") != "none"

    def is_kept(self) -> bool:
        return self.policy == BATCH

    def is_empty(self) -> bool:
        return not self["waiting"] and not self["under_way"]

    def mean_sent_bytes(self) -> int:
        return self.size("sent") // self["sent"] if self["sent"] else 0

    def left_out_bytes(self) -> int:
        """Of discards that nobody will ever send."""
        return self.size("small") + self.size("lost")


def oldest_text(trim: Trim) -> str:
    return f"{trim['oldest_ms'] / MS_PER_S:.1f} s" if trim["waiting"] else "-"


def line(trim: Trim) -> str:
    """For a screen that is watched."""
    made = (f"discards: {trim['waiting']:,} pieces with {bytes_text(trim.size('waiting'))} are kept, "
            f"the oldest for {oldest_text(trim)}, {trim['under_way']} under way; {trim['taken']:,} taken, "
            f"{trim['sent']:,} sent of {bytes_text(trim.mean_sent_bytes())} in the mean")
    if trim["passed"]:
        made += f", {trim['passed']:,} PASSED FOR WANT OF MEMORY"
    if trim["failed"]:
        made += f", {trim['failed']:,} FAILED"
    return made
