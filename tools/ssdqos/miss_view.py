# SPDX-License-Identifier: GPL-2.0
"""Why windows were missed, and what to do about it; needs nothing beside Python."""

from __future__ import annotations

from collections.abc import Mapping

# SSDQOS_MISS_WHYS of miss.h (a test compares), and a word to who looks after the drive.
ADVICE = {
    "errors": "requests fail: see the kernel's log",
    "paused": "its client pauses: nothing to do",
    "limit": "its own maximum is below its promise: raise max_iops or max_mb_s",
    "overcommitted": "more is promised than there is: take a promise back",
    "urgent": "flushes, metadata and swap take the time: lower drive_urgent_us",
    "drive": "the drive is slower than its profile: limit who writes (max_mb_s), or promise less",
    "depth": "its client has few requests at a time: raise its depth, or promise less",
    "others": "what others have in the drive is in the way: limit them, or lower drive_queue_depth",
}
# As WATCH_RISKY_WINDOWS of watch.c: one window that is behind at its half may be chance.
RISKY_WINDOWS = 3


def risk(words: Mapping[str, str]) -> str:
    """Of a stream's status; empty as long as its promise is kept."""
    windows = words.get("at_risk", "")
    if not windows.isdecimal() or int(windows) < RISKY_WINDOWS:
        return ""
    why = words.get("missed_why", "none")
    return f"AT RISK: {ADVICE.get(why, 'behind at half of the window')}"
