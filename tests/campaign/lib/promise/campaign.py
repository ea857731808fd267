# SPDX-License-Identifier: GPL-2.0
"""Which parts there are."""

from __future__ import annotations

import argparse
from types import ModuleType

from lib import campaign
from lib.promise import ablation, kernel, long, matrix, peers, price, recovery, swing, unseen, work
from lib.promise.runs import NAME, Runs
from lib.simulator import build, version

PARTS = {"unseen": unseen, "price": price, "work": work, "ablation": ablation,
         "recovery": recovery, "swing": swing, "kernel": kernel, "peers": peers}


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.again)
    result = PARTS[name].measure(runs, options)
    return campaign.Found(result, runs.fresh)


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


HELP = campaign.Help(only="only scenarios of this number, or whose name has this word; may be repeated",
                     quick="fewer scenarios and windows", seed="of the draw (1)")
CAMPAIGN = campaign.Campaign(NAME, "Promises beside drawn neighbours: tables", PARTS, HELP, measure, origin)


def apart(name: str, title: str, part: ModuleType) -> campaign.Campaign:
    """A page of one part, whose runs and profiles are kept apart, as it may be of another commit."""
    def measure_part(_: str, options: argparse.Namespace) -> campaign.Found:
        runs = Runs(build("build"), options.again, place=page.runs())
        return campaign.Found(part.measure(runs, options), runs.fresh)

    page = campaign.Campaign(NAME, f"Promises beside drawn neighbours: {title}", {name: part}, HELP, measure_part, origin,
                             page=name)
    return page


DRAWN = apart("matrix", "scenarios", matrix)
LONG = apart("long", "200 windows each", long)
