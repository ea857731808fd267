# SPDX-License-Identifier: GPL-2.0
"""What a parameter of a promise, or of its drive, may be: as docs/ssdqos-params.rst says, which is made from the module's table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ssdqos.errors import ToolError
from ssdqos.qos.units import ms_text, parse_confidence, parse_ms, parse_size, percent_text, size_text


@dataclass(frozen=True)
class Range:
    """`text` writes a value as people do, so that what is allowed is said in the words that were asked in."""

    least: int
    most: int
    unit: str = ""
    text: Callable[[int], str] = str
    parse: Callable[[str], int] = int

    def __str__(self) -> str:
        return f"{self.text(self.least)} to {self.text(self.most)}{self.unit and ' '}{self.unit}"


# A rate of 0 is no promise, so whoever asks for one asks for 1 or more.
RANGES = {
    "min_iops": Range(1, 100_000_000, "IOPS"),
    "min_mb_s": Range(1, 1_000_000, "MB/s"),
    "util_ppm": Range(1, 1_000_000, "ppm"),
    "block_bytes": Range(512, 16 << 20, text=size_text, parse=parse_size),
    "window_ms": Range(100, 60_000, text=ms_text, parse=parse_ms),
    "confidence_permille": Range(500, 999, text=percent_text, parse=parse_confidence),
    "iodepth": Range(0, 1024, "requests"),
    "drive_queue_depth": Range(1, 1024, "requests"),
    "drive_best_effort_permille": Range(1, 500, "permille"),
}


def checked(name: str, value: int, argument: str, said: str) -> int:
    """`argument` is where `said` comes from, both as people see them."""
    allowed = RANGES[name]
    if not allowed.least <= value <= allowed.most:
        raise ToolError(f"{argument} is from {allowed}, not {said}")
    return value


def parsed(name: str, argument: str, said: str) -> int:
    """A word that has a unit."""
    try:
        value = RANGES[name].parse(said)
    except ToolError as error:
        raise ToolError(f"{argument}: {error}") from error
    return checked(name, value, argument, said)
