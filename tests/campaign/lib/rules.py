# SPDX-License-Identifier: GPL-2.0
"""The rules of the control of guarantees, each with the parameter that switches it off."""

from __future__ import annotations

RULES = {"debt": "drive_debt=off", "pace": "drive_pace=off", "owe": "drive_owe=off", "lead": "drive_lead=off",
         "budget": "drive_budget=off", "away": "drive_away=off", "lend": "drive_lend=off",
         "catch_up": "drive_catch_up=off", "plateau": "drive_plateau=off",
         "narrow": "drive_narrow=off", "credit": "drive_credit_ms=0", "margin": "drive_margin_permille=0"}
ALL, NONE = "all rules", "plain EDF"
TEXT = """\
*Debt* holds back neighbours' writes by what they cost in the end, *pace* slows spare work down while an owner
is late, *owe* gives back what the drive kept requests for, *lead* begins windows faster and gives those that
slide time to make up, *budget* keeps spare work from trying again what broke a promise, *away* holds writes back while
owners are away who missed windows when they came back, *lend* gives others what owners don't ask for, with *catch_up* nobody is
slowed for what an owner's window can make up for, with *plateau* spare work stays for a while near a rate that made
owners late, with *narrow* the drive
gets fewer requests at a time while a client with few of them waits in it, *credit* lets a client keep unused time
for a moment, and with *margin* a rate owns a little more than it costs. Plain EDF has none of them.
"""


def cases() -> dict[str, tuple[str, ...]]:
    """Parameters by the case's title: with all rules, without one each, without any."""
    return {ALL: (), **{f"without {rule}": (word,) for rule, word in RULES.items()}, NONE: tuple(RULES.values())}
