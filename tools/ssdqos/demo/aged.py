# SPDX-License-Identifier: GPL-2.0
"""A block trace on a fresh and an aged drive, in the kernel and in the simulator.

The kernel runs in a virtual machine: null_blk, ssdqos-flash over it, fio.  The
simulator gets the same trace; then, as a proof, the very arrivals that the
kernel has recorded: every request has to complete at the same nanosecond.
"""

from __future__ import annotations

import argparse
import shlex
from dataclasses import asdict
from pathlib import Path

from ssdqos.demo import aged_pictures, compare, kernel, recorded, runs, simulator, trace
from ssdqos.demo.part import Say
from ssdqos.demo.picture import Picture
from ssdqos.demo.simulator import Drive
from ssdqos.demo.table import Table
from ssdqos.errors import ToolError
from ssdqos.paths import BUILD_DIR, TOP_DIR, shown

NAME = "aged"
TITLE = "A fresh and an aged drive, in Linux and in the simulator"
ABOUT = ("What a database did to its disk was recorded, and is repeated on two emulated SSDs: one that was never "
         "written, and one that is full and therefore has to collect garbage. The simulator does the same, and is as "
         "good as the kernel: the same arrivals end at the same nanosecond.")
TRACE = TOP_DIR / "tests/traces/sqlite.csv.gz"
TRACE_S, SIZE_MB, PRESET = 4.0, 576, "autossd"
# As the drive is small, so is its write buffer.
SETTINGS = ("buffer_kib=256",)
AGED = {"aged_pct": "100"}
MEMORY_MB = 2048
NS_PER_S, NS_PER_US, US_PER_MS = 1_000_000_000, 1000, 1000
MIB = 1 << 20
LAG_SHARE = 0.99
QUANTILES = ("p50", "p99", "p99.9")
DRIVES, WORLDS = ("fresh", "aged"), ("kernel", "sim")


def set_arguments(parser: argparse.ArgumentParser) -> None:
    made = parser.add_argument_group("the part aged")
    made.add_argument("--trace", type=Path, default=TRACE,
                      help="CSV file (or .gz): time_us,op,offset_bytes,size_bytes")
    made.add_argument("--trace-s", type=float, default=TRACE_S, metavar="S", help="so much of it (default 4)")
    made.add_argument("--size-mb", type=int, default=SIZE_MB, help="capacity of the drives (default 576)")
    made.add_argument("--scale-time", type=float, default=1.0, metavar="X",
                      help="multiply the trace's times; 0.5 is twice as fast")
    made.add_argument("--preset", default=PRESET, help="of the drives (default autossd)")
    made.add_argument("--set", action="append", metavar="KEY=VALUE",
                      help="a parameter of both drives; may be repeated (default buffer_kib=256)")


def make_drives(args: argparse.Namespace) -> dict[str, Drive]:
    params = {"preset": args.preset, "seed": str(args.seed)}
    for pair in args.set or SETTINGS:
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


def run_kernel(args: argparse.Namespace, rows: list[trace.Row], drives: dict[str, Drive], data: Path,
               ) -> tuple[dict[str, runs.Run], list[str]]:
    iolog, conf = data / "aged.iolog", data / "aged.conf"
    trace.write_fio(rows, args.scale_time, iolog)
    conf.write_text(f'SIZE_MB={args.size_mb}\nDRIVE_ARGS="{drives["fresh"].table_args()}"\n')
    work = BUILD_DIR / "demo/aged"
    words = kernel.command(args.kernel, args.seed, MEMORY_MB, work,
                           {"/demo.iolog": iolog, "/demo.conf": conf}, list(drives))
    kernel.boot(words, BUILD_DIR / "log/demo-aged.log")
    return {name: recorded.read_run(name, work / "results") for name in drives}, words


def repeat(run_: runs.Run, drive: Drive, data: Path) -> compare.Sameness:
    arrivals = data / f"{drive.name}.arrivals.csv"
    runs.write_arrivals(run_.requests, arrivals)
    return compare.same(run_, simulator.run(drive, arrivals))


def describe_run(one: runs.Run) -> dict:
    return {"requests": len(one.requests),
            "duration_s": (one.end_ns() - one.start_ns()) / NS_PER_S,
            "latency_ns": {op: runs.quantiles_ns(one, op) for op in runs.OPERATIONS},
            "gc_blocks": one.gc_blocks(), "gc_blocked_read_pct": one.gc_blocked_read_pct(),
            "counters": one.counters} | one.extra


def lag_us(one: runs.Run, rows: list[trace.Row], scale: float) -> float | None:
    """How much fio's requests are off in time, against the trace; nothing if
    the block layer has cut requests in pieces."""
    if len(one.requests) != len(rows):
        return None
    start_us, start_ns = rows[0].time_us, one.start_ns()
    lags = sorted(abs((request.arrival_ns - start_ns) / NS_PER_US - (row.time_us - start_us) * scale)
                  for request, row in zip(one.requests, rows))
    return lags[int(LAG_SHARE * (len(lags) - 1))]


def run(args: argparse.Namespace, data: Path, say: Say) -> dict:
    rows = trace.first(trace.read(args.trace), args.trace_s)
    summary = trace.summarise(rows)
    check_fits(summary, args.size_mb)
    rows = trace.replayable(rows)
    replayed = data / "trace.csv"
    trace.write(rows, replayed)
    drives = make_drives(args)
    say(f"booting Linux {args.kernel}: {len(rows):,} requests on each of two drives")
    kernel_runs, vm_command = run_kernel(args, rows, drives, data)
    found = {"trace": {"path": shown(args.trace.resolve()), "scale_time": args.scale_time} | asdict(summary),
             "size_mb": args.size_mb, "seed": args.seed, "kernel": args.kernel, "runs": {}, "same": {},
             "commands": [shlex.join(vm_command)]}
    say("the same in the simulator, and what the kernel has recorded once more")
    for name, drive in drives.items():
        kernel_run, simulated = kernel_runs[name], simulator.run(drive, replayed, args.scale_time)
        kernel_run.extra["lag_p99_us"] = lag_us(kernel_run, rows, args.scale_time)
        for one in (kernel_run, simulated):
            runs.save(one, data)
            found["runs"][one.name] = describe_run(one)
        sameness = repeat(kernel_run, drive, data)
        found["same"][name] = asdict(sameness) | {"holds": sameness.holds()}
        found["commands"].append(shlex.join(simulator.command(drive, replayed, args.scale_time)))
    return found


# ---- telling it ----

def cells(found: dict, value, digits: int) -> list[str]:
    """Of each drive, kernel, simulator and how far that is off, in percent of the kernel."""
    made = []
    for drive in DRIVES:
        ours, theirs = (value(found["runs"][f"{world}-{drive}"]) for world in WORLDS)
        made += [f"{ours:,.{digits}f}", f"{theirs:,.{digits}f}", difference(ours, theirs)]
    return made


def difference(ours: float, theirs: float) -> str:
    if ours == theirs:
        return "0"
    return f"{100 * (theirs - ours) / ours:+.1f} %" if ours else "-"


def tables(found: dict) -> list[Table]:
    rows = []
    for op in runs.OPERATIONS:
        rows.append([f"{op}s, us"])
        for name in QUANTILES:
            rows.append([name, *cells(found, lambda one: one["latency_ns"][op][name] / NS_PER_US, 1)])
    rows.append(["drive"])
    for name, key, digits in (("blocks collected", "gc_blocks", 0), ("reads behind GC, %", "gc_blocked_read_pct", 1)):
        rows.append([name, *cells(found, lambda one: one[key], digits)])
    return [Table("A fresh and an aged drive", [f"{drive}\n{column}" for drive in DRIVES
                                                for column in ("Linux", "sim", "diff")], rows,
                  [*lag(found), *proof(found)])]


def proof(found: dict) -> list[str]:
    return [f"{drive.capitalize()} drive: the arrivals that Linux has recorded, repeated in the simulator, give "
            f"{same['same_requests']:,} of {same['requests']:,} requests and {same['same_decisions']:,} of "
            f"{same['decisions']:,} decisions of garbage collection at the same nanosecond."
            for drive, same in found["same"].items()]


def notes(found: dict) -> list[str]:
    return [trace_text(found), drive_text(found)]


def lag(found: dict) -> list[str]:
    lags = [one["lag_p99_us"] for one in found["runs"].values() if one.get("lag_p99_us")]
    if not lags:
        return []
    return ["Linux and sim differ because fio does not send requests quite when the trace says (99 % of them less than "
            f"{max(lags) / US_PER_MS:,.1f} ms off), and so garbage collection meets others."]


def trace_text(found: dict) -> str:
    made = found["trace"]
    kinds = ", ".join(f"{made['requests'].get(op, 0):,} {name} ({made['bytes'].get(op, 0) / MIB:,.0f} MiB)"
                      for op, name in (("R", "reads"), ("W", "writes")))
    return (f"{made['path']}, its first {made['duration_s']:.1f} s, times multiplied by {made['scale_time']:g}: {kinds}. "
            f"{made['unwritten_reads']:,} reads are of data that were not written before; a fresh drive answers those "
            "without flash. Discards are left out, since fio does not repeat them.")


def drive_text(found: dict) -> str:
    one = found["runs"]["sim-aged"]
    params, geometry = one["params"], one["geometry"]
    return (f"Both drives have {found['size_mb']} MiB, near what the trace reaches: preset {params['preset']}, "
            f"{geometry['channels']} channels, {geometry['planes']} planes, {params['op_permille'] / 10:g} % "
            f"over-provisioning, a write buffer of {params['buffer_kib']} KiB. The aged one is full of data written at "
            "random (aged_pct 100).")


def pictures(found: dict, data: Path) -> list[Picture]:
    loaded = [runs.load(*name.split("-"), one["counters"], data) for name, one in found["runs"].items()]
    return aged_pictures.draw(loaded)


def wrong(found: dict) -> str:
    first = [f"{drive}: {same['first_difference']}" for drive, same in found["same"].items() if not same["holds"]]
    return f"kernel and simulator differ ({'; '.join(first)})" if first else ""
