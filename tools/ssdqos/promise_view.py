# SPDX-License-Identifier: GPL-2.0
"""What a stream was promised, and whether that was kept, in words; needs nothing beside Python.

A promise is kept if at least the part of its windows was met that its
confidence says.  Windows in which the client asked for less (idle) do not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

try:
    from ssdqos.life_view import text_of
except ImportError:  # beside top.py, started as a file
    from life_view import text_of

# Parameters of a stream, all in sysfs; here with this before, as the status counts `windows`.
PREFIX = "promise_"
WINDOW, CONFIDENCE, WINDOWS = PARAMETERS = ("window_ms", "confidence_permille", "windows")
LEAST, VERDICT = f"{PREFIX}least_windows", "verdict"
SLIDING = "sliding"
# As SSDQOS_WATCH_PARTS of watch.h (a test compares): one bad moment is in so many windows that slide.
SLIDING_PARTS = 8
KEPT, BROKEN, UNSURE = VERDICTS = ("kept", "broken", "too_few_windows")
PERMILLE, PERMILLE_PER_PERCENT, MS_PER_S = 1000, 10, 1000


@dataclass(frozen=True)
class Promise:
    """Its terms, and how many windows were met and missed since counters began."""

    window_ms: int
    confidence_permille: int
    is_sliding: bool
    met: int
    missed: int

    def judged(self) -> int:
        return self.met + self.missed

    def miss_permille(self) -> int:
        return PERMILLE - self.confidence_permille

    def may_miss(self) -> int:
        """Of those that were judged."""
        return self.judged() * self.miss_permille() // PERMILLE

    def least(self) -> int:
        """With fewer windows than these not one bad moment is allowed, so that they say nothing yet."""
        return -(-(SLIDING_PARTS if self.is_sliding else 1) * PERMILLE // self.miss_permille())

    def verdict(self) -> str:
        """Who has missed more than the least number of windows may is not waited for."""
        if self.missed * PERMILLE > max(self.judged(), self.least()) * self.miss_permille():
            return BROKEN
        return KEPT if self.judged() >= self.least() else UNSURE


def number(words: Mapping[str, str], key: str) -> int:
    """0 where it is none."""
    text = words.get(key, "")
    return int(text) if text.isdecimal() else 0


def of(words: Mapping[str, str]) -> Promise | None:
    """From a stream's status and its parameters; None without a promise, or if its terms are not known."""
    window_ms, confidence = (number(words, PREFIX + name) for name in (WINDOW, CONFIDENCE))
    windows = words.get(PREFIX + WINDOWS)
    if not number(words, "util_ppm") or not window_ms or not 0 < confidence < PERMILLE or not windows:
        return None
    return Promise(window_ms, confidence, windows == SLIDING, number(words, "windows_met"),
                   number(words, "windows_missed"))


def words(path: Path, status: Mapping[str, str]) -> dict[str, str]:
    """Of a stream's directory and what its status says: terms and verdict; empty without a promise."""
    terms = {PREFIX + name: text_of(path / "params" / name) for name in PARAMETERS}
    promise = of({**status, **terms})
    return {**terms, LEAST: str(promise.least()), VERDICT: promise.verdict()} if promise else {}


def were(count: int, judged: str = "") -> str:
    return f"{count:,}{judged} {'was' if count == 1 else 'were'} missed"


def line(promise: Promise) -> str:
    """For a screen that is watched."""
    made = (f"promised in {promise.confidence_permille / PERMILLE_PER_PERCENT:g} % of "
            f"{f'{SLIDING} ' if promise.is_sliding else ''}windows of {promise.window_ms / MS_PER_S:g} s: ")
    verdict = promise.verdict()
    if verdict == UNSURE:
        return f"{made}too few yet to say, {promise.judged():,} of {promise.least():,}, {were(promise.missed)}"
    return (f"{made}{BROKEN.upper() if verdict == BROKEN else verdict}, "
            f"{were(promise.missed, f' of {promise.judged():,}')}, {promise.may_miss():,} may be")
