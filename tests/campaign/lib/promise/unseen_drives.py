# SPDX-License-Identifier: GPL-2.0
"""Drives at which nobody looks while the control is built; they stand for the ones of users.

Numbers are ordinary ones for flash of several years, chosen once: they are not to be changed so that
promises hold, nor the control because of a single scenario on them.  It happened once: scenario 12 on the small one
was looked at on 2026-11-25, as its promise fell 74 points short.  Drives of other seeds (any_drives.py) are new to anybody.
"""

from __future__ import annotations

import dataclasses

from lib.promise.drives import PRESETS, Drive

# Writes end when they are programmed; many small planes behind a slow controller.
DIRECT = ("channels=8", "chips_per_channel=2", "planes_per_chip=2", "pages_per_block=128", "page_kib=8",
          "op_permille=200", "cache=none", "read_ns=75000", "program_ns=650000", "erase_ns=3500000", "channel_mb_s=533",
          "lookup_min_ns=1500", "lookup_max_ns=4000", "host_delay_min_ns=2000", "host_delay_max_ns=9000",
          "internal_delay_min_ns=2000", "internal_delay_max_ns=12000", "read_command_ns=2500",
          "write_command_ns=4000", "link_mb_s=1900", "gc_policy=greedy", "gc_scope=plane")
# A small buffer that is written out late, and little room to collect in.
SMALL = ("channels=6", "chips_per_channel=1", "planes_per_chip=4", "pages_per_block=64", "page_kib=16",
         "op_permille=120", "cache=volatile", "buffer_kib=2048", "flush_start_pct=60", "read_ns=60000",
         "program_ns=1300000", "erase_ns=6000000", "channel_mb_s=200", "lookup_min_ns=3000", "lookup_max_ns=20000",
         "host_delay_min_ns=1000", "host_delay_max_ns=5000", "read_command_ns=9000", "write_command_ns=12000",
         "link_mb_s=540", "gc_copyback=on", "gc_start_blocks=3", "gc_stop_blocks=6")
# In the place of one preset after the other.
MODELS = (("unseen-direct", DIRECT), ("unseen-small", SMALL))
BASE = "ttflash"


def instead(drive: Drive) -> Drive:
    """With the scheduler and the state of the one that was drawn."""
    model, settings = MODELS[PRESETS.index(drive.preset) % len(MODELS)]
    return dataclasses.replace(drive, preset=BASE, model=model, settings=settings)
