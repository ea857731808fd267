# SPDX-License-Identifier: GPL-2.0
"""Scenarios, drawn: the same seed and number give the same scenario."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence

from lib.promise import drives, neighbours
from lib.promise.drives import Drive
from ssdqos.qos import admission
from ssdqos.qos.admission import DriveSettings
from ssdqos.qos.cost import NoCost
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.promise import SLIDING, Promise
from ssdqos.qos.request import RequestClass
from ssdqos.qos.units import MS_PER_S, PPM

KIB = 1024
SHARES_PCT = (10, 90)
WINDOWS_MS = (500, 1000, 2000, 3000, 5000, 10000)
CONFIDENCES = (900, 950, 990)
# Beyond that many requests at a time, a client is bound by the drive and not by its latency.
SHALLOW = 4
DEPTHS = (1, 2, 4, 8, 16, 32, 32, 64, 128)
SIZES = (4 * KIB, 4 * KIB, 16 * KIB, 64 * KIB)
OWNERS = (1, 1, 1, 1, 2, 2, 3, 4, 8)
READ_PCT = 75
FULL_PCTS = (100, 100, 100, 50)
BURST_ONE_IN = 4
SLIDING_ONE_IN = 4
IN_ORDER, IN_ORDER_ONE_IN = "seq", 2
DRIVE_SEEDS = (1, 1 << 32)
WARM_UP_S = 5
NS_PER_S = 1_000_000_000
SETTINGS = DriveSettings()


@dataclasses.dataclass(frozen=True)
class Owner:
    """A client and what it was promised; it has requests for `on_ms` of each `every_ms`, or always; no more than `rate_iops`,
    and than `rest_iops` in the rest of the time."""

    promise: Promise
    depth: int
    on_ms: int = 0
    every_ms: int = 0
    rate_iops: int = 0
    rest_iops: int = 0

    def with_promise(self, **changes: object) -> Owner:
        return dataclasses.replace(self, promise=dataclasses.replace(self.promise, **changes))

    def load(self, seed: int) -> str:
        request = self.promise.request
        kind = request.op if request.pattern == IN_ORDER else f"rand{request.op}"
        times = f" runtime={self.on_ms}ms every={self.every_ms}ms" if self.on_ms else ""
        rate = f" rate_iops={self.rate_iops}" if self.rate_iops else ""
        rest = f" rest_iops={self.rest_iops}" if self.rest_iops else ""
        return f"{kind} bs={self.promise.block_bytes} iodepth={self.depth} seed={seed}{rate}{times}{rest}"


@dataclasses.dataclass(frozen=True)
class Scenario:
    """All that a run needs; `streams` are neighbours that are of no kind."""

    number: int
    drive: Drive
    share_pct: int
    owners: tuple[Owner, ...]
    neighbour: str
    runtime_s: int
    streams: tuple[neighbours.Stream, ...] = ()

    @property
    def owners_begin_s(self) -> int:
        """Behind a burst, if there is one; neighbours don't wait for that."""
        return neighbours.BURST_S if self.drive.burst else 0

    def beside(self) -> Sequence[neighbours.Stream]:
        return self.streams or neighbours.KINDS[self.neighbour]

    @property
    def beside_words(self) -> list[str]:
        """As pages list them."""
        return [" ".join(words).rstrip() for words in self.beside()]

    def with_streams(self, streams: tuple[neighbours.Stream, ...], how: str) -> Scenario:
        """Neighbours that are of no kind are named by how many they are, and how they came."""
        return dataclasses.replace(self, streams=streams, neighbour=f"{len(streams)} {how}")

    @property
    def name(self) -> str:
        one = self.owners[0]
        who = f"{len(self.owners)} owners" if len(self.owners) > 1 else \
            f"{one.promise.request.op}s of {one.promise.block_bytes // KIB} KiB, depth {one.depth}, " \
            f"{one.promise.window_ms / 1000:g} s"
        return f"{self.number}: {self.drive.name}; {self.share_pct} % for {who}; {self.neighbour}"


def is_some(rate: int, promise: Promise) -> bool:
    """Less than a request in a window is no promise."""
    return rate * promise.window_ms >= MS_PER_S


def depth_group(depth: int) -> str:
    return f"depth to {SHALLOW}" if depth <= SHALLOW else f"depth beyond {SHALLOW}"


def with_share(profile: Profile, promise: Promise, share_pct: float) -> Owner | None:
    """Who asks for so much of what can be reserved, at the depth that is promised; None where the profile promises nothing."""
    try:
        cost_ns = admission.cost_ns(profile, promise, SETTINGS)
    except NoCost:
        return None
    rate = int(share_pct * SETTINGS.limit_ppm() / 100 / PPM * NS_PER_S / cost_ns)
    return Owner(dataclasses.replace(promise, min_iops=rate), promise.iodepth) if is_some(rate, promise) else None


def asked(dice: random.Random, profile: Profile, share_pct: float) -> Owner | None:
    """None where the profile promises nothing to this class in this window."""
    op = "read" if dice.randrange(100) < READ_PCT else "write"
    promise = Promise(RequestClass(op, "rand"), dice.choice(SIZES), 1, window_ms=dice.choice(WINDOWS_MS),
                      confidence_permille=dice.choice(CONFIDENCES))
    depth = dice.choice(DEPTHS)
    return with_share(profile, dataclasses.replace(promise, iodepth=depth), share_pct)


def accepted(profile: Profile, wanted: list[Owner]) -> tuple[Owner, ...]:
    """Those that fit, one after the other; who is refused asks for what would fit."""
    got: list[Owner] = []
    for owner in wanted:
        others = [one.promise for one in got]
        answer = admission.admit(profile, others, owner.promise, SETTINGS)
        if not answer.fits:
            owner = owner.with_promise(min_iops=answer.fit_iops)
        if is_some(owner.promise.min_iops, owner.promise):
            got.append(owner)
    return tuple(got)


def runtime_s(owners: tuple[Owner, ...], windows: int, most_s: int) -> int:
    longest_ms = max((owner.promise.window_ms for owner in owners), default=1000)
    return WARM_UP_S + min(max(windows * longest_ms // 1000, 20), most_s)


def any_drive(dice: random.Random) -> Drive:
    return Drive(dice.choice(drives.PRESETS), dice.choice(drives.SCHEDULERS), dice.choice(FULL_PCTS))


def is_after_burst(seed: int, number: int) -> bool:
    """By a dice of its own: whatever else is drawn does not depend on it."""
    return not random.Random(f"promise burst {seed} {number}").randrange(BURST_ONE_IN)


def drive_seed(seed: int, number: int) -> int:
    """Likewise: scenarios on one drive would all meet its collection at the same moment."""
    return random.Random(f"promise drive state {seed} {number}").randrange(*DRIVE_SEEDS)


def is_sliding(seed: int, number: int, at: int) -> bool:
    """Likewise, of each owner."""
    return not random.Random(f"promise windows {seed} {number} {at}").randrange(SLIDING_ONE_IN)


def with_windows(owner: Owner, sliding: bool) -> Owner:
    return owner.with_promise(windows=SLIDING) if sliding else owner


def is_in_order(seed: int, number: int, at: int) -> bool:
    """Likewise."""
    return not random.Random(f"promise order {seed} {number} {at}").randrange(IN_ORDER_ONE_IN)


def in_order(owner: Owner, does: bool) -> Owner:
    """Its requests follow one after the other, instead of anywhere."""
    return owner.with_promise(request=RequestClass(owner.promise.request.op, IN_ORDER)) if does else owner


def as_drawn(drive: Drive) -> Drive:
    return drive


def scenario(seed: int, number: int, profile_of, windows: int, most_s: int,
             instead: Callable[[Drive], Drive] = as_drawn, some_in_order: bool = False) -> Scenario:
    """`instead` of the drive that was drawn another one can stand, and some owners' requests may be in order; the rest is drawn
    alike."""
    dice = random.Random(f"promise {seed} {number}")
    drive = instead(dataclasses.replace(any_drive(dice), burst=is_after_burst(seed, number),
                                        seed=drive_seed(seed, number)))
    share = dice.randint(*SHARES_PCT)
    count = dice.choice(OWNERS)
    profile = profile_of(drive)
    wanted = [owner for _ in range(count) if (owner := asked(dice, profile, share / count))]
    wanted = [in_order(owner, some_in_order and is_in_order(seed, number, at)) for at, owner in enumerate(wanted)]
    owners = tuple(with_windows(owner, is_sliding(seed, number, at))
                   for at, owner in enumerate(accepted(profile, wanted)))
    kind = dice.choice(list(neighbours.KINDS))
    return Scenario(number, drive, share, owners, kind, runtime_s(owners, windows, most_s))
