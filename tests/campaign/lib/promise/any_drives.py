# SPDX-License-Identifier: GPL-2.0
"""Drives that are drawn, too: nobody can have tuned the control for them.

Each value is one that flash and controllers of some year have; all of them together need not be a drive that
anybody makes.  Another seed has other drives.
"""

from __future__ import annotations

import dataclasses
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

from lib.errors import RunError
from lib.promise.drives import SCHEDULERS, Drive

# What a drive has that has no other value.
BASE = "ttflash"
# So many, each with one inner scheduler, for a profile takes minutes.
DRIVES = 12
TRIES = 100
VALUES = {"channels": (1, 2, 4, 4, 8, 8), "chips_per_channel": (1, 1, 2, 4), "planes_per_chip": (1, 2, 4),
          "pages_per_block": (64, 128, 256), "page_kib": (4, 8, 16), "op_permille": (70, 100, 120, 150, 200, 280),
          "cache": ("none", "volatile", "volatile", "plp", "plp"), "buffer_kib": (512, 1024, 2048, 4096, 8192, 32768),
          "flush_start_pct": (0, 40, 60, 80), "read_ns": (25000, 40000, 60000, 90000),
          "program_ns": (200000, 500000, 900000, 1500000, 2500000), "erase_ns": (1500000, 3500000, 6000000, 10000000),
          "channel_mb_s": (100, 200, 400, 800), "read_command_ns": (0, 2500, 9000), "write_command_ns": (0, 4000, 12000),
          "link_mb_s": (300, 550, 1900), "gc_policy": ("greedy", "cost_benefit"), "gc_scope": ("plane", "drive"),
          "gc_copyback": ("off", "on"), "gc_start_blocks": (2, 3, 4, 6), "gc_blocking": ("none", "none", "none", "bursts"),
          "array_scope": ("plane", "chip"), "allocation": ("dynamic", "dynamic", "static")}
RANGES = {"lookup": ((0, 0), (1500, 4000), (3000, 20000)), "host_delay": ((0, 0), (1000, 5000), (2000, 9000))}
# Collection stops so many blocks later than it starts.
MORE_BLOCKS = (1, 2, 4, 8)
Possible = Callable[[Drive], bool]


def drawn(dice: random.Random) -> tuple[str, ...]:
    made = {key: dice.choice(values) for key, values in VALUES.items()}
    for key, pairs in RANGES.items():
        made[f"{key}_min_ns"], made[f"{key}_max_ns"] = dice.choice(pairs)
    made["gc_stop_blocks"] = made["gc_start_blocks"] + dice.choice(MORE_BLOCKS)
    return tuple(f"{key}={value}" for key, value in made.items())


def is_possible(simulator: Path, drive: Drive) -> bool:
    """Does the model take such a drive?"""
    words = ["qos", *drive.words(), "--runtime", "1ms", "--verify", "off", "--stream", "name=a load=randread"]
    return not subprocess.run([str(simulator), *words], capture_output=True, check=False).returncode


def settings(seed: int, at: int, possible: Possible) -> tuple[str, ...]:
    """Of the drive with the number `at`; what can't be a drive is drawn again."""
    for again in range(TRIES):
        made = drawn(random.Random(f"promise drive {seed} {at} {again}"))
        if possible(Drive(BASE, SCHEDULERS[0], settings=made)):
            return made
    raise RunError(f"none of {TRIES} draws of drive {at} (seed {seed}) is one that the model takes")


def instead(drive: Drive, seed: int, at: int, possible: Possible) -> Drive:
    """In the state of the one that was drawn."""
    return dataclasses.replace(drive, preset=BASE, model=f"drawn-{seed}-{at}", settings=settings(seed, at, possible),
                               scheduler=SCHEDULERS[at % len(SCHEDULERS)])
