# SPDX-License-Identifier: GPL-2.0
"""A report of wear: what is known of a drive, and from where."""

from __future__ import annotations

from dataclasses import dataclass, field

PERMYRIAD_PER_PERCENT = 100
SECTOR_BYTES = 512
# "Percentage used" is a byte, and stays at its largest value.
MOST_PERCENT = 255
# More than any drive writes in a second of its life.
MOST_BYTES_PER_S = 32 * 10**9
# Flash is not written that much more than hosts write (as in the kernel).
MOST_AMPLIFICATION = 100
HOUR_S = 3600
KEYS = ("host_bytes", "used_permyriad", "flash_bytes")


class WearError(Exception):
    """One sentence: why there is no report."""


@dataclass
class Report:
    """Since the drive was made; 0 is unknown.  `sources` by key; `ignored` are sentences."""

    host_bytes: int = 0
    used_permyriad: int = 0
    flash_bytes: int = 0
    power_on_h: int | None = None
    sources: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)

    def take(self, key: str, value: int, source: str) -> None:
        """Zero says nothing: a new drive, or a counter that is none."""
        if value > 0:
            setattr(self, key, value)
            self.sources[key] = source

    def words(self) -> list[str]:
        """Of the message `wear`."""
        return [word for key in KEYS if getattr(self, key) for word in (key, str(getattr(self, key)))]

    def check(self) -> None:
        """Raises WearError for what can't be; the kernel compares with reports before."""
        if not self.words():
            raise WearError("the drive says nothing about its wear that is known for sure")
        if self.used_permyriad > MOST_PERCENT * PERMYRIAD_PER_PERCENT:
            raise WearError(f"the report can't be true: {self.used_permyriad // PERMYRIAD_PER_PERCENT} % used, "
                            f"and {MOST_PERCENT} % is the most that can be said")
        if self.power_on_h is not None:
            most = (self.power_on_h + 1) * HOUR_S * MOST_BYTES_PER_S
            for key in ("host_bytes", "flash_bytes"):
                if getattr(self, key) > most:
                    raise WearError(f"the report can't be true: {key} is {getattr(self, key)} "
                                    f"after {self.power_on_h} hours of power")
        if self.host_bytes and self.flash_bytes > MOST_AMPLIFICATION * self.host_bytes:
            raise WearError("the report can't be true: flash was written more than "
                            f"{MOST_AMPLIFICATION} times what hosts wrote")


def number(value: object) -> int | None:
    """Tools write large counters as numbers, as floats or as text; None if it is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        value = value.replace(",", "").strip()
        return int(value) if value.isdecimal() else None
    if isinstance(value, float):
        return round(value) if 0 <= value < float("inf") else None
    return value if isinstance(value, int) and value >= 0 else None
