# SPDX-License-Identifier: GPL-2.0
"""Which parts there are, and how one is run.

Beside what lib/tables.py wants of it, a part has

    jobs(scale)               the boots that it needs, if any
    measure(out, scale)       a dict for the JSON, from the results of each boot
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path

from lib import campaign
from lib.edf import ablation, cost, database, figures, isolation, peers, profile, storm
from lib.edf.scale import FULL, QUICK, Scale
from lib.machine import Machine
from lib.simulator import commit_of

NAME = "edf"
PARTS = {"profile": profile, "figures": figures, "peers": peers, "isolation": isolation,
         "ablation": ablation, "cost": cost, "database": database, "storm": storm}
KERNEL = "6.1"
say = campaign.teller(NAME)


@dataclasses.dataclass
class Boots:
    """Where the results of each boot are; `fresh` if one was made just now,
    `needless` if the part has none."""

    out: dict[str, Path] = dataclasses.field(default_factory=dict)
    fresh: bool = False
    needless: bool = False


def run_jobs(machine: Machine, part: str, options: argparse.Namespace) -> Boots:
    """Boots that were made before are kept."""
    jobs = PARTS[part].jobs(scale(options))
    boots = Boots(needless=not jobs)
    for job in jobs:
        kept = machine.find(job)
        wanted = not options.only or job.name in options.only
        if kept and not (options.again and wanted):
            say(f"{part}: {job.name}: kept")
        elif wanted:
            say(f"{part}: {job.name}: runs")
            begun = time.monotonic()
            kept = machine.run(job)
            boots.fresh = True
            say(f"{part}: {job.name}: {time.monotonic() - begun:.0f} s")
        if kept:
            boots.out[job.name] = kept
    return boots


def scale(options: argparse.Namespace) -> Scale:
    return QUICK if options.quick else FULL


def measure(name: str, options: argparse.Namespace) -> campaign.Found | None:
    machine = Machine(NAME, ("edf-lib.sh", "layers.sh"), campaign.runs_of(NAME), options.module, options.seed)
    boots = run_jobs(machine, name, options)
    if not boots.out and not boots.needless:
        return None
    return campaign.Found(PARTS[name].measure(boots.out, scale(options)), boots.fresh)


def origin(options: argparse.Namespace) -> dict:
    return {"commit": commit_of(options.module), "kernel": KERNEL}


CAMPAIGN = campaign.Campaign(
    NAME, "Guarantees on one drive: tables", PARTS,
    campaign.Help(only="of a part, only these boots", quick="fewer windows and turns",
                  seed="of the machine (1)"),
    measure, origin)
