# SPDX-License-Identifier: GPL-2.0
"""The parts of the campaign.

A part is a module with

    TITLE                     heading of its section
    measure(work)             runs what is missing, returns a dict for the JSON
    section(result)           its piece of tables.rst
    draw(result, directory)   its pictures
    goals(result)             rows (goal, wanted, measured, verdict)

where `result` is what `measure` returned, with "made" added.
"""

from __future__ import annotations

from types import ModuleType

from lib.ready import kernel_adversary, kernel_cut, kernel_priority, kernel_table, years

PARTS: dict[str, ModuleType] = {"years": years, "table": kernel_table, "adversary": kernel_adversary,
                                "priority": kernel_priority, "cut": kernel_cut}
