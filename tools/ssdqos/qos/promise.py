# SPDX-License-Identifier: GPL-2.0
"""What a stream is promised."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ssdqos.errors import ToolError
from ssdqos.qos import ranges
from ssdqos.qos.request import OPS, PATTERNS, RequestClass
from ssdqos.qos.units import BYTES_PER_MB, MS_PER_S, NS_PER_MS, PPM, ceil_div, ms_text, percent_text, ppm_text, size_text

NS_PER_S = MS_PER_S * NS_PER_MS
RATE_KEYS = ("min_iops", "min_mb_s", "util_ppm")
WORD_KEYS = ("op", "pattern", "windows")
ALIGNED, SLIDING = "aligned", "sliding"
WINDOWS = (ALIGNED, SLIDING)
# So many sliding windows end in the time of one.
WINDOW_PARTS = {ALIGNED: 1, SLIDING: 8}
DEFAULTS = {"min_iops": "0", "min_mb_s": "0", "util_ppm": "0", "op": "read", "pattern": "rand",
            "block_bytes": "4096", "window_ms": "1000", "confidence_permille": "990", "windows": ALIGNED, "iodepth": "0"}
RATE = re.compile(r"(\d{1,18})(iops|mb/s|ppm)")
DEPTH = re.compile(r"d(\d{1,18})")
RATE_FIELDS = {"iops": "min_iops", "mb/s": "min_mb_s", "ppm": "util_ppm"}


@dataclass(frozen=True)
class Promise:
    """At most one of min_iops, min_mb_s and util_ppm; none of them is no reservation.

    With an `iodepth` of 0 the client has as many requests at a time as the drive gets.  `windows` says which
    are judged; what a promise costs does not depend on it (dm-ssdqos/core/qos/watch.c).
    """

    request: RequestClass = RequestClass("read", "rand")
    block_bytes: int = 4096
    min_iops: int = 0
    min_mb_s: int = 0
    util_ppm: int = 0
    window_ms: int = MS_PER_S
    confidence_permille: int = 990
    iodepth: int = 0
    windows: str = ALIGNED

    def __post_init__(self) -> None:
        if self.windows not in WINDOWS:
            raise ToolError(f"'{self.windows}' is not {' or '.join(WINDOWS)}")
        if sum(bool(rate) for rate in (self.min_iops, self.min_mb_s, self.util_ppm)) > 1:
            raise ToolError(f"a promise has only one of {', '.join(RATE_KEYS)}")

    def is_reservation(self) -> bool:
        return bool(self.min_iops or self.min_mb_s or self.util_ppm)

    def needs_profile(self) -> bool:
        return bool(self.min_iops or self.min_mb_s)

    def utilisation_ppm(self, cost_ns: int) -> int:
        """Rounded up."""
        if self.util_ppm:
            return self.util_ppm
        if self.min_mb_s:
            return ceil_div(self.min_mb_s * BYTES_PER_MB * cost_ns * PPM, self.block_bytes * NS_PER_S)
        return ceil_div(self.min_iops * cost_ns * PPM, NS_PER_S)

    def with_window(self, window_ms: int) -> Promise:
        return replace(self, window_ms=window_ms)

    def keys(self) -> dict[str, str]:
        """As the table line and the message `set` have them."""
        rates = {key: str(getattr(self, key)) for key in RATE_KEYS}
        return rates | {"op": self.request.op, "pattern": self.request.pattern,
                        "block_bytes": str(self.block_bytes), "window_ms": str(self.window_ms),
                        "confidence_permille": str(self.confidence_permille), "windows": self.windows,
                        "iodepth": str(self.iodepth)}

    def said(self) -> dict[str, str]:
        """For a stream that is new: without rates and depths of 0, and without windows unless they slide."""
        return {key: value for key, value in self.keys().items() if value not in ("0", ALIGNED)}

    def __str__(self) -> str:
        rate = (f"{self.min_mb_s} MB/s" if self.min_mb_s else
                f"{self.min_iops} IOPS" if self.min_iops else f"{ppm_text(self.util_ppm)} of the time")
        return (f"{rate} of {self.request} {size_text(self.block_bytes)} over {ms_text(self.window_ms)} "
                f"in {percent_text(self.confidence_permille)} of {'' if self.windows == ALIGNED else 'sliding '}windows"
                + (f", {self.iodepth} at a time" if self.iodepth else ""))


def from_keys(keys: dict[str, str]) -> Promise:
    """From a table line's keys; those that are no part of a promise are passed over."""
    values = DEFAULTS | {key: value for key, value in keys.items() if key in DEFAULTS}
    try:
        numbers = {key: int(values[key]) for key in DEFAULTS if key not in WORD_KEYS}
    except ValueError as error:
        raise ToolError(f"a promise wants whole numbers: {error}") from error
    return Promise(parse_request(values["op"], values["pattern"]), **numbers, windows=values["windows"])


def parse_request(op: str, pattern: str) -> RequestClass:
    request = RequestClass(op, pattern)
    if not request.is_known():
        raise ToolError(f"'{request}' is not {' or '.join(OPS)}, {' or '.join(PATTERNS)}")
    return request


def parse_rate(word: str) -> dict[str, int]:
    """By the field of the promise."""
    match = RATE.fullmatch(word.lower())
    if not match:
        raise ToolError(f"{word!r} is no rate such as 500iops, 20mb/s or 100000ppm")
    field = RATE_FIELDS[match[2]]
    return {field: ranges.RANGES[field].check("its rate", int(match[1]), word)}


def parse(text: str) -> Promise:
    """'write rand 4k 500iops 3s 99% d8 sliding': whatever follows the rate may be left out."""
    words = text.split()
    windows = words.pop() if words and words[-1] in WINDOWS else ALIGNED
    depth = DEPTH.fullmatch(words[-1]) if words else None
    if depth:
        words = words[:-1]
    if len(words) < 4 or len(words) > 6:
        raise ToolError("it is not such as 'write rand 4k 500iops 3s 99%'")
    op, pattern, size, rate, *rest = words
    promise = Promise(parse_request(op, pattern), ranges.parsed("block_bytes", "its size", size), **parse_rate(rate), windows=windows)
    if rest:
        promise = replace(promise, window_ms=ranges.parsed("window_ms", "its window", rest[0]))
    if rest[1:]:
        promise = replace(promise, confidence_permille=ranges.parsed("confidence_permille", "its confidence", rest[1]))
    return replace(promise, iodepth=ranges.RANGES["iodepth"].check("its depth", int(depth[1]), depth[0])) if depth else promise
