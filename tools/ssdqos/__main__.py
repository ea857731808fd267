# SPDX-License-Identifier: GPL-2.0
"""python3 -m ssdqos COMMAND: what can be done with emulated and real SSDs."""

from __future__ import annotations

import argparse
import sys

from ssdqos import replay, report, top
from ssdqos.errors import ToolError

# A subcommand is a module: its name, the first line of its docstring as help,
# set_arguments(parser) and main(args) -> exit status.
COMMANDS = [replay, report, top]
EXIT_INPUT = 2


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="ssdqos", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for module in COMMANDS:
        first_line = (module.__doc__ or "").splitlines()[0]
        command = commands.add_parser(module.__name__.rpartition(".")[2], help=first_line,
                                      description=module.__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
        module.set_arguments(command)
        command.set_defaults(main=module.main)
    return top


def main() -> int:
    args = parser().parse_args()
    try:
        return args.main(args)
    except ToolError as error:
        print(f"ssdqos: {error}", file=sys.stderr)
        return EXIT_INPUT


if __name__ == "__main__":
    sys.exit(main())
