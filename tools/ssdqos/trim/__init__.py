# SPDX-License-Identifier: GPL-2.0
"""Look after discards (TRIM) that are kept and sent while the drive is quiet.

    status   what each drive keeps, and what became of the rest
    flush    send all of it now
    advise   measure what discards cost on a drive, and propose parameters

Discards are kept where a drive has drive_trim=batch.
"""

from __future__ import annotations

import argparse

from ssdqos.trim import advise, flush, kept

ACTIONS = {"status": kept, "flush": flush, "advise": advise}


def set_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, module in ACTIONS.items():
        action = actions.add_parser(name, help=(module.__doc__ or "").splitlines()[0], description=module.__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
        module.set_arguments(action)
        action.set_defaults(action=module.main)


def main(args: argparse.Namespace) -> int:
    return args.action(args)
