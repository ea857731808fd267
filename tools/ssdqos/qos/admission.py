# SPDX-License-Identifier: GPL-2.0
"""Does a promise fit?  The kernel's rule, in the same integers."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ssdqos.errors import ToolError
from ssdqos.qos import cost
from ssdqos.qos.cost import NoCost, Terms
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.promise import NS_PER_S, Promise
from ssdqos.qos.units import PERMILLE, PPM, ceil_div

PERCENT = 100


@dataclass(frozen=True)
class DriveSettings:
    """The drive_ keys that admission looks at."""

    queue_depth: int = 32
    best_effort_permille: int = 10

    def limit_ppm(self) -> int:
        return PPM - self.best_effort_permille * PERMILLE


@dataclass(frozen=True)
class Share:
    """The device time of one promise."""

    util_ppm: int
    is_write: bool


@dataclass(frozen=True)
class Answer:
    """Field for field what the message `admit` answers; `used_ppm` is with the new one."""

    fits: int
    util_ppm: int
    used_ppm: int
    free_ppm: int
    mix_factor_permille: int
    cost_ns: int
    fit_iops: int
    fit_window_ms: int


def mix_factor(mix: dict[int, int], write_time_pct: int) -> int:
    """Linear between two rows, the outermost row's value beyond."""
    if not mix:
        return PERMILLE
    rows = sorted(mix.items())
    if write_time_pct <= rows[0][0]:
        return rows[0][1]
    for (low, low_factor), (high, high_factor) in zip(rows, rows[1:]):
        if write_time_pct <= high:
            return low_factor + (high_factor - low_factor) * (write_time_pct - low) // (high - low)
    return rows[-1][1]


def used(profile: Profile | None, shares: list[Share]) -> tuple[int, int]:
    """Device time of all of them in ppm, and the factor of the mix."""
    whole = sum(share.util_ppm for share in shares)
    writes = sum(share.util_ppm for share in shares if share.is_write)
    factor = mix_factor(profile.mix if profile else {}, PERCENT * writes // whole if whole else 0)
    return ceil_div(whole * factor, PERMILLE), factor


def cost_ns(profile: Profile | None, promise: Promise, settings: DriveSettings) -> int:
    """0 where the promise is of device time and nothing is known of its requests."""
    if profile is None:
        if promise.needs_profile():
            raise ToolError("a promise of IOPS or MB/s needs the drive's profile")
        return 0
    try:
        return cost.lookup(profile, promise.request, promise.block_bytes,
                           Terms(promise.window_ms, promise.confidence_permille, settings.queue_depth))
    except NoCost:
        if promise.needs_profile():
            raise
        return 0


def share(profile: Profile | None, promise: Promise, settings: DriveSettings) -> Share:
    return Share(promise.utilisation_ppm(cost_ns(profile, promise, settings)),
                 promise.request.op == "write")


def greatest_util(profile: Profile | None, others: list[Share], is_write: bool, limit: int) -> int:
    """The most device time that can be promised beside the others."""
    low, high = 0, PPM
    while low < high:
        middle = (low + high + 1) // 2
        if used(profile, [*others, Share(middle, is_write)])[0] <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def fitting_window(profile: Profile, others: list[Share], promise: Promise,
                   settings: DriveSettings) -> int:
    """The shortest measured window at which the promise fits; 0 is none."""
    for window_ms in profile.windows_ms:
        try:
            wanted = share(profile, promise.with_window(window_ms), settings)
        except NoCost:
            continue
        if used(profile, [*others, wanted])[0] <= settings.limit_ppm():
            return window_ms
    return 0


def admit(profile: Profile | None, others: list[Promise], promise: Promise,
          settings: DriveSettings) -> Answer:
    """Raises NoCost where the profile promises nothing for this class and window."""
    known = [share(profile, other, settings) for other in others if other.is_reservation()]
    ns = cost_ns(profile, promise, settings)
    wanted = share(profile, promise, settings)
    total, factor = used(profile, [*known, wanted])
    limit = settings.limit_ppm()
    room = greatest_util(profile, known, wanted.is_write, limit)
    return Answer(int(total <= limit), wanted.util_ppm, total, max(limit - total, 0), factor, ns,
                  room * NS_PER_S // (PPM * ns) if ns else 0,
                  fitting_window(profile, known, promise, settings) if profile and promise.needs_profile() else 0)


def parse_answer(reply: str) -> Answer:
    """From the kernel's reply; words that are not known are passed over."""
    words = dict(word.split("=", 1) for word in reply.split() if "=" in word)
    try:
        return Answer(**{field.name: int(words.get(field.name, 0)) for field in fields(Answer)})
    except ValueError as error:
        raise ToolError(f"the kernel's answer is not understood: {reply.strip()}") from error
