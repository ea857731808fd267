# SPDX-License-Identifier: GPL-2.0
"""A command of several actions, each a module with set_arguments() and main()."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import ModuleType


def set_arguments(parser: argparse.ArgumentParser, modules: Mapping[str, ModuleType]) -> None:
    """What an action is for is the first line of its module's text."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, module in modules.items():
        action = actions.add_parser(name, help=(module.__doc__ or "").splitlines()[0], description=module.__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
        module.set_arguments(action)
        action.set_defaults(action=module.main)


def main(args: argparse.Namespace) -> int:
    return args.action(args)
