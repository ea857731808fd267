# SPDX-License-Identifier: GPL-2.0
"""Which parts there are."""

from __future__ import annotations

import argparse

from lib import campaign
from lib.simulator import build, version
from lib.ttflash import bursts, ladder, preemptive, sensitivity, speed, stuck, uniform, wear
from lib.ttflash.runs import NAME, Runs

PARTS = {"ladder": ladder, "random": uniform, "preemptive": preemptive, "bursts": bursts, "sensitivity": sensitivity,
         "wear": wear, "stuck": stuck, "speed": speed}


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.quick, options.again, options.seed, options.count or 0)
    result = PARTS[name].measure(runs)
    return campaign.Found(result, runs.fresh)


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


CAMPAIGN = campaign.Campaign(
    NAME, "Reads that see no collection: tables", PARTS,
    campaign.Help(only="has no meaning here", quick="one seed, and short loads", seed="the first of them (1)"),
    measure, origin)
