# SPDX-License-Identifier: GPL-2.0
"""Boots of a part that is measured in the virtual machine: those that were made before are kept."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from lib.machine import Job, Machine


def make(machine: Machine, jobs: Iterable[Job], options: argparse.Namespace,
         say: Callable[[str], None]) -> tuple[list[tuple[Job, Path]], bool]:
    """Those that there are, with their results; and whether one of them ran just now."""
    found, fresh = [], False
    for job in jobs:
        kept = machine.find(job)
        wanted = not options.only or job.name in options.only
        if wanted and (options.again or not kept):
            say(f"{job.name}: runs")
            begun = time.monotonic()
            kept, fresh = machine.run(job), True
            say(f"{job.name}: {time.monotonic() - begun:.0f} s")
        if kept:
            found.append((job, kept))
    return found, fresh
