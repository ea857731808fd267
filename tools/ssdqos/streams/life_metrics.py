# SPDX-License-Identifier: GPL-2.0
"""Lifetimes as metrics in Prometheus' text format: gauges of drives, counters of their streams."""

from __future__ import annotations

from dataclasses import dataclass, field

from ssdqos import life_view
from ssdqos.life_view import GAUGES, NEVER, STATS, WHY, WHYS, Row
from ssdqos.lifetime.place import Place
from ssdqos.streams import prometheus
from ssdqos.streams.disk_names import DiskNames
from ssdqos.streams.prometheus import COUNTER, GAUGE, SECTOR_BYTES, drive_labels, escape, number
from ssdqos.streams.status import Status

DRIVE_PREFIX = "ssdqos_drive_"
# Base units: the suffix that goes, the one that comes, and what to multiply with.
UNITS = {"s": ("_s", "_seconds", 1), "ns": ("_ns", "_seconds", 1e-9), "uV": ("_uv", "_volts", 1e-6),
         "permille": ("_permille", "_ratio", 1e-3), "bytes": ("_bytes", "_bytes", 1), "requests": ("", "_requests", 1),
         "KB/s": ("_kb_s", "_bytes_per_second", 1e3), "ms": ("_ms", "_seconds", 1e-3),
         "sectors": ("_sectors", "_bytes", SECTOR_BYTES), "ranges": ("", "_ranges", 1)}
# -1 says "never": larger than everything, so that a comparison is right.
MAY_BE_NEVER = ("life_source_age_s", "life_forecast_s", "life_forecast_unthrottled_s")
INFINITE = "+Inf"


@dataclass
class Metric:
    """`samples` are whole lines."""

    name: str
    kind: str
    help: str
    samples: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        return [f"# HELP {self.name} {self.help}", f"# TYPE {self.name} {self.kind}", *self.samples]


def base_name(row: Row) -> tuple[str, float]:
    """Its name in base units, and the factor."""
    suffix, base, factor = UNITS.get(row.unit, ("", "", 1))
    return row.name.removesuffix(suffix) + base, factor


def value_text(row: Row, text: str, factor: float) -> str:
    if int(text) == NEVER and row.name in MAY_BE_NEVER:
        return INFINITE
    return number(int(text) * factor)


def of_drives(drives: dict[str, dict[str, str]]) -> list[Metric]:
    """Gauges by drive."""
    made = []
    for row in GAUGES:
        if row.name == WHY:
            metric = Metric(DRIVE_PREFIX + WHY, GAUGE, "why writes are delayed as they are")
            for drive, words in drives.items():
                why = words.get(WHY, "off")
                metric.samples += [f"{metric.name}{{{of(drive)},why=\"{escape(word)}\"}} {int(word == why)}"
                                   for word in dict.fromkeys((*WHYS, why))]
        else:
            name, factor = base_name(row)
            metric = Metric(DRIVE_PREFIX + name, GAUGE, row.help)
            metric.samples = [f"{metric.name}{{{of(drive)}}} {value_text(row, words[row.name], factor)}"
                              for drive, words in drives.items() if row.name in words]
        made.append(metric)
    return made


def of(drive: str) -> str:
    """Its labels."""
    return ",".join(f'{key}="{escape(value)}"' for key, value in drive_labels(drive, DiskNames()).items())


def answers(drives: dict[str, dict[str, str]]) -> list[Metric]:
    """What `forecast` and `top` say of it."""
    end = Metric(f"{DRIVE_PREFIX}life_end_seconds", GAUGE, "age at which it is worn out, with all that is in force")
    met = Metric(f"{DRIVE_PREFIX}life_target_met", GAUGE, "1 if it will last until its target")
    for drive, words in drives.items():
        life = life_view.Life(words)
        end.samples.append(f"{end.name}{{{of(drive)}}} {INFINITE if life.end_s() == NEVER else number(life.end_s())}")
        met.samples.append(f"{met.name}{{{of(drive)}}} {int(life.is_met())}")
    return [end, met]


def of_streams(streams: list[tuple[Status, dict[str, str]]]) -> list[Metric]:
    """Counters of what a stream's writes waited; those of the status are not told twice."""
    made = []
    for row in STATS:
        name, factor = base_name(row)
        name = f"{prometheus.PREFIX}{name.removesuffix('_requests')}_total"
        made.append(Metric(name, COUNTER, row.help, [
            f"{name}{{{prometheus.labels(one, {})}}} {number(int(words[row.name]) * factor)}"
            for one, words in streams if row.name in words]))
    return made


def text(statuses: list[Status], where: Place) -> str:
    """Empty where no wear is counted."""
    drives: dict[str, dict[str, str]] = {}
    streams = []
    for one in statuses:
        path = where.stream(one.name, one.start)
        if path is None:
            continue
        if words := life_view.words(path):
            drives.setdefault(one.drive, words)
            streams.append((one, life_view.stats(path)))
    metrics = [metric for metric in of_drives(drives) + answers(drives) + of_streams(streams) if metric.samples]
    return "".join(f"{line}\n" for metric in metrics for line in metric.lines())
