# SPDX-License-Identifier: GPL-2.0
"""Which parameters fit a drive whose discards were measured, and why; nothing here touches a disk."""

from __future__ import annotations

from dataclasses import dataclass

from ssdqos.qos.units import MS_PER_S, NS_PER_MS, bytes_text, ceil_div
from ssdqos.trim.measurement import ASCENDING, RANDOM, Cell, Discards, Measurement
from ssdqos.trim.plan import DEPTHS
from ssdqos.trim_view import BATCH, PASS

KIB = 1 << 10
ONE, MANY = DEPTHS
# A read that comes while a discard is under way may have to wait for it.
MOST_NS = 10 * NS_PER_MS
# So much longer than alone, reads beside discards are still left alone.
HARMLESS_TIMES = 1.5
# A discard that takes no more than two reads of 4 KiB is nothing to be kept from a drive.
CHEAP_TIMES = 2
# Small ones are better not sent at all if they take ten times what writing their data again takes.
WASTE_TIMES = 10
# Several at a time have to bring that much, since reads wait for all of them.
WORTH_TIMES = 2
# A full memory of pieces, sent in half of their age, shall take the drive a tenth of its time.
AGE_PART, AGE_SHARE = 2, 10
LEAST_AGE_MS, MOST_AGE_MS = 30 * MS_PER_S, 600 * MS_PER_S
# Defaults and bounds of config.h (a test compares).
RANGES = 65536
DEFAULT_MAX_KIB, LEAST_MAX_KIB, MOST_KIB = 32768, 4, 4194303
MOST_GRANULE_KIB = 1048576
POLICY, GRANULE, MAX, MIN, DEPTH, AGE = ("drive_trim", "drive_trim_granule_kib", "drive_trim_max_kib",
                                         "drive_trim_min_kib", "drive_trim_depth", "drive_trim_age_ms")


@dataclass(frozen=True)
class Setting:
    """A parameter, and one sentence."""

    key: str
    value: str
    why: str


@dataclass(frozen=True)
class Proposal:
    settings: tuple[Setting, ...]

    def value(self, key: str) -> str:
        return next(one.value for one in self.settings if one.key == key)

    def command(self, name: str) -> str:
        """Where discards pass, nothing else matters."""
        shown = self.settings[:1] if self.value(POLICY) == PASS else self.settings
        return " ".join([f"ssdqos set {name}", *(f"{one.key}={one.value}" for one in shown)])

    def as_json(self) -> dict[str, dict[str, str]]:
        return {one.key: {"value": one.value, "why": one.why} for one in self.settings}


def ms(ns: float) -> str:
    return f"{ns / NS_PER_MS:.3g} ms"


def kib(size: int) -> int:
    return ceil_div(size, KIB)


def slower(found: Measurement, cell: Cell) -> float:
    """How much longer reads take beside these discards than alone, by their p99; 0 if that was not measured."""
    alone, beside = found.reads_beside(None), found.reads_beside(cell)
    return beside.times.p99_ns / alone.times.p99_ns if alone and beside and alone.times.p99_ns else 0.0


def smallest(found: Measurement) -> int:
    return min(one.cell.bytes for one in found.discards if one.times.n)


# ---- one parameter each ----

def policy(found: Measurement) -> Setting:
    small = smallest(found)
    cell = found.find(Cell(small, RANDOM, ONE))
    alone = found.reads_beside(None)
    harm = slower(found, Cell(small, RANDOM, MANY))
    if not cell or not alone or not harm:
        return Setting(POLICY, BATCH, "nothing shows that discards that pass as they come keep nobody")
    took = f"discards of {bytes_text(small)} in random order take {ms(cell.times.p50_ns)}, reads {ms(alone.times.p50_ns)}"
    beside = f"beside them reads take {harm:.1f} times as long (p99)"
    if cell.times.p50_ns <= CHEAP_TIMES * alone.times.p50_ns and harm <= HARMLESS_TIMES:
        return Setting(POLICY, PASS, f"{took}, and {beside}: they keep nobody")
    return Setting(POLICY, BATCH, f"{took}, and {beside}")


def effective(found: Measurement, times: float = 1) -> Discards | None:
    """The smallest that takes the drive no longer than so many times writing as much: it is worth its time."""
    return next((one for one in found.row(ASCENDING, ONE) if one.ns_per_mib() <= times * found.write_ns_per_mib), None)


def granule(found: Measurement) -> Setting:
    row, asked = found.row(ASCENDING, ONE), found.limits.granularity_bytes
    best = effective(found)
    near = best or min(row, key=Discards.ns_per_mib, default=None)
    size = near.cell.bytes if near else smallest(found)
    writing = f"writing takes {ms(found.write_ns_per_mib)} per MiB"
    why = f"the smallest that take no longer than writing as much: {ms(best.ns_per_mib())} per MiB, and {writing}" \
        if best else f"discards of no size take less than writing as much ({writing}): what comes nearest"
    if asked > size:
        size, why = asked, f"the disk asks for {bytes_text(asked)}, though {bytes_text(size)} would do by their time"
    return Setting(GRANULE, str(min(kib(size), MOST_GRANULE_KIB)), why)


def largest(found: Measurement, granule_kib: int) -> Setting:
    short = [one for one in found.row(ASCENDING, ONE) if one.times.p50_ns <= MOST_NS]
    cap = found.limits.most_bytes or MOST_KIB * KIB
    if not short:
        return Setting(MAX, str(max(granule_kib, LEAST_MAX_KIB)),
                       f"even the smallest take more than {ms(MOST_NS)}, for which others wait: a granule")
    best = short[-1]
    took = f"the largest whose median is at most {ms(MOST_NS)}, for which others wait: {ms(best.times.p50_ns)}"
    size = min(best.cell.bytes, cap)
    if size < best.cell.bytes:
        took = f"the disk takes no more at once, and {bytes_text(best.cell.bytes)} take {ms(best.times.p50_ns)}"
    if size // KIB < granule_kib:
        took = f"a granule; smaller ones would be shorter ({bytes_text(size)}: {ms(best.times.p50_ns)}), but ineffective"
    return Setting(MAX, str(min(max(size // KIB, granule_kib, LEAST_MAX_KIB), MOST_KIB)), took)


def least(found: Measurement, granule_kib: int) -> Setting:
    small = smallest(found)
    harm = slower(found, Cell(small, ASCENDING, ONE))
    beside = f"reads take {harm:.1f} times as long (p99) beside those of {bytes_text(small)}"
    if harm <= HARMLESS_TIMES:
        return Setting(MIN, "0", f"small ones may go, too, when they are old: {beside}" if harm else
                       "small ones go, too, when they are old: reads beside them were not measured")
    worth = effective(found, WASTE_TIMES)
    size = min(kib(worth.cell.bytes), granule_kib) if worth else granule_kib
    if worth and worth.cell.bytes == small:
        return Setting(MIN, "0", f"{beside}, but they take less than {WASTE_TIMES} times what writing as much takes")
    return Setting(MIN, str(size), f"{beside}, and smaller ones take more than {WASTE_TIMES} times what writing as "
                                   "much takes: they are left out")


def depth(found: Measurement, max_kib: int) -> Setting:
    """Of the largest size that will be sent and was measured with both."""
    pairs = [(one, many) for one in found.row(ASCENDING, ONE) if one.cell.bytes <= max_kib * KIB
             and (many := found.find(Cell(one.cell.bytes, ASCENDING, MANY)))]
    if not pairs:
        return Setting(DEPTH, str(ONE), "nothing was measured that says more")
    one, many = pairs[-1]
    gain = many.per_s() / one.per_s()
    what = f"{MANY} at a time of {bytes_text(one.cell.bytes)} do {gain:.1f} times as much as one"
    if gain < WORTH_TIMES:
        return Setting(DEPTH, str(ONE), f"{what} (Linux sends those of a test one after the other since 5.15, so the "
                                        "drive may do better)")
    near = [cell.beside for cell in found.reads if cell.beside and cell.beside.order == ASCENDING
            and cell.beside.depth == MANY and cell.beside.bytes <= max_kib * KIB]
    if near:
        at = max(near, key=lambda cell: cell.bytes)
        with_many, with_one = slower(found, at), slower(found, Cell(at.bytes, ASCENDING, ONE))
        if with_one and with_many > HARMLESS_TIMES * with_one:
            return Setting(DEPTH, str(ONE), f"{what}, but reads take {with_many:.1f} times as long (p99) beside them, "
                                            f"and {with_one:.1f} times beside one")
    return Setting(DEPTH, str(MANY), what)


def age(found: Measurement, granule_kib: int) -> Setting:
    """As short as it may be: who waits for space of the drive has it sooner."""
    row = found.row(ASCENDING, ONE)
    piece = next((one for one in row if one.cell.bytes >= granule_kib * KIB), row[-1] if row else None)
    if piece is None:
        return Setting(AGE, str(LEAST_AGE_MS), "the default")
    all_ns = RANGES * piece.times.p50_ns
    wanted = ceil_div(ceil_div(all_ns * AGE_PART * AGE_SHARE, NS_PER_MS), MS_PER_S) * MS_PER_S
    value = min(max(wanted, LEAST_AGE_MS), MOST_AGE_MS)
    share = 100 * all_ns * AGE_PART / (value * NS_PER_MS)
    why = (f"{RANGES:,} pieces of {ms(piece.times.p50_ns)} each, sent in half of that, take {share:.2g} % of the "
           "drive's time")
    if value == MOST_AGE_MS and wanted > value:
        why += "; discards that wait longer help nobody"
    return Setting(AGE, str(value), why)


def propose(found: Measurement) -> Proposal:
    """From what was measured, and from nothing else."""
    size = granule(found)
    most = largest(found, int(size.value))
    return Proposal((policy(found), size, most, least(found, int(size.value)), depth(found, int(most.value)),
                     age(found, int(size.value))))
