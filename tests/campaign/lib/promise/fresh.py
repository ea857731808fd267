# SPDX-License-Identifier: GPL-2.0
"""Part `fresh`: scenarios as those of `matrix`, in a draw at which nobody can have looked.

Rules of the control were made where scenarios of other draws had fallen short, so those say how far that went, and not
what comes.  Here the program's own name is the seed: whatever is changed in it draws others.
"""

from __future__ import annotations

import argparse
import re

from lib import rst
from lib.errors import RunError
from lib.promise import cases, matrix
from lib.promise.runs import Runs
from lib.simulator import SIMULATED, is_changed, program

TITLE = "Scenarios that this program draws"
goals, draw = matrix.goals, matrix.draw


def seed_of(name: str) -> int:
    """Of a program, with or without a word on its changes."""
    return int(re.match(r"[0-9a-f]+", name)[0], 16)


def measure(runs: Runs, options: argparse.Namespace) -> dict:
    if is_changed(SIMULATED):
        raise RunError("fresh: sources differ from the commit's, which has drawn these: commit them, and they draw others")
    name = program(SIMULATED)
    drawn = argparse.Namespace(**vars(options) | {"seed": seed_of(name)})
    return {"drawn_by": name, "rows": matrix.rows_of(runs, matrix.chosen(
        runs, drawn, cases.asked(options, matrix.QUICK_SCENARIOS, matrix.SCENARIOS)))}


def section(result: dict) -> str:
    return rst.page(
        f"Drawn with the seed {seed_of(result['drawn_by'])}, which is the program's name, {result['drawn_by']}: a digest of all its\n"
        "sources.  So nobody can have looked at these while building it, and the next change of it draws others.\n"
        + matrix.interval_text(matrix.flat(result["rows"])),
        matrix.section(result))
