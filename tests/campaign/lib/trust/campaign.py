# SPDX-License-Identifier: GPL-2.0
"""Which parts there are, and how one is run."""

from __future__ import annotations

import argparse

from lib import boots, campaign
from lib.machine import Machine
from lib.simulator import version
from lib.trust import before, neighbours

NAME = neighbours.NAME
PARTS = {"neighbours": neighbours, "before": before}
say = campaign.teller(NAME)


def measure(name: str, options: argparse.Namespace) -> campaign.Found | None:
    """Boots that were made before are kept."""
    part = PARTS[name]
    if part is before and not options.module:
        say(f"{name}: skipped, it needs --module with a module of an older commit")
        return None
    machine = Machine(NAME, (), campaign.runs_of(NAME) / name, options.module, options.seed)
    made, fresh = boots.make(machine, part.jobs(options.seed, options.quick), options,
                             lambda text: say(f"{name}: {text}"))
    found = [row for job, kept in made for row in part.read(job.name, options.seed, kept)]
    return campaign.Found({"rows": found}, fresh) if found else None


def origin(options: argparse.Namespace) -> dict:
    return {"commit": f"of the module {options.module}" if options.module else version(),
            "kernel": neighbours.KERNEL}


CAMPAIGN = campaign.Campaign(
    NAME, "Promises beside urgent requests: tables", PARTS,
    campaign.Help(only="only these neighbours", quick="fewer windows",
                  seed="of the machine and the loads (1)"),
    measure, origin)
