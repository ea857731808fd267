# SPDX-License-Identifier: GPL-2.0
"""Streams as `ssdqos top` shows them, from what sysfs says; needs nothing beside Python."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

try:
    from ssdqos import life_view, miss_view, promise_view, trim_view
    from ssdqos.sysfs import node_name, pairs
except ImportError:  # beside top.py, started as a file
    import life_view
    import miss_view
    import promise_view
    import trim_view
    from sysfs import node_name, pairs

NS_PER_MS = 1_000_000
PPM_PER_PERCENT = 10_000
DIRECTORIES = "ssdqos*"
# A drive of target ssdqos-flash has no drive below.
MARK = "drive"
HEAD = (f"  {'stream':<16}{'promised':>10}{'achieved':>10}{'met':>8}{'missed':>8}{'reserved':>10}"
        f"{'reads/s':>10}{'writes/s':>10}{'queue p99':>12}{'drive p99':>12}  waits for")


@dataclass(frozen=True)
class Look:
    """All streams at one moment, in seconds; words of the status by name."""

    at_s: float
    streams: dict[str, dict[str, str]]

    def number(self, name: str, key: str) -> float:
        try:
            return float(self.streams.get(name, {}).get(key, "0"))
        except ValueError:
            return 0.0


def status(path: Path) -> dict[str, str]:
    """Empty if it is no stream, or gone."""
    try:
        words = pairs((path / "status").read_text())
    except (OSError, UnicodeDecodeError):
        return {}
    return words | promise_view.words(path, words) | life_view.words(path) if MARK in words else {}


def label(path: Path) -> str:
    """The mapped device's name, and where the stream begins if it is one of several."""
    try:
        name = (path.parent / "dm" / "name").read_text().strip()
    except OSError:
        name = path.parent.name if path.name.startswith("ssdqos") else path.name
    _, dash, begin = path.name.partition("-")
    return f"{name}+{begin}" if dash and begin.isdecimal() else name


def directories(device: str | None, sysfs: Path, mapper: Path) -> list[Path]:
    """Of the streams of a device, or of all devices."""
    if device is None:
        found = sysfs.glob(f"*/{DIRECTORIES}")
    elif (Path(device) / "status").is_file():
        found = [Path(device)]
    else:
        found = (sysfs / node_name(device, mapper)).glob(DIRECTORIES)
    return sorted(path for path in found if status(path))


def read(paths: list[Path]) -> Look:
    return Look(time.monotonic(), {label(path): words for path in paths if (words := status(path))})


def per_second(now: Look, before: Look, name: str, key: str) -> float:
    seconds = now.at_s - before.at_s
    gone = max(now.number(name, key) - before.number(name, key), 0)
    return gone / seconds if seconds > 0 and name in before.streams else 0.0


def met_text(look: Look, name: str) -> str:
    """Of the windows in which the client asked for enough."""
    judged = look.number(name, "windows_met") + look.number(name, "windows_missed")
    return f"{100 * look.number(name, 'windows_met') / judged:.1f} %" if judged else "-"


def promise_texts(look: Look, name: str) -> tuple[str, str]:
    if not look.number(name, "util_ppm"):
        return "-", "-"
    return f"{look.number(name, 'promised'):,.0f}", f"{look.number(name, 'achieved'):,.0f}"


def stream_line(now: Look, before: Look, name: str) -> str:
    promised, achieved = promise_texts(now, name)
    return (f"  {name:<16}{promised:>10}{achieved:>10}{met_text(now, name):>8}"
            f"{now.number(name, 'windows_missed'):>8,.0f}{now.number(name, 'util_ppm') / PPM_PER_PERCENT:>8.2f} %"
            f"{per_second(now, before, name, 'reads'):>10,.0f}{per_second(now, before, name, 'writes'):>10,.0f}"
            f"{now.number(name, 'queue_ns_p99') / NS_PER_MS:>9.2f} ms"
            f"{now.number(name, 'device_ns_p99') / NS_PER_MS:>9.2f} ms  {now.streams[name].get('reason', '')}")


def stream_lines(now: Look, before: Look, name: str) -> list[str]:
    promise = promise_view.of(now.streams[name])
    below = [promise_view.line(promise) if promise else "", miss_view.risk(now.streams[name])]
    return [stream_line(now, before, name), *(f"  {'':<16}{line}" for line in below if line)]


def drive_line(now: Look, drive: str, name: str) -> str:
    """`name` is one of the drive's streams: all of them know it."""
    words = now.streams[name]
    made = (f"drive {drive}: {now.number(name, 'used_ppm') / PPM_PER_PERCENT:.2f} % reserved, "
            f"{now.number(name, 'free_ppm') / PPM_PER_PERCENT:.2f} % free, spare writes get "
            f"{now.number(name, 'spare_write_ppm') / PPM_PER_PERCENT:.1f} %, {words.get('drive_in_flight', '0')} "
            f"requests in the drive, {words.get('drive_queued', '0')} wait, profile {words.get('profile', 'none')}")
    if words.get("profile", "none") != "none":
        made += f" (requests cost {now.number(name, 'drift_pct'):+.0f} %)"
    if now.number(name, "unmanaged"):
        made += ", SOMEBODY ELSE WRITES TO IT"
    return made


def life_lines(words: dict[str, str]) -> list[str]:
    """Nothing for a drive whose wear is not counted."""
    return [f"  {life_view.line(life_view.Life(words))}"] if "life_target_s" in words else []


def trim_lines(words: dict[str, str]) -> list[str]:
    """Nothing for a drive that keeps no discards."""
    trim = trim_view.Trim(words)
    return [f"  {trim_view.line(trim)}"] if trim.is_kept() else []


def lines(looks: list[Look]) -> list[str]:
    now, before = looks[-1], looks[max(len(looks) - 2, 0)]
    if not now.streams:
        return ["no streams"]
    by_drive: dict[str, list[str]] = {}
    for name, words in now.streams.items():
        by_drive.setdefault(words[MARK], []).append(name)
    made: list[str] = []
    for drive, names in by_drive.items():
        made += [drive_line(now, drive, names[0]), *life_lines(now.streams[names[0]]),
                 *trim_lines(now.streams[names[0]]), HEAD,
                 *(line for name in names for line in stream_lines(now, before, name)), ""]
    return made[:-1]


def once(look: Look) -> list[str]:
    """key=value; a line device=NAME begins each stream."""
    made = []
    for name, words in look.streams.items():
        made += [f"device={name}", *(f"{key}={value}" for key, value in words.items())]
    return made
