# SPDX-License-Identifier: GPL-2.0
"""Which parts there are."""

from __future__ import annotations

import argparse

from lib import campaign
from lib.promise import ablation, kernel, long, matrix, peers, price, recovery, swing, unseen, work
from lib.promise.runs import NAME, Runs
from lib.simulator import build, version

PARTS = {"matrix": matrix, "unseen": unseen, "price": price, "work": work, "ablation": ablation,
         "recovery": recovery, "swing": swing, "kernel": kernel, "peers": peers}


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.again)
    result = PARTS[name].measure(runs, options)
    return campaign.Found(result, runs.fresh)


def measure_long(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.again, place=LONG.runs())
    return campaign.Found(LONG_PARTS[name].measure(runs, options), runs.fresh)


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


HELP = campaign.Help(only="only scenarios of this number, or whose name has this word; may be repeated",
                     quick="fewer scenarios and windows", seed="of the draw (1)")
CAMPAIGN = campaign.Campaign(NAME, "Promises beside drawn neighbours: tables", PARTS, HELP, measure, origin)
LONG_PARTS = {"long": long}
LONG = campaign.Campaign(NAME, "Promises beside drawn neighbours: 200 windows each", LONG_PARTS, HELP, measure_long, origin,
                         page=long.PAGE)
