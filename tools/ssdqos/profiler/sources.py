# SPDX-License-Identifier: GPL-2.0
"""What a profile is made from, and which options mean something with it."""

from __future__ import annotations

import argparse

from ssdqos.errors import ToolError

DEVICE, SIMULATOR, LOGS, PLAN = "DEV", "--sim", "--logs", "--plan"
MEASURED = (DEVICE, SIMULATOR)
PLANNED = (*MEASURED, PLAN)
MADE = (*MEASURED, LOGS)
# By the name of the argument.  An emulated drive is full: with it --no-fill says what is so.
OPTIONS = {
    "device": (DEVICE, PLAN), "sim": (SIMULATOR,), "logs": (LOGS,), "plan": (PLAN,),
    "out": MADE, "html": MADE, "meta": MADE,
    "quick": PLANNED, "cells": PLANNED, "sizes": PLANNED, "depths": PLANNED, "seconds": PLANNED, "warm_up": PLANNED,
    "no_fill": PLANNED,
    "cell_most": MEASURED, "checkpoint": MEASURED, "dry_run": MEASURED,
    "range": (DEVICE, PLAN), "size": (DEVICE, PLAN),
    "yes_destroy": (DEVICE,),
    "set": (SIMULATOR,), "size_mb": (SIMULATOR,),
}


def is_given(args: argparse.Namespace, name: str) -> bool:
    """0 is given, too."""
    value = getattr(args, name)
    return value is not None and value is not False and value != []


def option(name: str) -> str:
    return DEVICE if name == "device" else "--" + name.replace("_", "-")


def source(args: argparse.Namespace) -> str:
    """Raises ToolError unless there is one."""
    if args.plan is not None:
        return PLAN
    found = [one for one, value in ((DEVICE, args.device), (SIMULATOR, args.sim), (LOGS, args.logs)) if value is not None]
    if len(found) != 1:
        raise ToolError("one of DEV, --sim and --logs says what is measured")
    if args.sim == "":
        raise ToolError("--sim '' is no preset and no file of the simulator")
    return found[0]


def check(args: argparse.Namespace) -> None:
    """Raises ToolError with the first option that means nothing here."""
    chosen = source(args)
    for name, means in OPTIONS.items():
        if is_given(args, name) and chosen not in means:
            raise ToolError(f"{option(name)} means nothing with {chosen}, only with {' and '.join(means)}")
    if args.size is not None and args.device is None:
        raise ToolError("--size is that of DEV, a regular file, and there is no DEV")
    if chosen in MADE and args.out is None and not args.dry_run:
        raise ToolError("--out FILE says where the profile goes")
