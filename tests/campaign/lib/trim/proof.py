# SPDX-License-Identifier: GPL-2.0
"""The page of what is proved of discards that are kept: that nothing is lost."""

from __future__ import annotations

import argparse

from lib import boots, campaign
from lib.machine import Machine
from lib.simulator import version
from lib.trim import cut, storm
from lib.trim.runs import NAME

PARTS = {"storm": storm, "cut": cut}
say = campaign.teller(NAME)


def measure(name: str, options: argparse.Namespace) -> campaign.Found | None:
    if name == "cut":
        return cut.measure(options, PROOF.runs())
    machine = Machine(NAME, (), PROOF.runs() / name, options.module, options.seed)
    made, fresh = boots.make(machine, storm.jobs(options.seed, options.quick), options, lambda text: say(f"{name}: {text}"))
    found = {job.name: storm.read(kept) for job, kept in made}
    return campaign.Found({"boots": found}, fresh) if found else None


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


PROOF = campaign.Campaign(
    NAME, "Discards that are kept: nothing is lost", PARTS,
    campaign.Help(only="only these storms, such as slow", quick="fewer operations and cuts",
                  seed="of operations and moments (1)"),
    measure, origin, page="proof")
