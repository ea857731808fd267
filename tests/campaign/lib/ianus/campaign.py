# SPDX-License-Identifier: GPL-2.0
"""Which pages and parts there are, and how one is run: in the simulator, or in the kernel."""

from __future__ import annotations

import argparse

from lib import boots, campaign
from lib.ianus import (cost, cuts, database, failures, failures_debug, figures, filesystems, machines, mixtures, peers, promises, storm,
                       targets, traces)
from lib.ianus.runs import NAME, Runs
from lib.machine import Machine
from lib.simulator import build, version

PARTS = {"figures": figures, "traces": traces, "mixtures": mixtures}
TARGETS_PARTS = {"targets": targets}
KERNEL_PARTS = {"peers": peers, "cost": cost}
say = campaign.teller(NAME)


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.quick, options.again)
    result = {**PARTS, **TARGETS_PARTS}[name].measure(runs)
    return campaign.Found(result, runs.fresh)


def boot(name: str, options: argparse.Namespace) -> campaign.Found | None:
    """Boots that were made before are kept."""
    page = next(page for page in (KERNEL, PROMISES, FILESYSTEMS, FAILURES, FAILURES_DEBUG, STORM) if name in page.parts)
    part = page.parts[name]
    machine = Machine(NAME, ("ianus-lib.sh", "ianus-drives.sh"), page.runs() / name, options.module, options.seed)
    made, fresh = boots.make(machine, part.jobs(options.seed, options.quick), options, lambda text: say(f"{name}: {text}"))
    found = {job.name: part.read(kept) for job, kept in made}
    return campaign.Found({"boots": found}, fresh) if found else None


def cut(_: str, options: argparse.Namespace) -> campaign.Found:
    return cuts.measure(options, CUTS.runs())


def commit(_: str, options: argparse.Namespace) -> campaign.Found:
    return database.measure(options, DATABASE.runs())


def link(_: str, options: argparse.Namespace) -> campaign.Found:
    return machines.measure(options, MACHINES.runs())


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


HELP = campaign.Help(only="only these boots, such as peers-2 or ext4-strict-debug", quick="one seed, shorter runs, fewer cuts",
                     seed="of the moments of cuts (1); runs have seeds 1 to 3")
CAMPAIGN = campaign.Campaign(NAME, "A mirror whose members take turns: tables", PARTS, HELP, measure, origin)
TARGETS = campaign.Campaign(NAME, "A mirror whose members take turns: targets", TARGETS_PARTS, HELP, measure, origin,
                            page="targets")
CUTS = campaign.Campaign(NAME, "A mirror whose members take turns: power cuts", {"cuts": cuts}, HELP, cut, origin, page="cuts")
DATABASE = campaign.Campaign(NAME, "A mirror whose members take turns: a database", {"database": database}, HELP, commit, origin,
                             page="database")
MACHINES = campaign.Campaign(NAME, "A mirror whose members take turns: two machines", {"machines": machines}, HELP, link, origin,
                             page="machines")
KERNEL = campaign.Campaign(NAME, "A mirror whose members take turns: in the kernel", KERNEL_PARTS, HELP, boot, origin,
                           page="kernel")
PROMISES = campaign.Campaign(NAME, "A mirror whose members take turns: promises", {"promises": promises}, HELP, boot, origin,
                             page="promises")
FILESYSTEMS = campaign.Campaign(NAME, "A mirror whose members take turns: file systems", {"filesystems": filesystems}, HELP,
                                boot, origin, page="filesystems")
FAILURES = campaign.Campaign(NAME, "A mirror whose members take turns: failures", {"failures": failures}, HELP, boot, origin,
                             page="failures")
FAILURES_DEBUG = campaign.Campaign(NAME, "A mirror whose members take turns: failures on the debug kernel",
                                   {"failures-debug": failures_debug}, HELP, boot, origin, page="failures-debug")
STORM = campaign.Campaign(NAME, "A mirror whose members take turns: a storm", {"storm": storm}, HELP, boot, origin, page="storm")
