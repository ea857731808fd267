# SPDX-License-Identifier: GPL-2.0
"""Kinds of neighbours: each a list of streams without a guarantee.

Of a stream: its load as `ssdqos-sim loads` has it, and more words of its stream.
"""

from __future__ import annotations

Stream = tuple[str, str]
# What makes a drive one after a burst; it ends a little before the windows begin.
BURST, BURST_S, BURST_SEED = "randwrite bs=64k iodepth=256", 4, 300
# Its stream; those of neighbours are b0, b1, ...
BURST_NAME = "burst"


def is_one(name: str) -> bool:
    """By the name of its stream; a burst is nobody's neighbour, as it makes the drive what it is said to be."""
    return name[0] == "b" and name != BURST_NAME


def steady(*loads: str, more: str = "") -> list[Stream]:
    return [(load, more) for load in loads]


def on_off(load: str, on_s: int, off_s: int, first_s: int = 0) -> list[Stream]:
    return [(f"{load} start={first_s}s runtime={on_s}s every={on_s + off_s}s", "")]


def in_turn(*loads: str, each_s: int = 5) -> list[Stream]:
    """One load after the other."""
    return [stream for at, load in enumerate(loads)
            for stream in on_off(load, each_s, each_s * (len(loads) - 1), first_s=at * each_s)]


SMALL = "randwrite bs=4k iodepth=256"
KINDS: dict[str, list[Stream]] = {
    "nothing": steady(),
    "writes of 4 KiB, depth 256": steady(SMALL),
    "writes of 12 KiB, depth 17": steady("randwrite bs=12k iodepth=17"),
    "writes of 256 KiB, depth 8": steady("randwrite bs=256k iodepth=8"),
    "writes of 4.5 KiB, depth 3": steady("randwrite bs=4608 iodepth=3"),
    "hot writes": steady("randwrite bs=4k iodepth=64 random_distribution=hot:90/10"),
    "zipf writes of 8 KiB": steady("randwrite bs=8k iodepth=32 random_distribution=zipf:1.1"),
    "sequential writes of 1 MiB": steady("write bs=1m iodepth=4"),
    "sequential writes of 4 KiB": steady("write bs=4k iodepth=64"),
    "trickle of writes": steady("randwrite bs=4k rate_iops=500 arrival=poisson"),
    "bursts of 256 writes": steady("randwrite bs=16k rate_iops=800 arrival=burst burst=256"),
    "writes on and off, 1 s": on_off(SMALL, 1, 1),
    "writes on and off, 10 s": on_off(SMALL, 10, 10),
    "writes on and off, a minute": on_off(SMALL, 60, 60, first_s=20),
    "a burst of writes each minute, 5 s": on_off(SMALL, 5, 55, first_s=20),
    "large writes on and off, 1 s": on_off("randwrite bs=512k iodepth=16", 1, 1),
    "70 % reads of 4 KiB, depth 64": steady("randrw rwmixread=70 bs=4k iodepth=64"),
    "50 % reads of 20 KiB, depth 9": steady("randrw rwmixread=50 bs=20k iodepth=9"),
    "geometric sizes": steady("randrw rwmixread=40 bs=geometric:16k iodepth=16"),
    "reads of 4 KiB, depth 256": steady("randread bs=4k iodepth=256"),
    "reads of 1 MiB": steady("randread bs=1m iodepth=16"),
    "changing": in_turn(SMALL, "randread bs=64k iodepth=32", "randrw bs=12k iodepth=24", "write bs=256k iodepth=4"),
    "trim storm": steady("randtrim bs=1m iodepth=8"),
    "trims and writes": steady("randtrim bs=64k iodepth=4", "randwrite bs=16k iodepth=32"),
    "writes with fsync": steady("randwrite bs=4k iodepth=1", more="urgent=50"),
    "four journals": steady(*["write bs=8k iodepth=1 offset=25% size=10%"] * 4, more="urgent=100"),
    "cold metadata": steady("randread bs=4k iodepth=64", more="urgent=100"),
    "metadata and bulk": [("randread bs=4k iodepth=16", "urgent=100"), ("write bs=512k iodepth=8", "")],
    "eight small writers": steady(*["randwrite bs=4k iodepth=8"] * 8),
    "heavy weight": steady("randwrite bs=16k iodepth=64", more="weight=2000"),
    "mail server": steady("synthetic-MSN-CFS intensity=20"),
}
ALONE = "nothing"


def lasting() -> list[str]:
    """Those that stay as they are, however long a run is."""
    return [name for name, made in KINDS.items() if not any("runtime=" in load for load, _ in made)]
