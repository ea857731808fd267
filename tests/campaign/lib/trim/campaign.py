# SPDX-License-Identifier: GPL-2.0
"""Which parts there are, and how one is run."""

from __future__ import annotations

import argparse

from lib import boots, campaign
from lib.machine import Machine
from lib.simulator import build, version
from lib.trim import beside, cost, cpu, fs, order
from lib.trim.runs import NAME, Runs

PARTS = {"cost": cost, "order": order, "beside": beside, "fs": fs, "cpu": cpu}
IN_KERNEL = (fs, cpu)
say = campaign.teller(NAME)


def simulate(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.quick, options.again)
    result = PARTS[name].measure(runs)
    return campaign.Found(result, runs.fresh)


def boot(name: str, options: argparse.Namespace) -> campaign.Found | None:
    """Boots that were made before are kept."""
    part = PARTS[name]
    machine = Machine(NAME, (), campaign.runs_of(NAME) / name, options.module, options.seed)
    made, fresh = boots.make(machine, part.jobs(options.seed, options.quick), options,
                             lambda text: say(f"{name}: {text}"))
    found = {job.name: part.read(kept) for job, kept in made}
    return campaign.Found({"boots": found}, fresh) if found else None


def measure(name: str, options: argparse.Namespace) -> campaign.Found | None:
    return boot(name, options) if PARTS[name] in IN_KERNEL else simulate(name, options)


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version(), "kernel": fs.KERNEL}


CAMPAIGN = campaign.Campaign(
    NAME, "Discards: tables", PARTS,
    campaign.Help(only="only these file systems and drives, such as xfs-E-TRIM", quick="three seeds, fewer files",
                  seed="of the machine (1); those of the simulator are 1 to 10"),
    measure, origin)
