# SPDX-License-Identifier: GPL-2.0
"""Sizes, times and rates as people write them."""

from __future__ import annotations

import re

from ssdqos.errors import ToolError

MS_PER_S = 1000
NS_PER_MS = 1_000_000
PPM = 1_000_000
PERMILLE = 1000
BYTES_PER_MB = 1_000_000
SIZE_SUFFIXES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
TIME_SUFFIXES = {"ms": 1, "s": MS_PER_S, "m": 60 * MS_PER_S, "h": 3600 * MS_PER_S}
SIZE = re.compile(r"(\d{1,18})([kmgt]?)(?:i?b)?", re.IGNORECASE)
TIME = re.compile(r"(\d{1,18})(?:\.(\d{1,3}))?(ms|s|m|h)")
PERCENT = re.compile(r"(\d{1,2})(?:\.(\d))?%?")


def ceil_div(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


def parse_size(text: str) -> int:
    """4k, 1m, 4096: bytes, in powers of 1024."""
    match = SIZE.fullmatch(text)
    if not match:
        raise ToolError(f"{text!r} is no size such as 4k, 64k or 1m")
    return int(match[1]) * SIZE_SUFFIXES[match[2].lower()]


def size_text(size: int) -> str:
    """The shortest text that parse_size() understands."""
    for suffix in ("t", "g", "m", "k"):
        if size and size % SIZE_SUFFIXES[suffix] == 0:
            return f"{size // SIZE_SUFFIXES[suffix]}{suffix}"
    return str(size)


def parse_ms(text: str) -> int:
    """3s, 500ms, 2.5s: milliseconds."""
    match = TIME.fullmatch(text)
    if not match:
        raise ToolError(f"{text!r} is no time such as 3s or 500ms")
    thousandths = int(match[1]) * 1000 + int((match[2] or "").ljust(3, "0"))
    return thousandths * TIME_SUFFIXES[match[3]] // 1000


def ms_text(ms: int) -> str:
    return f"{ms / MS_PER_S:g} s" if ms >= MS_PER_S else f"{ms} ms"


def duration_text(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


def parse_confidence(text: str) -> int:
    """99, 99.9 or 99%: permille."""
    match = PERCENT.fullmatch(text)
    if not match:
        raise ToolError(f"{text!r} is no confidence in percent such as 99 or 99.9")
    return int(match[1]) * 10 + int(match[2] or 0)


def percent_text(permille: int) -> str:
    return f"{permille / 10:g} %"


def ppm_text(ppm: int) -> str:
    return f"{ppm / 10_000:.2f} %"


def bytes_text(size: int) -> str:
    """For people: 512 MiB; in bytes where that is no short number."""
    for suffix, unit in (("t", "TiB"), ("g", "GiB"), ("m", "MiB"), ("k", "KiB")):
        value = size / SIZE_SUFFIXES[suffix]
        if value >= 1:
            return f"{value:.4g} {unit}"
    return f"{size} bytes" if size else "0"
