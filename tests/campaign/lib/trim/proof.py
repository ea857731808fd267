# SPDX-License-Identifier: GPL-2.0
"""Pages of what measures itself: that nothing is lost, what profiles say, and what the tool says of a disk that is not ours."""

from __future__ import annotations

import argparse

from lib import boots, campaign
from lib.machine import Machine
from lib.simulator import version
from lib.trim import advise, cut, model, priced, storm
from lib.trim.runs import NAME

PROOF_PARTS = {"storm": storm, "cut": cut}
DEVICE_PARTS = {"advise": advise}
MODEL_PARTS = {"model": model}
PROFILE_PARTS = {"profile": priced}
ALONE = {"cut": cut, **MODEL_PARTS, **PROFILE_PARTS}
say = campaign.teller(NAME)


def measure(name: str, options: argparse.Namespace) -> campaign.Found | None:
    """Boots that were made before are kept."""
    if name in ALONE:
        page = next(page for page in (PROOF, MODEL, PROFILE) if name in page.parts)
        return ALONE[name].measure(options, page.runs())
    page = PROOF if name in PROOF_PARTS else DEVICE
    part = page.parts[name]
    machine = Machine(NAME, (), page.runs() / name, options.module, options.seed)
    made, fresh = boots.make(machine, part.jobs(options.seed, options.quick), options, lambda text: say(f"{name}: {text}"))
    found = {job.name: part.read(kept) for job, kept in made}
    return campaign.Found({"boots": found}, fresh) if found else None


def origin(_: argparse.Namespace) -> dict:
    return {"commit": version()}


HELP = campaign.Help(only="only these storms, such as slow", quick="fewer operations and cuts",
                     seed="of operations and moments (1)")
PROOF = campaign.Campaign(NAME, "Discards that are kept: nothing is lost", PROOF_PARTS, HELP, measure, origin, page="proof")
DEVICE = campaign.Campaign(NAME, "Discards of a disk that is not ours", DEVICE_PARTS, HELP, measure, origin, page="device")
MODEL = campaign.Campaign(NAME, "Discards that are kept, against a model", MODEL_PARTS, HELP, measure, origin, page=model.PAGE)
PROFILE = campaign.Campaign(NAME, "Discards in a profile", PROFILE_PARTS, HELP, measure, origin, page=priced.PAGE)
