# SPDX-License-Identifier: GPL-2.0
"""Measure what requests cost on a drive, for promises of throughput.

The drive is filled, overwritten at random and warmed up, then loaded with one
cell after the other: reads and writes, sequential and random, of several sizes
and queue depths, mixtures, and reads beside writes; then discards of some sizes.  What completes in each 100 ms makes
distributions of throughput for windows of 0.1 to 30 s; a cell is made longer
until they have settled, or as long as --cell-most allows.  ALL DATA ON THE DRIVE
IS LOST.  Finished cells are kept beside the profile; the same command goes on
where it was interrupted.

A regular file (made with --size) stands for a drive; --sim measures an emulated
drive in the simulator; --plan writes what fio has to do elsewhere and --logs
reads what it left.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import platform
import sys
from contextlib import nullcontext
from pathlib import Path

from ssdqos import whole_file
from ssdqos.device import Device
from ssdqos.errors import ToolError
from ssdqos.profiler import (build, contents, discards, emulated, estimate, limits, log_directory, plan, progress,
                             rehearsal, sources, unsettled, wanted)
from ssdqos.profiler.cell import Cell
from ssdqos.profiler.checkpoint import Checkpoint
from ssdqos.profiler.fio import Fio
from ssdqos.profiler.measurement import Executor, Measurement
from ssdqos.profiler.plan import Step
from ssdqos.profiler.series import Series
from ssdqos.qos import profile_file
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.units import BYTES_PER_MB, NS_PER_MS, bytes_text, duration_text, ms_text
from ssdqos.trim import disk

EXIT_INTERRUPTED = 130
HTML = ".html"
NAME_WIDTH = 24


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("device", metavar="DEV", nargs="?", type=Path, help="disk, partition, or file with --size")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the profile to write")
    parser.add_argument("--html", action="store_true", help="also draw it: a page beside the profile")
    parser.add_argument("--quick", action="store_true",
                        help="ten minutes, at most half an hour: two sizes, one depth, short cells, 8 GiB of the drive")
    parser.add_argument("--cells", metavar="NAME,...",
                        help="only these, as read-rand-4k-d32, mix-rand-4k-d32-r70, or with * and ?")
    parser.add_argument("--sizes", metavar="SIZE,...", help="such as 4k,64k,1m")
    parser.add_argument("--depths", metavar="N,...", help="queue depths, such as 1,8,32")
    parser.add_argument("--seconds", type=int, metavar="S",
                        help=f"length of a cell (default {wanted.SECONDS}, quick {wanted.QUICK_SECONDS}); "
                             "the longest window is half of it")
    parser.add_argument("--cell-most", metavar="TIME",
                        help="a cell that has not settled is made longer, twice each time, up to this, such as 8m "
                             f"(default {wanted.MOST_TIMES} times --seconds; as long as --seconds: never)")
    parser.add_argument("--warm-up", type=int, metavar="S",
                        help=f"at most so long (default {wanted.WARM_S}, quick {wanted.QUICK_WARM_S})")
    parser.add_argument("--no-fill", action="store_true", help="the drive is full already")
    parser.add_argument("--range", metavar="SIZE", help="use only the first part of the drive; not with --sim")
    parser.add_argument("--size", metavar="SIZE", help="of a regular file")
    parser.add_argument("--checkpoint", type=Path, metavar="DIR", help="finished cells (default: FILE.cells)")
    parser.add_argument("--meta", action="append", default=[], metavar="KEY=VALUE",
                        help="a line of the profile's meta, such as room=12")
    parser.add_argument("--dry-run", action="store_true", help="print the plan and how long it takes")
    parser.add_argument("--yes-destroy", metavar="DEV", help="do not ask; DEV again, as it was written")
    parser.add_argument("--sim", metavar="PRESET", help="measure an emulated drive in the simulator")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the emulated drive")
    parser.add_argument("--size-mb", type=int, metavar="N",
                        help="of the emulated drive, in MiB, such as 1024 (default: that of the preset, 4 to 250 GB)")
    parser.add_argument("--plan", type=Path, metavar="FILE", help="write what fio has to do elsewhere")
    parser.add_argument("--logs", type=Path, metavar="DIR", help="make the profile of what fio left there")


# ---- before it begins ----

def place(args: argparse.Namespace) -> Checkpoint:
    return Checkpoint(args.checkpoint or next_to(args.out, ".cells"))


def next_to(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def check_result(args: argparse.Namespace) -> None:
    """Raises ToolError if the profile could not be made into what is asked for."""
    given_meta(args)
    if args.html:
        try:
            importlib.import_module("ssdqos.profiler.page")
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("ssdqos"):
                raise
            raise ToolError(f"--html needs the Python package {error.name} (Debian: python3-{error.name})") from error
    if args.out:
        whole_file.check(args.out)
        if args.html:
            whole_file.check(next_to(args.out, HTML))


def check_drive(args: argparse.Namespace) -> None:
    """Raises ToolError if it is too small for what is to be done, or its blocks too large."""
    if not args.device:
        return
    span, target = wanted.span_bytes(args), Device(args.device)
    if span < limits.SPAN_BYTES_MIN:
        raise ToolError(f"{bytes_text(span)} of {args.device} are to be used (--size, --range), at least "
                        f"{bytes_text(limits.SPAN_BYTES_MIN)} are needed")
    least = disk.limits(target).block_bytes if target.is_block() else 0
    limits.check_fit([one for one in wanted.chosen(args) if not one.is_discard()], least, span, str(args.device))


def check_measurement(args: argparse.Namespace) -> None:
    """Raises ToolError if what is to be measured makes no profile, or if nothing could be kept."""
    check_drive(args)
    if args.sim:
        drive = simulated(args, Path())
        limits.check_fit(wanted.chosen(args), 0, drive.capacity_bytes, f"the emulated {args.sim}")
    kept = place(args) if args.out or args.checkpoint else None
    if kept:
        kept.check(conditions(args))
    rehearsal.check(wanted.chosen(args), wanted.seconds_of(args), kept.load() if kept else ())


def confirm(args: argparse.Namespace) -> None:
    """Raises ToolError unless somebody has written the device's name."""
    if args.yes_destroy is not None:
        if args.yes_destroy != str(args.device):
            raise ToolError(f"--yes-destroy says {args.yes_destroy}, the device is {args.device}")
        return
    if args.device.exists():
        print(contents.described(Device(args.device)), file=sys.stderr)
    print(f"All data on {args.device} will be lost. Type its name to go on: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip() != str(args.device):
        raise ToolError("nothing was touched")


def show_plan(args: argparse.Namespace, steps: list[Step]) -> None:
    span = wanted.span_bytes(args)
    discards_s = 0 if args.sim else discards.part_s(span) * len(wanted.discards_of(args))
    for step in steps:
        print(f"{step.name:<{NAME_WIDTH}} {step.told()}, {duration_text(estimate.step_s(step, span))}")
    for one in wanted.discards_of(args):
        print(f"{one.name:<{NAME_WIDTH}} {discards.told(one)}" +
              ("" if args.sim else f", {duration_text(discards.part_s(span))}"))
    if any(step.name == plan.FILL for step in steps) and span:
        print(f"filling {bytes_text(span)} is guessed at {estimate.FILL_BYTES_PER_S // BYTES_PER_MB} MB/s; "
              "the drive's own speed counts as soon as it begins")
    most = estimate.longer(steps, wanted.cell_most_s(args), goes_on=not args.sim)
    print(f"{sum(step.cell is not None for step in steps) + len(wanted.discards_of(args))} cells, about "
          f"{duration_text(estimate.seconds(steps, span) + discards_s)}; if none has settled before it has "
          f"{duration_text(wanted.cell_most_s(args))}, {duration_text(estimate.seconds(most, span) + discards_s)}"
          + ("; in the simulator it is faster" if args.sim else ""))


# ---- measuring ----

def simulated(args: argparse.Namespace, directory: Path) -> emulated.Emulated:
    if args.size_mb is not None:
        limits.SIZE_MB.check("--size-mb", args.size_mb)
    return emulated.Emulated(args.sim, args.set, args.size_mb, directory)


def executor(args: argparse.Namespace, directory: Path) -> Executor:
    if args.sim:
        return simulated(args, directory)
    target = Device(args.device)
    target.check_unused()
    return Fio(target)


def conditions(args: argparse.Namespace) -> dict[str, str]:
    """Cells measured under others do not belong together."""
    made = {"device": args.sim or str(args.device.resolve()), "set": " ".join(args.set),
            "size_mb": str(args.size_mb or 0), "seconds": str(wanted.seconds_of(args)), "range": wanted.span_option(args),
            "warm_up_s": str(wanted.warm_up_s(args)), "cell_most_s": str(wanted.cell_most_s(args)),
            "drive": "" if args.sim else Device(args.device).unique()}
    return made | {"simulator": emulated.program()} if args.sim else made


def measure_discards(args: argparse.Namespace, made: Executor, checkpoint: Checkpoint) -> dict[Cell, int]:
    """Without them where the device takes none: then their costs are guessed, as before."""
    cells = wanted.discards_of(args)
    missing = [one for one in cells if one not in checkpoint.load_discards()]
    try:
        if missing and args.sim:
            discards.measure(made, missing, checkpoint, tell_discard)
        elif missing:
            with discards.on_device(Device(args.device), wanted.span_bytes(args)) as on_disk:
                discards.measure(on_disk, missing, checkpoint, tell_discard)
    except ToolError as error:
        print(f"ssdqos: discards are not measured: {error}", file=sys.stderr)
    return {one: ns for one, ns in checkpoint.load_discards().items() if one in cells and is_told(one, ns)}


def is_told(one: Cell, ns: int) -> bool:
    """What takes longer than a profile can say is left out: guessed, as where it was not measured."""
    if ns > profile_file.NS_MAX:
        print(f"ssdqos: {one.name} takes {ns / NS_PER_MS:.0f} ms, more than a profile can say: it is left out",
              file=sys.stderr)
    return ns <= profile_file.NS_MAX


def tell_discard(one: Cell, ns: int) -> None:
    print(f"ssdqos: {one.name} {ns / NS_PER_MS:.3g} ms", file=sys.stderr, flush=True)


def measure(args: argparse.Namespace, steps: list[Step]) -> tuple[dict[Cell, Series], dict[str, str], dict[Cell, int]]:
    checkpoint = place(args)
    made = executor(args, checkpoint.path)
    if not args.sim and (args.device.exists() or args.yes_destroy is not None):
        confirm(args)
    with checkpoint.alone():
        return measure_into(checkpoint, made, args, steps)


def measure_into(checkpoint: Checkpoint, made: Executor, args: argparse.Namespace,
                 steps: list[Step]) -> tuple[dict[Cell, Series], dict[str, str], dict[Cell, int]]:
    if checkpoint.begin(conditions(args)):
        made.forget()
    cells = sum(step.cell is not None for step in steps)
    run = Measurement(made, checkpoint, wanted.span_option(args), cell_most_s=wanted.cell_most_s(args))
    remaining = estimate.Remaining(run.remaining(steps, checkpoint.load()), wanted.span_bytes(args))
    alone = nullcontext() if args.sim else Device(args.device).held()
    with alone, progress.shown(cells, remaining) as run.tell:
        counted = run.run(steps)
    meta = made.identity() | {"seconds_per_cell": str(wanted.seconds_of(args)),
                              "cell_most_s": str(wanted.cell_most_s(args)), "warm_up_s": str(run.warmed_s),
                              "filled_pct": "100" if args.sim or not args.no_fill else "unknown"}
    if wanted.span_bytes(args):
        meta["range_bytes"] = str(wanted.span_bytes(args))
    note_order(counted, int(meta.get("range_bytes") or meta.get("capacity_bytes", 0)))
    return counted, meta, measure_discards(args, made, checkpoint)


def note_order(counted: dict[Cell, Series], drive_bytes: int) -> None:
    """Sequential writes are measured where random ones were before; the second time round they are not."""
    for one, counts in counted.items():
        written = sum(counts.writes) * one.bytes
        if one.leaves_order() and not one.is_stop() and drive_bytes and written > drive_bytes:
            print(f"ssdqos: {one.name} wrote {written / drive_bytes:.1f} times what there is, and met its own order: "
                  "shorter cells or a larger drive show more of what random writes leave behind", file=sys.stderr)


def given_meta(args: argparse.Namespace) -> dict[str, str]:
    made = {"date": datetime.date.today().isoformat(), "quick": str(int(args.quick))}
    for word in args.meta:
        key, equals, value = word.partition("=")
        if not key or not equals or len(key.split()) != 1 or len(value.splitlines()) > 1:
            raise ToolError(f"--meta {word!r} is not KEY=VALUE in one line")
        made[key] = value
    return made


def finish(args: argparse.Namespace, counted: dict[Cell, Series], meta: dict[str, str],
           discards_ns: dict[Cell, int]) -> Profile:
    profile = build.build(counted, meta | given_meta(args), discards_ns)
    profile_file.write(profile, args.out)
    print(f"profile: {args.out}")
    if args.html:
        from ssdqos.profiler import page  # matplotlib is not needed for the rest
        path = next_to(args.out, HTML)
        whole_file.replace(path, page.write(profile, counted))
        print(f"page: {path}")
    for line in unsettled.sentences(profile):
        print(line)
    if args.quick:
        print(quick_said(args, profile))
    profile.words()  # raises ToolError if the kernel would not take it; the file can be made shorter
    return profile


def quick_said(args: argparse.Namespace, profile: Profile) -> str:
    return (f"This was quick: cells of {wanted.seconds_of(args)} s, so no window above {ms_text(profile.windows_ms[-1])}; what the "
            "drive does less often than every few seconds may be missing, and so may sizes and depths.")


def main(args: argparse.Namespace) -> int:
    """All that can be wrong is said before anything is touched: a measurement takes hours, and what was on the drive is lost."""
    sources.check(args)
    check_result(args)
    if args.logs:
        counted, meta = log_directory.read(args.logs)
        finish(args, counted, meta | {"kernel": platform.release()} if not args.meta else meta, {})
        return 0
    steps = wanted.steps_of(args)
    if args.plan:
        check_drive(args)
        whole_file.replace(args.plan, plan.text(steps))
        return 0
    check_measurement(args)
    if args.dry_run:
        show_plan(args, steps)
        return 0
    try:
        finish(args, *measure(args, steps))
    except KeyboardInterrupt:
        print("ssdqos: interrupted; the same command goes on with the cells that are missing", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 0
