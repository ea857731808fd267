# SPDX-License-Identifier: GPL-2.0
"""What is to be measured, by the arguments: cells, for how long, and on how much of the drive."""

from __future__ import annotations

import argparse
import fnmatch
from dataclasses import replace

from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.profiler import cell, limits, plan
from ssdqos.profiler.cell import Cell, Grid
from ssdqos.profiler.plan import Conditioning, Step
from ssdqos.qos.units import MS_PER_S, parse_ms, parse_size, size_text

SECONDS, QUICK_SECONDS = 120, 20
WARM_S, QUICK_WARM_S = 600, 60
# Cycles of four times a cell's length are seen by nobody who waits for a whole grid.
MOST_TIMES = 4
QUICK_SPAN_BYTES = 8 << 30


def depths(text: str) -> tuple[int, ...]:
    try:
        made = sorted({int(word) for word in text.split(",")})
    except ValueError as error:
        raise ToolError(f"--depths {text!r} is no list of numbers, such as 1,8,32") from error
    return tuple(limits.DEPTH.check("--depths", depth) for depth in made)


def sizes(text: str) -> tuple[int, ...]:
    return tuple(limits.SIZE.check("--sizes", size) for size in sorted({parse_size(word) for word in text.split(",")}))


def grid(args: argparse.Namespace) -> Grid:
    made = cell.QUICK if args.quick else cell.FULL
    if args.sizes is not None:
        given = sizes(args.sizes)
        made = replace(made, sizes=given,
                       mix_sizes=tuple(size for size in made.mix_sizes if size in given) or given[:1])
    if args.depths is not None:
        made = replace(made, depths=depths(args.depths))
    return made


def named(args: argparse.Namespace, name: str) -> Cell:
    made = cell.parse(name)
    if args.sim and made.is_fsync():
        raise ToolError(f"{name} is not for --sim: the simulator's loads have no flushes")
    return made


def chosen(args: argparse.Namespace) -> list[Cell]:
    """Of the grid by pattern, and any other by its name; raises ToolError if one is none that can be measured."""
    made = of_grid(args)
    for one in made:
        limits.check_cell("--cells" if args.cells else "cell", one)
    return made


def of_grid(args: argparse.Namespace) -> list[Cell]:
    whole = grid(args).cells()
    if args.sim:
        # its loads have no flushes
        whole = [one for one in whole if not one.is_fsync()]
    if args.cells is None:
        return whole
    made: list[Cell] = []
    for word in args.cells.split(","):
        if "*" not in word and "?" not in word:
            made.append(named(args, word))
            continue
        found = [one for one in whole if fnmatch.fnmatch(one.name, word)]
        if not found:
            raise ToolError(f"no cell is called {word!r}")
        made += found
    return cell.in_order(dict.fromkeys(made))


def seconds_of(args: argparse.Namespace) -> int:
    if args.seconds is None:
        return QUICK_SECONDS if args.quick else SECONDS
    return limits.SECONDS.check("--seconds", args.seconds)


def warm_up_s(args: argparse.Namespace) -> int:
    if args.warm_up is None:
        return QUICK_WARM_S if args.quick else WARM_S
    return limits.WARM_UP_S.check("--warm-up", args.warm_up)


def cell_most_s(args: argparse.Namespace) -> int:
    seconds = seconds_of(args)
    if args.cell_most is None:
        return MOST_TIMES * seconds
    most_ms = parse_ms(args.cell_most)
    if most_ms < seconds * MS_PER_S:
        raise ToolError(f"--cell-most is {args.cell_most}, which is less than the {seconds} s that each cell has")
    return limits.SECONDS.check("--cell-most", most_ms // MS_PER_S, args.cell_most)


def whole_bytes(args: argparse.Namespace) -> int:
    """Of the drive; 0 where its size is not known."""
    if not args.device:
        return 0
    target = Device(args.device)
    if args.size is None:
        if not (found := target.size_bytes()):
            raise ToolError(f"{args.device} is not there, or has no size (--size for a file)")
        return found
    if target.is_block():
        raise ToolError(f"--size is that of a regular file, and {args.device} is none: --range uses its first part only")
    return parse_size(args.size)


def span_bytes(args: argparse.Namespace) -> int:
    """How much of the drive is used; 0 is all of it, where its size is not known.

    A quick plan says how much, since its drive may have terabytes; of a smaller one fio uses what there is.
    """
    whole = whole_bytes(args)
    if args.range is not None:
        wanted = parse_size(args.range)
        if whole and wanted > whole:
            raise ToolError(f"{args.device} has {size_text(whole)}, not {args.range}")
        return wanted
    if args.quick and whole:
        return min(whole, QUICK_SPAN_BYTES)
    return QUICK_SPAN_BYTES if args.quick and args.plan and not args.device else whole


def span_option(args: argparse.Namespace) -> str:
    return str(span_bytes(args)) if span_bytes(args) else "100%"


def steps_of(args: argparse.Namespace) -> list[Step]:
    how = Conditioning(fill=not args.no_fill and not args.sim, warm_s=warm_up_s(args))
    if args.sim:
        how = replace(how, again_s=0)
    return plan.steps([one for one in chosen(args) if not one.is_discard()], seconds_of(args), how, span_option(args),
                      cell_most_s(args))


def discards_of(args: argparse.Namespace) -> list[Cell]:
    return [one for one in chosen(args) if one.is_discard()]
