# SPDX-License-Identifier: GPL-2.0
"""What the others are told: limits of neighbours for io.max, the model of the drive for iocost."""

from __future__ import annotations

from lib.promise import drives, fio_load
from lib.promise.fio_load import STEP_BYTES, Load
from lib.promise.guest import Neighbour
from ssdqos.qos import cost
from ssdqos.qos.cost import Terms
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.request import RequestClass

NS_PER_S = 1_000_000_000
PERCENT = 100
# Of reads, if nothing is said: for fio as for the simulator.
EVEN_PCT = 50
# Sizes of which the model's line is made.
SMALL, *_, LARGE = (fio_load.size_bytes(size) for size in drives.SIZES)


def cost_ns(profile: Profile, op: str, size: int) -> int:
    """Nearest to the mean: the longest windows, the least confidence."""
    terms = Terms(max(profile.windows_ms), min(key.confidence for key in profile.costs), drives.MIX_DEPTH)
    return cost.lookup(profile, RequestClass(op, "rand"), size, terms)


def words(load: Load) -> dict[str, str]:
    return dict(option.split("=", 1) for option in load.options)


def mean_bytes(load: Load) -> int:
    made = words(load)
    if "bssplit" not in made:
        return fio_load.size_bytes(made["bs"])
    parts = [part.split("/") for part in made["bssplit"].split(":")]
    mean = sum(int(size) * int(pct) for size, pct in parts) / PERCENT
    return round(mean / STEP_BYTES) * STEP_BYTES


def read_pct(load: Load) -> int:
    made = words(load)
    if made["rw"].endswith("rw"):
        return int(made.get("rwmixread", EVEN_PCT))
    return PERCENT if made["rw"].endswith("read") else 0


def whole_iops(load: Load, profile: Profile) -> tuple[int, int]:
    """Reads and writes a second if the drive did nothing else."""
    reads, size = read_pct(load), mean_bytes(load)
    mean_ns = (reads * cost_ns(profile, "read", size) + (PERCENT - reads) * cost_ns(profile, "write", size)) / PERCENT
    total = NS_PER_S / mean_ns
    return int(total * reads / PERCENT), int(total * (PERCENT - reads) / PERCENT)


def limits(one: Neighbour, count: int, profile: Profile) -> tuple[int, int]:
    """Of one of so many alike; who changes is limited as by the dearest of his loads.  0 is no such requests."""
    rates = [whole_iops(load, profile) for load in one.loads]
    reads, writes = (min((rate for rate in kind if rate), default=0) // count for kind in zip(*rates))
    return reads, writes


def limit_lines(beside: list[Neighbour], profile: Profile) -> str:
    """NAME READS_PER_S WRITES_PER_S"""
    return "".join(f"{one.name} {reads} {writes}\n" for one in beside
                   for reads, writes in [limits(one, len(beside), profile)])


def model_words(profile: Profile, op: str) -> str:
    """iocost's line through the costs of two sizes; the profile has no sequential requests, so they cost the same."""
    small, large = cost_ns(profile, op, SMALL), cost_ns(profile, op, LARGE)
    rate = NS_PER_S * (LARGE - SMALL) // max(large - small, 1)
    iops = NS_PER_S // small
    letter = op[0]
    return f"{letter}bps={rate} {letter}seqiops={iops} {letter}randiops={iops}"


def model(profile: Profile) -> str:
    """Of io.cost.model."""
    return f"{model_words(profile, 'read')} {model_words(profile, 'write')}"
