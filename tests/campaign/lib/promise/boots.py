# SPDX-License-Identifier: GPL-2.0
"""Boots of the virtual machine, each with some scenarios; those that were made before are kept."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from lib.machine import GUEST, HELPERS, Job, Machine
from lib.promise.draw import Scenario
from lib.promise.runs import NAME, Runs
from lib.simulator import ROOT

KERNEL = "6.1"
QEMU = ROOT / "tests/vm/harness/qemu.py"
SHARED = ("promise-lib.sh", "layers.sh", "processor-watch.c")
# To make a drive and its streams, and to remove them, in seconds of the guest.
BESIDE_S = 30
# Seconds of the host for one of the guest, where others compute as well.
HOST_S = 30


def job(name: str, script: str, scenarios: Sequence[Scenario], files: Mapping[str, str], guest_s: int,
        more: Mapping[str, object]) -> Job:
    numbers = " ".join(str(scenario.number) for scenario in scenarios)
    settings = {"SCENARIOS": numbers, **more}
    return Job(name, script, settings, files, kernel=KERNEL, limit_s=guest_s, wall_limit_s=guest_s * HOST_S)


def sources(script: str, shared: Sequence[str] = ()) -> list[str]:
    """What decides a result beside the module: scripts of the guest, and which machine that is."""
    return [path.read_text() for path in (QEMU, *(ROOT / name for name in HELPERS), *(GUEST / name for name in (script, *SHARED, *shared)))]


def batches(scenarios: Iterable[Scenario], size: int) -> Iterator[Sequence[Scenario]]:
    """So many for each boot, as soon as there are so many."""
    left = iter(scenarios)
    while group := tuple(islice(left, size)):
        yield group


def result(part: str, one: Job, runs: Runs, options: argparse.Namespace, shared: tuple[str, ...] = ()) -> Path:
    """Of a boot; what is shared is read by its script."""
    machine = Machine(NAME, (*SHARED, *shared), runs.place / part, options.module, options.seed)
    kept = machine.find(one)
    if options.again or not kept:
        runs.say(f"{part}: {one.name}: runs")
        begun = time.monotonic()
        kept = machine.run(one)
        runs.fresh = True
        runs.say(f"{part}: {one.name}: {time.monotonic() - begun:.0f} s")
    return kept
