# SPDX-License-Identifier: GPL-2.0
"""What a parameter of a promise, or of its drive, may be: as docs/ssdqos-params.rst says, which is made from the module's table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ssdqos.bounds import Range
from ssdqos.errors import ToolError
from ssdqos.qos.units import ms_text, parse_confidence, parse_ms, parse_size, percent_text, size_text


@dataclass(frozen=True)
class Asked(Range[int]):
    """`parse` reads a word that has a unit."""

    parse: Callable[[str], int] = int


# A rate of 0 is no promise, so whoever asks for one asks for 1 or more.
RANGES = {
    "min_iops": Asked(1, 100_000_000, "IOPS"),
    "min_mb_s": Asked(1, 1_000_000, "MB/s"),
    "util_ppm": Asked(1, 1_000_000, "ppm"),
    "block_bytes": Asked(512, 16 << 20, text=size_text, parse=parse_size),
    "window_ms": Asked(100, 60_000, text=ms_text, parse=parse_ms),
    "confidence_permille": Asked(500, 999, text=percent_text, parse=parse_confidence),
    "iodepth": Asked(0, 1024, "requests"),
    "drive_queue_depth": Asked(1, 1024, "requests"),
    "drive_best_effort_permille": Asked(1, 500, "permille"),
}


def parsed(name: str, argument: str, said: str) -> int:
    """A word that has a unit."""
    allowed = RANGES[name]
    try:
        value = allowed.parse(said)
    except ToolError as error:
        raise ToolError(f"{argument}: {error}") from error
    return allowed.check(argument, value, said)
