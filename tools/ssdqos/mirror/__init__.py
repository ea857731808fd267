# SPDX-License-Identifier: GPL-2.0
"""Make mirrors whose members take turns, and look after them.

    create   make one of two to eight devices and one for its metadata
    status   what its members do, and what has to be copied
    fail     give a member up, before it is pulled out
    join     a member is back
    replace  another disk in place of a member
    grow     it becomes larger, or gets more members
    reconnected  an NVMe controller has its link again: members behind it come back
    scrub    compare members, and mend what differs
    remove   take it away; what is on its members stays

`ssdqos save` writes mirrors down in /etc/ssdqos, too, and they come back at boot.
"""

from __future__ import annotations

import argparse

from ssdqos import actions
from ssdqos.mirror import create, fail, grow, join, reconnected, remove, replace, scrub, status

ACTIONS = {"create": create, "status": status, "fail": fail, "join": join, "replace": replace,
           "grow": grow, "reconnected": reconnected, "scrub": scrub, "remove": remove}


main = actions.main


def set_arguments(parser: argparse.ArgumentParser) -> None:
    actions.set_arguments(parser, ACTIONS)
