# SPDX-License-Identifier: GPL-2.0
"""Which parts there are."""

from __future__ import annotations

import argparse

from lib import campaign
from lib.simulator import build, version
from lib.trim import beside, cost, order
from lib.trim.runs import NAME, Runs

PARTS = {"cost": cost, "order": order, "beside": beside}


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.quick, options.again)
    result = PARTS[name].measure(runs)
    return campaign.Found(result, runs.fresh)


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


CAMPAIGN = campaign.Campaign(
    NAME, "Discards: tables", PARTS,
    campaign.Help(only="has no meaning here", quick="three seeds", seed="has no meaning here: seeds are 1 to 10"),
    measure, origin)
