# SPDX-License-Identifier: GPL-2.0
"""Status of streams as metrics in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ssdqos import promise_view, trim_view
from ssdqos.life_view import STATS
from ssdqos.miss_view import ADVICE
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.status import Status

PREFIX = "ssdqos_stream_"
STREAMS = "ssdqos_streams"
PPM, NS_PER_S, SECTOR_BYTES, PERCENT, PERMILLE, MS_PER_S = 1e-6, 1e-9, 512, 1e-2, 1e-3, 1e-3
COUNTER, GAUGE, SUMMARY = "counter", "gauge", "summary"


# SSDQOS_EDF_REASONS of edf.h (a test compares).
REASONS = ("none", "depth", "deadline", "limit", "strict", "pace", "urgent_cap", "urgent_debt", "debt")
# Suffixes of the kernel's names, in base units.
BASE_UNITS = {"_kb_s": ("_bytes_per_second", 1e3), "_ns": ("_seconds", 1e-9), "_us": ("_seconds", 1e-6), "_ms": ("_seconds", 1e-3), "_s": ("_seconds", 1),
              "_ppm": ("_ratio", 1e-6), "_permille": ("_ratio", 1e-3), "_pct": ("_ratio", 1e-2),
              "_kb": ("_bytes", 1e3), "_uv": ("_volts", 1e-6)}


@dataclass(frozen=True)
class Family:
    """A metric for a key of the status; `labels` tell several keys of one metric apart."""

    key: str
    name: str
    kind: str
    help: str
    scale: float = 1
    labels: dict[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()  # of a key that is no number: one sample each, 1 for the one that holds


def quantiles(key: str, name: str, help_text: str, parts: Iterable[str]) -> list[Family]:
    """KEY_ns_p50 and its like: one metric, in seconds."""
    return [Family(f"{key}_ns_p{part}", name, SUMMARY, help_text, NS_PER_S,
                   {"quantile": f"0.{part}".rstrip("0")}) for part in parts]


FAMILIES = [
    Family("state", "state", GAUGE, "whether device time is reserved", words=("best_effort", "reserved")),
    Family("util_ppm", "utilization_ratio", GAUGE, "device time reserved for the stream", PPM),
    Family("used_ppm", "drive_reserved_ratio", GAUGE, "device time reserved on the drive, by all streams", PPM),
    Family("free_ppm", "drive_free_ratio", GAUGE, "device time of the drive that can be reserved yet", PPM),
    Family("spare_write_ppm", "drive_spare_write_ratio", GAUGE,
           "device time that writes may use that no guarantee pays for", PPM),
    Family("profile", "drive_profile", GAUGE, "what the drive's profile is worth", words=("none", "ok", "stale")),
    Family(trim_view.COSTS, f"drive_{trim_view.COSTS}", GAUGE, "whence the cost of discards is",
           words=trim_view.COSTS_WORDS),
    Family("drift_pct", "drive_drift_ratio", GAUGE,
           "cost of requests beyond what the profile says, 0 as it says", PERCENT),
    Family("unmanaged", "drive_unmanaged_writer", GAUGE, "1 if somebody else writes to the drive"),
    Family("queued", "queued_requests", GAUGE, "requests that wait"),
    Family("in_flight", "in_flight_requests", GAUGE, "requests of the stream in the drive"),
    Family("drive_queued", "drive_queued_requests", GAUGE, "requests of all streams that wait"),
    Family("drive_in_flight", "drive_in_flight_requests", GAUGE, "requests of all streams in the drive"),
    Family("drive_depth", "drive_depth_requests", GAUGE, "requests that the drive gets at a time now"),
    Family("lead_ns", "lead_seconds", GAUGE, "a stop of the drive that windows of the promise are to bear", NS_PER_S),
    *(Family(key, f"{key}_total", COUNTER, f"{key} completed") for key in
      ("reads", "writes", "discards", "flushes")),
    Family("read_bytes", "read_bytes_total", COUNTER, "bytes read"),
    Family("write_bytes", "written_bytes_total", COUNTER, "bytes written"),
    Family("read_sectors", "read_bytes_total", COUNTER, "bytes read", SECTOR_BYTES),
    Family("write_sectors", "written_bytes_total", COUNTER, "bytes written", SECTOR_BYTES),
    *(Family(f"dispatched_{why}", "dispatched_total", COUNTER, "requests sent to the drive, by the time they used",
             labels={"time": why}) for why in ("reserved", "spare", "best_effort", "urgent", "direct")),
    Family("waited", "waited_total", COUNTER, "requests that had to wait"),
    Family("limited", "limited_total", COUNTER, "times a request was held back by the maximum"),
    Family("promised", "promised_per_window", GAUGE, "what the stream is promised for each window"),
    Family("achieved", "achieved_per_window", GAUGE, "what it got in the last full window"),
    Family(promise_view.PREFIX + promise_view.WINDOW, "promise_window_seconds", GAUGE, "length of these windows", MS_PER_S),
    Family(promise_view.PREFIX + promise_view.CONFIDENCE, "promise_confidence_ratio", GAUGE,
           "part of the windows, without idle ones, in which the promise is to be met", PERMILLE),
    Family(promise_view.LEAST, promise_view.LEAST, GAUGE, "windows met and missed below which there is no verdict yet"),
    Family(promise_view.VERDICT, "promise_verdict", GAUGE, "whether the promise has been kept since counters began",
           words=promise_view.VERDICTS),
    Family("windows", "windows_total", COUNTER, "windows of the promise that have passed"),
    Family("windows_met", "windows_met_total", COUNTER, "windows in which the promise was met"),
    Family("windows_missed", "windows_missed_total", COUNTER, "windows in which it was not"),
    Family("windows_idle", "windows_idle_total", COUNTER, "windows in which the client asked for less"),
    *(Family(f"missed_{why}", "windows_missed_why_total", COUNTER, "windows in which it was not, by the reason",
             labels={"why": why}) for why in ADVICE),
    Family("missed_why", "missed_why", GAUGE, "reason of the last window that was missed", words=("none", *ADVICE)),
    Family("at_risk", "promise_at_risk_windows", GAUGE, "windows in a row that were behind at their half"),
    *quantiles("queue", "queue_seconds", "time that requests wait", ("50", "99")),
    *quantiles("device", "device_seconds", "time that requests are in the drive", ("50", "99")),
    *quantiles("total", "request_seconds", "time that requests take in all", ("50", "99", "999")),
    Family("charged_ns", "charged_seconds_total", COUNTER, "device time used, by the profile", NS_PER_S),
    Family("observed_ns", "observed_seconds_total", COUNTER, "device time used, as seen", NS_PER_S),
    Family("reason", "waits_for", GAUGE, "why the first request waits",
           words=REASONS),
]
KNOWN = {family.key for family in FAMILIES}
# Of the line itself, what sysfs says of lifetimes in full (life_metrics.py), and discards that are kept
# (trim_metrics.py).
NOT_METRICS = ("drive", "throttle", "life_used_pct", "life_delay_ns", "life_why",
               *(row.name for row in STATS), trim_view.POLICY,
               *(trim_view.PREFIX + row.name for row in (*trim_view.GAUGES, *trim_view.STATS)))


def escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def number(value: float) -> str:
    return f"{value:.15g}"


def drive_labels(drive: str, names: DiskNames) -> dict[str, str]:
    """Its name that stays at the next boot, and the number or the name that the kernel has for it now."""
    node = names.node(drive) if ":" in drive else names.dev / drive
    return {"drive": Path(names.stable(str(node))).name if node.exists() else drive, "node": drive}


def labels(status: Status, more: dict[str, str]) -> str:
    pairs = {"device": status.name} | drive_labels(status.drive, DiskNames())
    if status.start:
        pairs["start_sector"] = str(status.start)
    return ",".join(f'{key}="{escape(value)}"' for key, value in (pairs | more).items())


def samples(family: Family, status: Status) -> list[str]:
    value = status.words.get(family.key)
    if value is None:
        return []
    name = PREFIX + family.name
    if family.words:
        words = dict.fromkeys((*family.words, value))
        return [f"{name}{{{labels(status, {family.key: word})}}} {int(word == value)}" for word in words]
    return [f"{name}{{{labels(status, family.labels)}}} {number(status.number(family.key) * family.scale)}"]


def is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def unknown(statuses: list[Status]) -> list[Family]:
    """Keys of a newer kernel module: better without a unit than not at all."""
    keys = dict.fromkeys(key for status in statuses for key, value in status.words.items()
                         if key not in KNOWN and key not in NOT_METRICS and is_number(value))
    made = []
    for key in keys:
        suffix, (base, factor) = next((pair for pair in BASE_UNITS.items() if key.endswith(pair[0])), ("", ("", 1)))
        made.append(Family(key, key.removesuffix(suffix) + base, GAUGE, f"{key} of the status", factor))
    return made


def text(statuses: list[Status]) -> str:
    """All samples of a metric stand together, below its help and its kind."""
    by_name: dict[str, list[str]] = {}
    families: dict[str, Family] = {}
    for family in [*FAMILIES, *unknown(statuses)]:
        made = [sample for status in statuses for sample in samples(family, status)]
        if made:
            families.setdefault(family.name, family)
            by_name.setdefault(family.name, []).extend(made)
    lines = [f"# HELP {STREAMS} streams on this machine", f"# TYPE {STREAMS} gauge", f"{STREAMS} {len(statuses)}"]
    for name, made in by_name.items():
        lines += [f"# HELP {PREFIX}{name} {families[name].help}", f"# TYPE {PREFIX}{name} {families[name].kind}",
                  *made]
    return "\n".join(lines) + "\n"
