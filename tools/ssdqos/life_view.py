# SPDX-License-Identifier: GPL-2.0
"""A drive's lifetime as sysfs tells it, and in words; needs nothing beside Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """A number that the kernel shows; `unit` is empty where it has none."""

    name: str
    unit: str
    help: str


# As SSDQOS_READY_GAUGES and SSDQOS_READY_STATS of ready.h (a test compares).
GAUGES = (
    Row("life_age_s", "s", "age of the drive, in life time"),
    Row("life_target_s", "s", "how old it shall become"),
    Row("life_endurance_bytes", "bytes", "endurance without recovery of its cells"),
    Row("life_effective_bytes", "bytes", "endurance, recovered cells counted in"),
    Row("life_used_bytes", "bytes", "of it used"),
    Row("life_left_bytes", "bytes", "of it left"),
    Row("life_host_bytes", "bytes", "written by its clients here"),
    Row("life_meta_bytes", "bytes", "written to its metadata device"),
    Row("life_waf_permille", "permille", "write amplification, estimated"),
    Row("life_source_age_s", "s", "since the last report of wear; -1 if none is to be trusted"),
    Row("life_idle_s", "s", "how long flash blocks rest before they are programmed again"),
    Row("life_vth_uv", "uV", "by which wear has raised the cells' threshold voltage"),
    Row("life_epoch_s", "s", "length of an epoch"),
    Row("life_epoch_bytes", "bytes", "that may be written in this epoch"),
    Row("life_epoch_used_bytes", "bytes", "that were written in it"),
    Row("life_epoch_expected_bytes", "bytes", "that were expected"),
    Row("life_spare_bytes", "bytes", "that may be borrowed from later epochs"),
    Row("life_plan_bytes", "bytes", "horizon: that should be used by now"),
    Row("life_max_wait_ns", "ns", "longest wait for its delay that a write may have now"),
    Row("life_floor_kb_s", "KB/s", "rate that is left to writes whatever happens"),
    Row("life_expected_well_permille", "permille", "of the epochs: expected within 25 %"),
    Row("life_delay_ns", "ns", "delay of a page of 4 KiB now"),
    Row("life_delay_why", "", "number of the reason for that"),
    Row("life_stopped", "requests", "writes that wait for the budget"),
    Row("life_late", "requests", "writes whose delay goes on"),
    Row("life_forecast_s", "s", "age when worn out, throttled until the target; -1 is never"),
    Row("life_forecast_unthrottled_s", "s", "likewise, if throttling ended now"),
)
STATS = (
    Row("delayed", "requests", "writes delayed for the lifetime"),
    Row("delay_ns", "ns", "of delay in all"),
    Row("stopped", "requests", "writes that waited for the budget"),
    Row("stop_ns", "ns", "that they waited in all"),
)
# What the reasons of life_delay_why mean to somebody who has not read the kernel's source.
WHYS = {
    "off": "nothing is throttled",
    "first_epoch": "it is too early to expect anything",
    "within_budget": "no delay is needed",
    "over_budget": "more was written than the budget allows",
    "under_budget": "it was lowered, less was written than the budget allows",
    "fixed_rate": "writes stop at a fixed rate",
    "budget_spent": "the budget is used up",
    "target_reached": "it is older than promised, there is no limit any more",
    "ahead_of_plan": "less was written than planned so far, no delay is needed",
    "sparing": "more was written than planned so far",
    "overdrawn": "far more was written than planned so far",
}
NEVER = -1
WHY = "life_delay_why"
STATS_DIRECTORY = "stats"
PARAMETERS = ("drive_throttle", "drive_floor_kb_s", "drive_time_scale")
NO_POLICY, NOTHING_KNOWN = "none", "-"
# The terms of a lifetime, and the policy that has a bound by itself: as long as
# drive_floor_kb_s is 0, a part of what the endurance allows in the mean.
TERMS = ("drive_throttle", "drive_endurance_gb", "drive_lifetime_h", "drive_floor_kb_s", "drive_max_delay_ms")
HORIZON, FLOOR_PART = "horizon", 4
KB_PER_GB, BYTES_PER_GB, BYTES_PER_KB = 10**6, 10**9, 10**3
# Epochs enforce the budget with these, however wrong the forecast is.
ENFORCING = ("static", "dynamic", "ready_pes", "ready_opt", "horizon")

NS_PER_US, NS_PER_MS, NS_PER_S = 1000, 1_000_000, 1_000_000_000
MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86400
YEAR_S = 365 * DAY_S
PERCENT, PERMILLE = 100, 1000
# Reports come hourly; one may be missed.
SOURCE_STALE_S = 2 * HOUR_S + 10 * MINUTE_S
SPANS = (("y", YEAR_S), ("d", DAY_S), ("h", HOUR_S), ("min", MINUTE_S), ("s", 1))
BYTE_UNITS = (("PB", 10**15), ("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("KB", 10**3), ("bytes", 1))
# Fewer digits before the point than that: one is shown behind it.
SHORT = 100


def text_of(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def words(path: Path) -> dict[str, str]:
    """Of a stream's directory: its drive's gauges and parameters; empty if wear is not counted."""
    made = {row.name: text_of(path / row.name) for row in GAUGES}
    if not made["life_endurance_bytes"].isdecimal() or not int(made["life_endurance_bytes"]):
        return {}
    made |= {name: text_of(path / "params" / name) for name in PARAMETERS}
    return {name: text for name, text in made.items() if text}


def stats(path: Path) -> dict[str, str]:
    """Of a stream's directory: what its own writes waited for the lifetime."""
    made = {row.name: text_of(path / STATS_DIRECTORY / row.name) for row in STATS}
    return {name: text for name, text in made.items() if text}


def terms(path: Path) -> str:
    """Of a stream's directory: how its drive's writes are slowed down; empty if wear is not counted."""
    values = {name: text_of(path / "params" / name) for name in TERMS}
    endurance_gb, lifetime_h, floor, most_ms = (int(values[name] or 0) for name in TERMS[1:])
    if not endurance_gb or not lifetime_h:
        return ""
    mean_kb_s = endurance_gb * KB_PER_GB // (lifetime_h * HOUR_S)
    made = (f"{bytes_text(endurance_gb * BYTES_PER_GB)} in {span_text(lifetime_h * HOUR_S)} are "
            f"{bytes_text(mean_kb_s * BYTES_PER_KB)}/s in the mean; ")
    least = floor or mean_kb_s // FLOOR_PART
    if values["drive_throttle"] in (NO_POLICY, ""):
        return made + "nothing is throttled: drive_throttle=horizon makes it last"
    if values["drive_throttle"] == HORIZON or floor:
        made += f"writes are never slower than {bytes_text(least * BYTES_PER_KB)}/s"
        return made + (f", and wait at most {most_ms} ms while less is spent than planned"
                       if values["drive_throttle"] == HORIZON and most_ms else "")
    return made + (f"{values['drive_throttle']} has no floor, so that writes may wait long: drive_throttle=horizon, "
                   f"or drive_floor_kb_s={least}")


def tell_terms(path: Path | None, keys: dict[str, str]) -> None:
    """For people who have just set one of them."""
    if path is not None and any(name in keys for name in TERMS) and (told := terms(path)):
        print(f"lifetime: {told}")


def span_text(seconds: float) -> str:
    """In the two largest units that there are: 5 y 22 d."""
    left = round(seconds)
    for number, (unit, size) in enumerate(SPANS):
        if left < size:
            continue
        made = f"{left // size} {unit}"
        if number + 1 < len(SPANS):
            below, below_size = SPANS[number + 1]
            if rest := left % size // below_size:
                made += f" {rest} {below}"
        return made
    return "0 s"


def bytes_text(value: float) -> str:
    unit, size = next(((unit, size) for unit, size in BYTE_UNITS if value >= size), BYTE_UNITS[-1])
    amount = value / size
    return f"{amount:.1f} {unit}" if amount < SHORT and size > 1 else f"{amount:,.0f} {unit}"


def delay_text(delay_ns: int) -> str:
    for unit, size in (("s", NS_PER_S), ("ms", NS_PER_MS), ("us", NS_PER_US)):
        if delay_ns >= size:
            return f"{delay_ns / size:.3g} {unit}"
    return f"{delay_ns} ns"


@dataclass(frozen=True)
class Life:
    """A drive of which wear is counted; `words` are those of words() above."""

    words: dict[str, str]

    def __getitem__(self, name: str) -> int:
        """A gauge, its name without life_."""
        try:
            return int(self.words.get(f"life_{name}", "0"))
        except ValueError:
            return 0

    @property
    def why(self) -> str:
        return self.words.get(WHY, "off")

    @property
    def policy(self) -> str:
        return self.words.get("drive_throttle", NO_POLICY)

    @property
    def time_scale(self) -> int:
        return int(self.words.get("drive_time_scale", "1"))

    @property
    def floor_kb_s(self) -> int:
        return int(self.words.get("drive_floor_kb_s", "0"))

    def used_part(self) -> float:
        """Of the endurance."""
        return self["used_bytes"] / self["effective_bytes"] if self["effective_bytes"] else 1.0

    def age_part(self) -> float:
        """Of the target."""
        return self["age_s"] / self["target_s"] if self["target_s"] else 1.0

    def is_reached(self) -> bool:
        return self["age_s"] >= self["target_s"]

    def is_spent(self) -> bool:
        return self["left_bytes"] <= 0

    def is_enforced(self) -> bool:
        """Nothing is written beyond the budget, whatever was expected."""
        return self.policy in ENFORCING and not self.floor_kb_s

    def is_enough(self) -> bool:
        """At the pace of the last week."""
        return self["forecast_s"] == NEVER or self["forecast_s"] >= self["target_s"]

    def end_s(self) -> int:
        """Age at which it is worn out, with all that is in force, or NEVER; the only answer that anybody tells."""
        end = self["forecast_s"]
        if self.is_spent():
            return min(self["age_s"], end) if end != NEVER else self["age_s"]
        return max(end, self["target_s"]) if self.is_enforced() and end != NEVER else end

    def is_held(self) -> bool:
        """Whether it lasts only because nothing is written beyond the budget: at the pace of late it would not."""
        return self.is_enforced() and not self.is_enough() and not self.is_spent()

    def is_met(self) -> bool:
        """Whether it will have lasted until the target."""
        return self.is_reached() or self.end_s() == NEVER or self.end_s() >= self["target_s"]


def at_text(seconds: int) -> str:
    return "never" if seconds == NEVER else f"at {span_text(seconds)}"


def end_text(life: Life) -> str:
    if life.is_held():
        return f"worn out not before {span_text(life.end_s())}"
    return f"worn out {at_text(life.end_s())}"


def line(life: Life) -> str:
    """For a screen that is watched."""
    made = (f"lifetime: {life.used_part() * PERCENT:.1f} % of {bytes_text(life['effective_bytes'])} used at "
            f"{life.age_part() * PERCENT:.1f} % of {span_text(life['target_s'])}, {life.policy}, "
            f"delay {delay_text(life['delay_ns'])} ({life.why}), "
            f"{end_text(life)}")
    if life["forecast_unthrottled_s"] != life.end_s():
        made += f" ({at_text(life['forecast_unthrottled_s'])} without throttling)"
    if life["stopped"]:
        made += f", {life['stopped']} writes wait for the budget"
    if not life.is_met():
        made += ", IT WILL NOT LAST"
    return made
