# SPDX-License-Identifier: GPL-2.0
"""Which parts there are, and how one is run.

Beside what lib/tables.py wants of it, a part has

    measure(work)             runs what is missing, returns a dict for the JSON
"""

from __future__ import annotations

import argparse

from lib import campaign
from lib.ready import kernel_adversary, kernel_cut, kernel_priority, kernel_table, seeds, years
from lib.ready.work import NAME, Work
from lib.simulator import version

PARTS = {"years": years, "seeds": seeds, "table": kernel_table, "adversary": kernel_adversary,
         "priority": kernel_priority, "cut": kernel_cut}


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    work = Work(campaign.runs_of(NAME), options.quick, options.again, tuple(options.only or ()),
                options.seed, options.module)
    result = PARTS[name].measure(work)
    return campaign.Found(result, work.fresh)


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


CAMPAIGN = campaign.Campaign(
    NAME, "A drive that lasts as long as promised: tables", PARTS,
    campaign.Help(only="of a part, only these runs", quick="shorter runs",
                  seed="of the loads and the machine (1)"),
    measure, origin)
