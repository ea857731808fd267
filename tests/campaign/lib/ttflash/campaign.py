# SPDX-License-Identifier: GPL-2.0
"""Which pages and parts there are: those of the simulator, and one that boots the kernel."""

from __future__ import annotations

import argparse

from lib import campaign
from lib.machine import Machine
from lib.simulator import build, version
from lib.ttflash import bursts, filebench, free, ladder, preemptive, sensitivity, speed, stuck, uniform, wear
from lib.ttflash.runs import NAME, Runs

PARTS = {"ladder": ladder, "random": uniform, "preemptive": preemptive, "bursts": bursts}
# A page of their own, as it may be of another commit.
LIMITS, LIMITS_PARTS = "limits", {"sensitivity": sensitivity, "wear": wear, "stuck": stuck, "speed": speed}
FILEBENCH_PARTS = {"filebench": filebench, "free": free}
BOOTED = (filebench,)


def simulate(page: campaign.Campaign, name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.quick, options.again, options.seed, options.count or 0, page.runs().name)
    result = page.parts[name].measure(runs)
    return campaign.Found(result, runs.fresh)


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    return simulate(CAMPAIGN, name, options)


def measure_limits(name: str, options: argparse.Namespace) -> campaign.Found:
    return simulate(LIMITED, name, options)


def measure_filebench(name: str, options: argparse.Namespace) -> campaign.Found | None:
    part = FILEBENCH_PARTS[name]
    if part not in BOOTED:
        return simulate(FILEBENCH, name, options)
    machine = Machine(NAME, (), FILEBENCH.runs() / name, options.module, options.seed)
    return part.measure(machine, options, campaign.teller(f"{NAME}: {name}"))


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


def origin_filebench(options: argparse.Namespace) -> dict:
    return {**origin(options), "kernel": filebench.KERNEL}


HELP = campaign.Help(only="of filebench: only this personality and seed, such as oltp-1; may be repeated",
                     quick="one seed, and short loads", seed="the first of them (1)")
CAMPAIGN = campaign.Campaign(NAME, "Reads that see no collection: tables", PARTS, HELP, measure, origin)
LIMITED = campaign.Campaign(NAME, "Reads that see no collection: what it depends on, and how far it goes", LIMITS_PARTS, HELP,
                            measure_limits, origin, page=LIMITS)
FILEBENCH = campaign.Campaign(NAME, "Reads that see no collection: filebench in the kernel", FILEBENCH_PARTS, HELP,
                              measure_filebench, origin_filebench, page=filebench.PAGE)
PAGES = (CAMPAIGN, LIMITED, FILEBENCH)
