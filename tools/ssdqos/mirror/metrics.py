# SPDX-License-Identifier: GPL-2.0
"""Mirrors as metrics in Prometheus' text format."""

from __future__ import annotations

from ssdqos.mirror.live import Live
from ssdqos.mirror.view import BLOCK_BYTES, STATES, STATS, Row
from ssdqos.streams.life_metrics import Metric
from ssdqos.streams.prometheus import COUNTER, GAUGE, NS_PER_S, escape, number

PREFIX = "ssdqos_mirror_"
# Key of the status, the rest of the name, help, and what to multiply with.
GAUGES = (
    ("cache_used_blocks", "cache_used_bytes", "written data that not all members have", BLOCK_BYTES),
    ("cache_blocks", "cache_bytes", "most that may be", BLOCK_BYTES),
    ("regions", "regions", "parts of the mirror that are told apart", 1),
    ("stale_regions", "stale_regions", "parts that have to be copied to some member", 1),
    ("lost_regions", "lost_regions", "parts whose newest data are on a member that is not here", 1),
    ("broken", "broken", "1 if the last member has failed", 1),
    ("meta_failed", "meta_failed", "1 if the metadata cannot be written", 1),
    ("block_ns", "block_seconds", "time that members take for a block, whoever writes", NS_PER_S),
)
# Of each member.
MEMBER_GAUGES = (
    ("stale_regions", "stale_regions", "parts that have to be copied to it", 1),
    ("errors", "errors", "reads that it could not do", 1),
    ("block_ns", "block_seconds", "time that it takes to write a block, 0 until that was seen", NS_PER_S),
)
# Base units of counters: the name's end, and what to multiply with.
UNITS = {"blocks": ("bytes_total", BLOCK_BYTES), "requests": ("total", 1), "times": ("total", 1),
         "regions": ("total", 1)}


def labels(one: Live, **more: str) -> str:
    return ",".join(f'{key}="{escape(value)}"' for key, value in ({"device": one.name} | more).items())


def gauges(found: list[Live]) -> list[Metric]:
    return [Metric(PREFIX + name, GAUGE, text,
                   [f"{PREFIX}{name}{{{labels(one)}}} {number(one.mirror[key] * factor)}" for one in found])
            for key, name, text, factor in GAUGES]


def states(found: list[Live]) -> Metric:
    name = f"{PREFIX}member_state"
    return Metric(name, GAUGE, "what a member does", [
        f"{name}{{{labels(one, member=str(member), state=state)}}} {int(state == one.mirror.state(member))}"
        for one in found for member in one.mirror.members()
        for state in dict.fromkeys((*STATES, one.mirror.state(member)))])


def members(found: list[Live]) -> list[Metric]:
    return [Metric(f"{PREFIX}member_{name}", GAUGE, text, [
        f"{PREFIX}member_{name}{{{labels(one, member=str(member))}}} {number(one.mirror[f'{key}{member}'] * factor)}"
        for one in found for member in one.mirror.members()]) for key, name, text, factor in MEMBER_GAUGES]


def counter(row: Row, found: list[Live]) -> Metric:
    end, factor = UNITS[row.unit]
    name = f"{PREFIX}{row.name.removesuffix('_blocks')}_{end}"
    return Metric(name, COUNTER, row.help,
                  [f"{name}{{{labels(one)}}} {number(one.mirror[row.name] * factor)}" for one in found])


def text(found: list[Live]) -> str:
    """Empty where there are none."""
    if not found:
        return ""
    made = [*gauges(found), states(found), *members(found), *(counter(row, found) for row in STATS)]
    return "".join(f"{line}\n" for metric in made for line in metric.lines())
