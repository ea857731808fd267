# SPDX-License-Identifier: GPL-2.0
"""The documents of a campaign that consists of parts: tables.rst, NAME.json and pictures; index.rst
is written by hand.  Of another page than the first: PAGE.rst and PAGE.json.

A part is a module with

    TITLE                     heading of its section
    section(result)           its piece of tables.rst
    draw(result, directory)   its pictures
    goals(result)             rows (goal, wanted, measured, verdict), if it has any

where `result` is what was measured, with "made" added.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from lib import charts, origin, rst

if TYPE_CHECKING:
    from lib.campaign import Campaign


# Who names none has this one.
SEED = 1
# A folder of its own: the page's own would be found there and taken from it, or is of another commit.
AGAIN = "--docs /tmp/again"


def json_name(campaign: Campaign) -> str:
    return f"{campaign.page or campaign.name}.json"


def command_of(campaign: Campaign, name: str, result: dict) -> str:
    """The command that makes it again, and what it was made of."""
    made = result["made"]
    facts = [made["date"], f"commit {made['commit']}"]
    facts += [f"Linux {made['kernel']}"] if "kernel" in made else []
    facts += [f"seed {made['seed']}"]
    seed = f" --seed {made['seed']}" if made["seed"] != SEED else ""
    return rst.command(f"./run campaign {campaign.name}{made['options']}{seed} {AGAIN} {name}    # {', '.join(facts)}")


def measured(campaign: Campaign, results: dict) -> Iterator[tuple[str, ModuleType, dict]]:
    """Parts that have a result, in the campaign's order."""
    for name, part in campaign.parts.items():
        if name in results:
            yield name, part, results[name]


def goals(campaign: Campaign, results: dict) -> list[str]:
    rows = [row for _, part, result in measured(campaign, results) if hasattr(part, "goals")
            for row in part.goals(result)]
    if not rows:
        return []
    return [rst.heading("Goals", "-"), rst.table(["goal", "wanted", "measured", ""], rows)]


def origin_text(made: list[dict]) -> str:
    return origin.sentence([one[origin.COMMIT] for one in made], [one.get(origin.PROGRAM) for one in made])


def text(campaign: Campaign, results: dict) -> str:
    numbers = json_name(campaign)
    pieces = [".. SPDX-License-Identifier: GPL-2.0\n", rst.heading(campaign.title, "="),
              f"Made by ``tests/campaign/{campaign.name}``; all numbers are in `{numbers} <{numbers}>`_.\n",
              origin_text([result["made"] for result in results.values()]) if results else "",
              *goals(campaign, results)]
    for name, part, result in measured(campaign, results):
        pieces += [rst.heading(part.TITLE, "-"), part.section(result),
                   command_of(campaign, name, result)]
    return rst.page(*pieces)


def write(campaign: Campaign, results: dict, directory: Path) -> Path:
    """Returns where the tables are; without matplotlib, pictures are left as they are."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / json_name(campaign)).write_text(json.dumps(results, indent=1) + "\n")
    path = directory / f"{campaign.page or 'tables'}.rst"
    path.write_text(text(campaign, results))
    if charts.available():
        for _, part, result in measured(campaign, results):
            part.draw(result, directory)
    return path
