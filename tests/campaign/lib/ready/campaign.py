# SPDX-License-Identifier: GPL-2.0
"""Which pages and parts there are, and how one is run.

Beside what lib/tables.py wants of it, a part has

    measure(work)             runs what is missing, returns a dict for the JSON

Short lives take minutes, the others hours: so they are a page of their own.
"""

from __future__ import annotations

import argparse

from lib import campaign
from lib.ready import (kernel_adversary, kernel_cut, kernel_priority, kernel_table, neighbourhood, seeds,
                       years)
from lib.ready.work import NAME, Work
from lib.simulator import version

PARTS = {"years": years, "table": kernel_table, "adversary": kernel_adversary,
         "priority": kernel_priority, "cut": kernel_cut}
SHORT_PARTS = {"seeds": seeds, "neighbourhood": neighbourhood}
HELP = campaign.Help(only="of a part, only these runs", quick="shorter runs",
                     seed="of the loads and the machine (1)")


def measure(name: str, options: argparse.Namespace) -> campaign.Found:
    page = CAMPAIGN if name in PARTS else SHORT
    work = Work(page.runs(), options.quick, options.again, tuple(options.only or ()), options.seed,
                options.module)
    result = page.parts[name].measure(work)
    return campaign.Found(result, work.fresh)


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


CAMPAIGN = campaign.Campaign(NAME, "A drive that lasts as long as promised: tables", PARTS, HELP, measure, origin)
SHORT = campaign.Campaign(NAME, "A drive that lasts as long as promised: short lives", SHORT_PARTS, HELP, measure,
                          origin, page="short")
