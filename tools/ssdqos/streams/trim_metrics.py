# SPDX-License-Identifier: GPL-2.0
"""Discards that are kept as metrics in Prometheus' text format, once for each drive."""

from __future__ import annotations

from ssdqos.life_view import Row
from ssdqos.streams.life_metrics import DRIVE_PREFIX, Metric, base_name, of
from ssdqos.streams.prometheus import COUNTER, GAUGE, number
from ssdqos.streams.status import Status
from ssdqos.trim_view import GAUGES, POLICIES, POLICY, PREFIX, STATS, Trim

POLICY_NAME = f"{DRIVE_PREFIX}trim_policy"


def of_policy(drives: dict[str, Trim]) -> Metric:
    metric = Metric(POLICY_NAME, GAUGE, "whether discards are kept")
    for drive, trim in drives.items():
        metric.samples += [f"{metric.name}{{{of(drive)},policy=\"{word}\"}} {int(word == trim.policy)}"
                           for word in POLICIES]
    return metric


def of_row(row: Row, kind: str, drives: dict[str, Trim]) -> Metric:
    name, factor = base_name(row)
    if kind == COUNTER:
        name = f"{name.removesuffix('_requests')}_total"
    metric = Metric(f"{DRIVE_PREFIX}{PREFIX}{name}", kind, row.help)
    metric.samples = [f"{metric.name}{{{of(drive)}}} {number(trim[row.name] * factor)}"
                      for drive, trim in drives.items()]
    return metric


def text(statuses: list[Status]) -> str:
    """Empty where no discards have been kept."""
    drives: dict[str, Trim] = {}
    for one in statuses:
        if POLICY in one.words:
            drives.setdefault(one.drive, Trim(one.words))
    if not drives:
        return ""
    made = [of_policy(drives), *(of_row(row, GAUGE, drives) for row in GAUGES),
            *(of_row(row, COUNTER, drives) for row in STATS)]
    return "".join(f"{line}\n" for metric in made for line in metric.lines())
