# SPDX-License-Identifier: GPL-2.0
"""Promises of throughput, and emulated and real SSDs."""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
from types import ModuleType

from ssdqos import __version__, standard_output
from ssdqos.errors import ToolError, sentence

# A subcommand is a module: its name, the first line of its docstring as help,
# set_arguments(parser) and main(args) -> exit status.  Only the one that is
# called is loaded: some need packages that a server does not have.
COMMANDS = ("profile", "admit", "create", "remove", "set", "save", "restore", "top", "metrics", "forecast", "wear",
            "trim", "mirror")
EXIT_INPUT = 2
# As the shell says it, with the number of a signal; the units take that of SIGTERM for no failure.
EXIT_SIGNAL = 128


def load(name: str) -> ModuleType | None:
    """None if a package that it needs is not installed."""
    try:
        return importlib.import_module(f"ssdqos.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ssdqos"):
            raise
        if name in sys.argv[1:2]:
            raise ToolError(f"{name} needs the Python package {error.name} (Debian: python3-{error.name})") from error
        return None


def parser(words: list[str]) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="ssdqos", description=__doc__)
    made.add_argument("--version", action="version", version=f"ssdqos {__version__}")
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for name in words[:1] if words[0:1] and words[0] in COMMANDS else COMMANDS:
        module = load(name)
        if module is None:
            continue
        first_line = (module.__doc__ or "").splitlines()[0]
        command = commands.add_parser(name, help=first_line, description=module.__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
        module.set_arguments(command)
        command.set_defaults(main=module.main)
    return made


def parse(words: list[str]) -> argparse.Namespace:
    """KEY=VALUE may also stand behind options, which argparse does not know."""
    made = parser(words)
    args, rest = made.parse_known_args(words)
    if rest and hasattr(args, "keys") and not any(word.startswith("-") for word in rest):
        args.keys = [*args.keys, *rest]
    elif rest:
        made.error(f"unrecognized arguments: {' '.join(rest)}")
    return args


def terminate(number: int, _: object) -> None:
    """The machine is shut down, or the terminal is gone: what was begun is tidied up on the way out."""
    raise SystemExit(EXIT_SIGNAL + number)


def heed_signals() -> None:
    """But those that the caller ignores, as nohup does."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, terminate)


def run() -> int:
    try:
        args = parse(sys.argv[1:])
        return args.main(args)
    except ToolError as error:
        print(f"ssdqos: {error}", file=sys.stderr)
        return EXIT_INPUT
    except OSError as error:
        if standard_output.is_of(error):
            raise
        print(f"ssdqos: {sentence(error)}", file=sys.stderr)
        return EXIT_INPUT


def main() -> int:
    heed_signals()
    try:
        with standard_output.named():
            return run()
    except KeyboardInterrupt:
        return EXIT_SIGNAL + signal.SIGINT
    except OSError as error:
        return standard_output.failed(error, "ssdqos")


if __name__ == "__main__":
    sys.exit(main())
