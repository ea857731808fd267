# SPDX-License-Identifier: GPL-2.0
"""A page is made at one commit: figures of two are no figures of anything.

A campaign that says which program it measured (lib/simulator.py) goes on at another commit with the same one.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from lib.errors import RunError

STAMP = "commit"
PROGRAM, COMMIT = "program", "commit"


def is_same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Of two origins: whether what they measured decides alike."""
    key = PROGRAM if PROGRAM in one and PROGRAM in other else COMMIT
    return one[key] == other[key]


def name_of(made: Mapping[str, str]) -> str:
    """What runs are kept by."""
    return f"program {made[PROGRAM]}" if PROGRAM in made else made[COMMIT]


def refuse_mix(name: str, what: str, found: Collection[str], now: str) -> None:
    """Before anything is measured: what is there already has to be of this commit."""
    others = sorted(set(found) - {now})
    if others:
        raise RunError(f"{name}: {what} of {', '.join(others)}, this is {now}, and a page is made at one commit: "
                       f"go back to that one, or measure everything anew with --anew")


def claim_runs(name: str, directory: Path, now: str, anew: bool) -> None:
    """Runs that are kept belong to one commit, too, which is written beside them."""
    stamp = directory / STAMP
    if anew:
        shutil.rmtree(directory, ignore_errors=True)
    if directory.exists():
        kept = stamp.read_text().strip() if stamp.exists() else "a commit that is not known"
        refuse_mix(name, f"{directory} has runs", [kept], now)
    directory.mkdir(parents=True, exist_ok=True)
    stamp.write_text(f"{now}\n")


def sentence(commits: Collection[str], programs: Collection[str | None] = (None,)) -> str:
    """For the page; None is a program that is not known."""
    found = sorted(set(commits))
    if len(found) == 1:
        return f"All of it was measured at one commit, {found[0]}.\n"
    if len(set(programs)) == 1 and None not in programs:
        return f"Its parts were measured at several commits with the same program: {'; '.join(found)}.\n"
    return ("Its parts were measured at several commits, so figures of different parts can't be compared: "
            f"{'; '.join(found)}.\n")
