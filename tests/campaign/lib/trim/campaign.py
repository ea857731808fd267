# SPDX-License-Identifier: GPL-2.0
"""Which pages and parts there are, and how one is run.

Those of file systems take an hour, the others minutes: so they are a page of their own.
"""

from __future__ import annotations

import argparse

from lib import boots, campaign
from lib.machine import Machine
from lib.simulator import build, version
from lib.trim import age, beside, cost, cpu, fs, life, many, order
from lib.trim.runs import NAME, Runs

PARTS = {"cost": cost, "order": order, "beside": beside, "cpu": cpu}
FS_PARTS = {"fs": fs}
MANY_PARTS = {"many": many}
AGE_PARTS = {"age": age}
LIFE_PARTS = {"life": life}
ALL_PARTS = {**PARTS, **FS_PARTS, **MANY_PARTS, **AGE_PARTS, **LIFE_PARTS}
IN_KERNEL = (fs, many, cpu)
say = campaign.teller(NAME)


def simulate(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.quick, options.again)
    result = ALL_PARTS[name].measure(runs)
    return campaign.Found(result, runs.fresh)


def boot(name: str, options: argparse.Namespace) -> campaign.Found | None:
    """Boots that were made before are kept."""
    part = ALL_PARTS[name]
    page = next(page for page in (CAMPAIGN, FILE_SYSTEMS, MANY) if name in page.parts)
    machine = Machine(NAME, (), page.runs() / name, options.module, options.seed)
    made, fresh = boots.make(machine, part.jobs(options.seed, options.quick), options,
                             lambda text: say(f"{name}: {text}"))
    found = {job.name: part.read(kept) for job, kept in made}
    return campaign.Found({"boots": found}, fresh) if found else None


def measure(name: str, options: argparse.Namespace) -> campaign.Found | None:
    return boot(name, options) if ALL_PARTS[name] in IN_KERNEL else simulate(name, options)


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version(), "kernel": fs.KERNEL}


HELP = campaign.Help(only="only these file systems, drives and seeds, such as xfs-E-TRIM-1",
                     quick="three seeds, fewer files", seed="of the machine (1); those of the simulator are 1 to 10")
CAMPAIGN = campaign.Campaign(NAME, "Discards: tables", PARTS, HELP, measure, origin)
FILE_SYSTEMS = campaign.Campaign(NAME, "Discards of file systems: tables", FS_PARTS, HELP, measure, origin, page=fs.PAGE)
MANY = campaign.Campaign(NAME, "Discards of 100,000 files: tables", MANY_PARTS, HELP, measure, origin, page=many.PAGE)
AGE = campaign.Campaign(NAME, "How long discards are kept: tables", AGE_PARTS, HELP, measure, origin, page=age.PAGE)
LIFE = campaign.Campaign(NAME, "Discards and the life of a drive: tables", LIFE_PARTS, HELP, measure, origin, page=life.PAGE)
