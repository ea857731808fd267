# SPDX-License-Identifier: GPL-2.0
"""Mirrors as their status tells them, and in words."""

from __future__ import annotations

from dataclasses import dataclass

from ssdqos.life_view import Row, bytes_text

BLOCK_BYTES = 4096
# As SSDQOS_MIRROR_STATES, SSDQOS_MIRROR_WHYS and SSDQOS_MIRROR_STATS of mirror.h (a test compares).
STATES = ("reading", "syncing", "writing", "idling", "failed", "rebuilding", "both")
FAILED, REBUILDING = "failed", "rebuilding"
# In place of a state, before the metadata were read (print.c).
UNREAD = "unread"
# Of each member, beside its state.
MEMBER_NUMBERS = ("stale_regions", "errors", "block_ns")
NS_PER_S = 10 ** 9
WHYS = {
    "start": "it has begun",
    "time": "the turn was over",
    "full": "the cache was full",
    "failure": "a member has failed",
    "joined": "a member is up to date again",
    "copying": "a member is copied to, so all are written",
    "meta": "its metadata cannot be written",
    "draining": "all is being written, as it is suspended",
}
STATS = (
    Row("reads", "requests", "reads, in parts of one source"),
    Row("cache_reads", "requests", "of them, that the cache served"),
    Row("read_retries", "requests", "reads that failed at a member and went to another one"),
    Row("writes", "blocks", "blocks that were written"),
    Row("merged", "blocks", "of them, that were written again before a member had got them"),
    Row("sent", "requests", "writes to members"),
    Row("sent_blocks", "blocks", "blocks of them"),
    Row("member_flushes", "requests", "flushes to members"),
    Row("flushes", "requests", "flushes that were answered"),
    Row("maps", "requests", "blocks of masks that were written"),
    Row("supers", "requests", "superblocks that were written"),
    Row("switches", "times", "turns that have ended"),
    Row("full_switches", "times", "of them, since the cache was full"),
    Row("waits", "times", "writes that had to wait, for room or for their turn"),
    Row("copied_blocks", "blocks", "blocks that were copied from member to member"),
    Row("scrubs", "times", "comparisons of all members that came to their end"),
    Row("compared_blocks", "blocks", "blocks that were compared"),
    Row("not_compared_blocks", "blocks", "blocks that only one member had then"),
    Row("differing_blocks", "blocks", "blocks that a member had not kept, or could not read"),
    Row("not_mended", "regions", "regions where it could not be mended then"),
    Row("discards", "requests", "discards that were taken"),
    Row("discards_dropped", "requests", "discards that were not done, for want of room"),
    Row("failures", "times", "members that were given up"),
)


@dataclass(frozen=True)
class Mirror:
    """Words of a status."""

    words: dict[str, str]

    def __getitem__(self, key: str) -> int:
        try:
            return int(self.words.get(key, "0"))
        except ValueError:
            return 0

    def members(self) -> range:
        return range(self["members"])

    def state(self, member: int) -> str:
        return self.words.get(f"member{member}", "?")

    def stale(self, member: int) -> int:
        """Regions that have to be copied to it."""
        return self[f"stale_regions{member}"]

    def is_whole(self, member: int) -> bool:
        return self.state(member) not in (FAILED, REBUILDING, UNREAD) and not self.stale(member)

    def why(self) -> str:
        word = self.words.get("why", "?")
        return WHYS.get(word, word)

    def troubles(self) -> list[str]:
        """What is not as it should be, each in a few words."""
        made = []
        if self["broken"]:
            made.append("its last member has failed: writes fail")
        if self["meta_failed"]:
            made.append("its metadata cannot be written, so flushes wait for all members")
        if self.words.get("journal") in ("lost", "absent"):
            made.append("its journal is not used any more, so flushes wait for a member")
        if self.state(0) == UNREAD:
            return [*made, "its metadata are being read, so nobody knows yet which members have all"]
        for member in self.members():
            if self.state(member) == FAILED:
                made.append(f"member {member} has failed")
            elif not self.is_whole(member):
                made.append(f"member {member} is being rebuilt, {self.done_text(member)}")
        if self["lost_regions"]:
            made.append(f"the newest data of {self['lost_regions']:,} regions were on a member that is not here")
        return made

    def is_degraded(self) -> bool:
        return bool(self.troubles())

    def done_text(self, member: int) -> str:
        """Of a member that is copied to."""
        whole = max(self["regions"], 1)
        return f"{100 * (whole - self.stale(member)) / whole:.1f} % done"

    def speed_text(self, member: int) -> str:
        """At which it is written, in the long run."""
        block_ns = self[f"block_ns{member}"]
        return f"{bytes_text(BLOCK_BYTES * NS_PER_S // block_ns)}/s" if block_ns else "-"

    def is_compared(self) -> bool:
        return self.words.get("scrub") == "on"

    def compared_pct(self) -> int:
        return 100 * self["scrub_region"] // max(self["regions"], 1)

    def cache_text(self) -> str:
        used, whole = self["cache_used_blocks"], self["cache_blocks"]
        return f"{bytes_text(used * BLOCK_BYTES)} of {bytes_text(whole * BLOCK_BYTES)}"


def rate(now: Mirror, before: Mirror, key: str, seconds: float) -> float:
    return max(now[key] - before[key], 0) / seconds if seconds > 0 else 0.0


def lines(name: str, now: Mirror, before: Mirror, seconds: float) -> list[str]:
    """For a screen that is watched."""
    roles = ", ".join(f"{member} {now.state(member)}" for member in now.members())
    made = [f"mirror {name}: {roles}; {rate(now, before, 'switches', seconds):.1f} turns/s, {now.why()}",
            f"  cache: {now.cache_text()}; {rate(now, before, 'reads', seconds):,.0f} reads/s, "
            f"{rate(now, before, 'cache_reads', seconds):,.0f} of them from it, "
            f"{bytes_text(rate(now, before, 'writes', seconds) * BLOCK_BYTES)} written a second; "
            f"{now['stale_regions']:,} regions to be copied"]
    if now.is_compared():
        made.append(f"  members are being compared, {now.compared_pct()} % done")
    return made + [f"  {trouble.upper()}" for trouble in now.troubles()]
