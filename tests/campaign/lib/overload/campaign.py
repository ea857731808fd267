# SPDX-License-Identifier: GPL-2.0
"""Which parts there are."""

from __future__ import annotations

import argparse

from lib import campaign
from lib.overload import ablation, gain, sweep
from lib.overload.runs import NAME, Runs
from lib.simulator import build, version

PARTS = {"sweep": sweep, "ablation": ablation, "gain": gain}


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.quick, options.again, options.seed)
    result = PARTS[name].measure(runs)
    return campaign.Found(result, runs.fresh)


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


CAMPAIGN = campaign.Campaign(
    NAME, "More than a drive can take: tables", PARTS,
    campaign.Help(only="has no meaning here", quick="fewer loads, and one seed",
                  seed="the first of the drives and loads (1)"),
    measure, origin)
