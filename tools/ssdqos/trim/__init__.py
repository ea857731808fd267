# SPDX-License-Identifier: GPL-2.0
"""Look after discards (TRIM) that are kept and sent while the drive is quiet.

    status   what each drive keeps, and what became of the rest
    flush    send all of it now
    advise   measure what discards cost on a drive, and propose parameters

Discards are kept where a drive has drive_trim=batch.
"""

from __future__ import annotations

import argparse

from ssdqos import actions
from ssdqos.trim import advise, flush, kept

ACTIONS = {"status": kept, "flush": flush, "advise": advise}


main = actions.main


def set_arguments(parser: argparse.ArgumentParser) -> None:
    actions.set_arguments(parser, ACTIONS)
