# SPDX-License-Identifier: GPL-2.0
"""Replay a block trace on a fresh and an aged drive, in the kernel and in the simulator.

The kernel runs in a virtual machine: null_blk, ssdqos-flash over it, fio.  The
simulator gets the same trace; then, as a proof, the very arrivals that the
kernel has recorded: every request has to complete at the same nanosecond.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from dataclasses import asdict
from pathlib import Path

from ssdqos import compare, kernel, runs, simulator, table, trace
from ssdqos.errors import ToolError
from ssdqos.paths import BUILD_DIR, shown
from ssdqos.simulator import Drive

AGED = {"aged_pct": "100"}
DRIVES = ("fresh", "aged")
EXIT_DIFFERENT = 1
NS_PER_S = 1_000_000_000
NS_PER_US = 1000
LAG_SHARE = 0.99


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trace", type=Path, required=True,
                        help="CSV file (or .gz): time_us,op,offset_bytes,size_bytes")
    parser.add_argument("--size-mb", type=int, required=True, help="capacity of the drives")
    parser.add_argument("--scale-time", type=float, default=1.0, metavar="X",
                        help="multiply the trace's times; 0.5 is twice as fast")
    parser.add_argument("--preset", default="autossd")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="a parameter of both drives; may be repeated")
    parser.add_argument("--kernel", default="6.1")
    parser.add_argument("--seed", type=int, default=1, help="of the drives and of the machine")
    parser.add_argument("--out", type=Path, required=True, help="directory for the results")


def say(started: float, text: str) -> None:
    print(f"ssdqos: {time.monotonic() - started:5.1f} s  {text}", file=sys.stderr, flush=True)


def make_drives(args: argparse.Namespace) -> dict[str, Drive]:
    params = {"preset": args.preset, "seed": str(args.seed)}
    for pair in args.set:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ToolError(f"--set: '{pair}' is not key=value")
        params[key] = value
    return {"fresh": Drive("fresh", args.size_mb, params),
            "aged": Drive("aged", args.size_mb, params | AGED)}


def check_fits(summary: trace.Summary, size_mb: int) -> None:
    if summary.span_bytes > size_mb << 20:
        raise ToolError(f"--size-mb: the trace reaches up to {summary.span_bytes / 2**20:.0f} MiB, "
                        f"beyond the drive's {size_mb} MiB")


def run_kernel(args: argparse.Namespace, rows: list[trace.Row], drives: dict[str, Drive],
               ) -> tuple[dict[str, runs.Run], list[str]]:
    work = BUILD_DIR / "demo"
    work.mkdir(parents=True, exist_ok=True)
    iolog, conf = work / "demo.iolog", work / "demo.conf"
    trace.write_fio(rows, args.scale_time, iolog)
    conf.write_text(f'SIZE_MB={args.size_mb}\nDRIVE_ARGS="{drives["fresh"].table_args()}"\n')
    words = kernel.command(args.kernel, args.seed, work / "vm",
                           {"/demo.iolog": iolog, "/demo.conf": conf}, list(drives))
    kernel.boot(words, work / "vm.log")
    return {name: kernel.read_run(name, work / "vm" / "results") for name in drives}, words


def repeat(recorded: runs.Run, drive: Drive) -> compare.Sameness:
    arrivals = BUILD_DIR / "demo" / f"{drive.name}.arrivals.csv"
    runs.write_arrivals(recorded.requests, arrivals)
    return compare.same(recorded, simulator.run(drive, arrivals))


def describe_run(run: runs.Run, command: list[str]) -> dict:
    """The part of result.json about one run."""
    return {"requests": len(run.requests),
            "duration_s": (run.end_ns() - run.start_ns()) / NS_PER_S,
            "latency_ns": {op: runs.quantiles_ns(run, op) for op in runs.OPERATIONS},
            "waf": run.counters["waf"], "gc_blocks": run.counters["gc_blocks"],
            "gc_blocked_read_pct": run.gc_blocked_read_pct(),
            "counters": run.counters, "command": shlex.join(command)} | run.extra


def lag_us(run: runs.Run, rows: list[trace.Row], scale: float) -> float | None:
    """How late fio's requests come, against the trace; nothing if the block
    layer has cut requests in pieces."""
    if len(run.requests) != len(rows):
        return None
    start_us, start_ns = rows[0].time_us, run.start_ns()
    lags = sorted((request.arrival_ns - start_ns) / NS_PER_US - (row.time_us - start_us) * scale
                  for request, row in zip(run.requests, rows))
    return lags[int(LAG_SHARE * (len(lags) - 1))]


def main(args: argparse.Namespace) -> int:
    started = time.monotonic()
    data = args.out / "data"
    data.mkdir(parents=True, exist_ok=True)
    rows = trace.read(args.trace)
    summary = trace.summarise(rows)
    rows = trace.replayable(rows)
    replayed = (data / "trace.csv").resolve()
    trace.write(rows, replayed)
    check_fits(summary, args.size_mb)
    drives = make_drives(args)
    say(started, f"replaying {len(rows):,} requests in the kernel {args.kernel}")
    kernel_runs, vm_command = run_kernel(args, rows, drives)
    result = {"trace": {"path": shown(args.trace.resolve()), "scale_time": args.scale_time}
              | asdict(summary), "size_mb": args.size_mb, "seed": args.seed,
              "kernel": args.kernel, "runs": {}, "same": {}}
    for name, drive in drives.items():
        say(started, f"replaying in the simulator, {name} drive")
        run = simulator.run(drive, replayed, args.scale_time)
        recorded = kernel_runs[name]
        recorded.extra["lag_p99_us"] = lag_us(recorded, rows, args.scale_time)
        for one, command in ((recorded, vm_command),
                             (run, simulator.command(drive, replayed, args.scale_time))):
            runs.save(one, data)
            result["runs"][one.name] = describe_run(one, command)
        say(started, f"repeating the kernel's run in the simulator, {name} drive")
        sameness = repeat(recorded, drive)
        result["same"][name] = asdict(sameness) | {"holds": sameness.holds()}
    result["wall_s"] = time.monotonic() - started
    (args.out / "result.json").write_text(json.dumps(result, indent=1) + "\n")
    table.show(result)
    return print_proof(result)


def print_proof(result: dict) -> int:
    """One line for each drive; the exit status."""
    for name, sameness in result["same"].items():
        print(f"{name}: the kernel's arrivals, repeated in the simulator: "
              f"{sameness['same_requests']:,} of {sameness['requests']:,} requests and "
              f"{sameness['same_decisions']:,} of {sameness['decisions']:,} GC decisions "
              "at the same nanosecond")
        if not sameness["holds"]:
            print(f"{name}: first difference: {sameness['first_difference']}")
    return 0 if all(same["holds"] for same in result["same"].values()) else EXIT_DIFFERENT
