# SPDX-License-Identifier: GPL-2.0
"""Which parts there are, and how one is run: in the simulator, but for power cuts, which are a page of their own."""

from __future__ import annotations

import argparse

from lib import campaign
from lib.ianus import cuts, figures, mixtures, traces
from lib.ianus.runs import NAME, Runs
from lib.simulator import build, version

PARTS = {"figures": figures, "traces": traces, "mixtures": mixtures}


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    runs = Runs(build("build"), options.quick, options.again)
    result = PARTS[name].measure(runs)
    return campaign.Found(result, runs.fresh)


def cut(_: str, options: argparse.Namespace) -> campaign.Found:
    return cuts.measure(options, CUTS.runs())


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


HELP = campaign.Help(only="of no use here", quick="one seed, shorter runs, fewer cuts",
                     seed="of the moments of cuts (1); runs have seeds 1 to 3")
CAMPAIGN = campaign.Campaign(NAME, "A mirror whose members take turns: tables", PARTS, HELP, measure, origin)
CUTS = campaign.Campaign(NAME, "A mirror whose members take turns: power cuts", {"cuts": cuts}, HELP, cut, origin, page="cuts")
