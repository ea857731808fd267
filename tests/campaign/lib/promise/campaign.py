# SPDX-License-Identifier: GPL-2.0
"""Which parts there are."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from types import ModuleType

from lib import campaign
from lib.errors import RunError
from lib.promise import ablation, asking, attack, backlogs, fresh, kernel, long, lulls, matrix, other_drives, pauses, peers, price, recovery, strangers, swing, unseen, work
from lib.promise.runs import NAME, Runs
from lib.simulator import SIMULATED as SIMULATOR_SOURCES
from lib.simulator import SOURCES, build_trained, commit_of, is_changed, program

HELP = campaign.Help(only="only scenarios of this number, or whose name has this word; may be repeated",
                     quick="fewer scenarios and windows", seed="of the draw (1)")
QUICK = "--quick"
# Of a part that keeps no rows: from so many are its sums.
SUMMED = "scenarios"
ELSEWHERE = "name another folder with --docs (what was run is kept), or begin again with --anew"


def origin(sources: Sequence[str], options: argparse.Namespace) -> dict:
    return {"commit": commit_of(options.module)} | ({} if options.module else {"program": program(sources)})


def has_a_name(sources: Sequence[str], options: argparse.Namespace) -> bool:
    """The program: two with changes, or two modules that were given, can't be told apart by what their pages say."""
    return not options.module and not is_changed(sources)


def scenarios(result: dict, seed: int) -> set[tuple[int, int]]:
    """What a result lists: a number is another scenario with another seed."""
    return {(seed, row["number"]) for row in result.get("rows", []) if "number" in row}


def refuse_shorter(part: str, before: dict, options: argparse.Namespace) -> None:
    """Before anything runs."""
    if before and options.quick and QUICK not in before["made"]["options"].split():
        raise RunError(f"{part}: the page was made without {QUICK}, with more windows; it stays as it is: {ELSEWHERE}")


def refuse_loss(part: str, before: dict, result: dict, seed: int) -> None:
    """What a page has took hours, and a page of scenarios that somebody chose is no draw."""
    if not before:
        return
    had, has = before.get(SUMMED, 0), result.get(SUMMED, 0)
    if has < had:
        raise RunError(f"{part}: the page has {had} scenarios and this {has}; it stays as it is: {ELSEWHERE}")
    lost = scenarios(before, before["made"]["seed"]) - scenarios(result, seed)
    if lost:
        raise RunError(f"{part}: the page has {len(lost)} scenarios of seed {before['made']['seed']} that are not among these; "
                       f"it stays as it is: {ELSEWHERE}")


def page(title: str, parts: dict[str, ModuleType], name: str = "", sources: Sequence[str] = SIMULATOR_SOURCES) -> campaign.Campaign:
    """Its runs and profiles are kept apart from those of other pages, as it may be of another commit.  `sources` is what was measured."""
    def measure(part: str, options: argparse.Namespace) -> campaign.Found:
        runs = Runs(build_trained("build"), options.again, place=made.runs(), given=options.profiles)
        before = {} if options.anew else campaign.written(made, options).get(part, {})
        refuse_shorter(part, before, options)
        if has_a_name(sources, options) and not options.again:
            runs.know(before.get("rows", []))
        result = parts[part].measure(runs, options)
        refuse_loss(part, before, result, options.seed)
        return campaign.Found(result, runs.fresh)

    made = campaign.Campaign(NAME, f"Promises beside drawn neighbours: {title}", parts, HELP, measure, partial(origin, sources), page=name)
    return made


SIMULATED = page("tables", {"unseen": unseen, "price": price, "work": work, "ablation": ablation, "recovery": recovery,
                            "swing": swing})
IN_KERNEL = page("in the kernel", {"kernel": kernel}, "kernel", SOURCES)
PEERS = page("and other controllers", {"peers": peers}, "peers", SOURCES)
DRAWN = page("scenarios", {"matrix": matrix}, "matrix")
FRESH = page("scenarios that this program draws", {"fresh": fresh}, "fresh")
LONG = page("200 windows each", {"long": long}, "long")
DRIVES = page("drives that were drawn, too", {"drives": other_drives}, "drives")
STRANGERS = page("neighbours that were drawn, too", {"strangers": strangers}, "strangers")
PAUSES = page("owners that come and go", {"pauses": pauses}, "pauses")
BACKLOGS = page("owners that pause beside backlogs", {"backlogs": backlogs}, "backlogs")
LULLS = page("neighbours that behave, and then do not", {"lulls": lulls}, "lulls")
ASKING = page("owners that ask for less", {"asking": asking}, "asking")
ATTACK = page("neighbours that were searched for", {"attack": attack}, "attack")
PAGES = (SIMULATED, IN_KERNEL, PEERS, DRAWN, FRESH, LONG, DRIVES, STRANGERS, PAUSES, BACKLOGS, LULLS, ASKING, ATTACK)
