# SPDX-License-Identifier: GPL-2.0
"""Part `filebench`: Figure 8, filebench's personalities as fio's jobs on ext4, with the kernel's module in a virtual machine."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from lib import boots, charts, rst
from lib.campaign import Found
from lib.claim import Bound
from lib.claim import Row as Goal
from lib.machine import Job, Machine
from lib.ttflash import numbers
from lib.ttflash.flash import GIB, MIB, PRESET, RAW_GIB, Flash
from lib.ttflash.numbers import NS_PER_MS, NS_PER_US, QUANTILES, latency, ratios, runs_of, values
from lib.ttflash.personalities import FROM, PERSONALITIES, files_file, load_file
from lib.ttflash.rungs import BASE, NO_GC, OURS, RUNGS

PAGE = "filebench"
TITLE = "Filebench's personalities, in the kernel"
KERNEL = "6.1"
SHOWN = (NO_GC, BASE, "plane", OURS)
# As many planes as on the paper's 256 GiB, each a small one: the data are in the memory of the virtual machine.
# With 47 % of data, as elsewhere, planes of 32 blocks were rounded to 33, and data were 45 %.
FLASH = Flash(raw_gib=2, data_pct=46)
SEEDS, QUICK_SEEDS = 3, 1
# All threads begin at once; the drive's counters begin a little later than fio's, when all have begun.
WARM_UP_S, COUNTED_AFTER_S = 2, 3
QUICK_RUN_S = 3
# Seconds of the guest for a rung besides its run; and those of the host for one of the guest's, where others compute as well.
BESIDE_S, HOST_S = 30, 30
# Issue 16: with everything, reads' mean relative to that of a drive that never collects; percent of reads that are blocked.
MOST_MEAN = 1.1
MOST_BLOCKED_PCT = 0.05
# Percentiles as fio calls them.
FIO = {"p50": "50.000000", "p90": "90.000000", "p99": "99.000000", "p999": "99.900000"}
KEYS = ("mean", "p50", "p99", "p999")
RATIOS = ("mean", "p99", "p999")
UNIT_BYTES, NS_PER_S = 4096, 1e9
# A day of the paper has eight hours.
DAILY_MB_S = RAW_GIB * GIB / (8 * 3600) / 1e6


# ---- boots ----

def drive_words(rung: str, seed: int) -> str:
    """A line of `rungs`."""
    sets = {"preset": PRESET, **FLASH.sets(RUNGS[rung]), **RUNGS[rung].sets, "seed": seed}
    return " ".join([rung, *(f"{key} {value}" for key, value in sets.items())])


def in_turn(seed: int) -> list[str]:
    """Another one is first with each seed."""
    at = seed % len(SHOWN)
    return [*SHOWN[at:], *SHOWN[:at]]


def job(name: str, seed: int, quick: bool) -> Job:
    run_s = QUICK_RUN_S if quick else PERSONALITIES[name].run_s
    files = {"rungs": "".join(f"{drive_words(rung, seed)}\n" for rung in in_turn(seed)),
             "files.fio": files_file(PERSONALITIES[name]),
             "load.fio": load_file(PERSONALITIES[name], seed, WARM_UP_S, run_s)}
    settings = {"DISK_MB": FLASH.size_bytes() // MIB, "SEED": seed, "COUNTED_AFTER_S": COUNTED_AFTER_S}
    guest_s = len(SHOWN) * (run_s + BESIDE_S)
    return Job(f"{name}-{seed}", "ttflash-filebench.sh", settings, files, kernel=KERNEL, limit_s=guest_s,
               wall_limit_s=guest_s * HOST_S)


def jobs(options: argparse.Namespace) -> list[Job]:
    """Seed by seed: what is there of a campaign that was ended is whole."""
    count = options.count or (QUICK_SEEDS if options.quick else SEEDS)
    return [job(name, seed, options.quick) for seed in range(options.seed, options.seed + count) for name in PERSONALITIES]


def read_latency(path: Path) -> dict:
    """Of fio's only group, ns."""
    done = json.loads(path.read_text())["jobs"][0]["read"]
    seen = done["clat_ns"]
    return {"n": done["total_ios"], "mean": seen["mean"], "max": seen["max"],
            **{name: seen["percentile"][key] for name, key in FIO.items()}}


def read_stats(path: Path) -> dict[str, int]:
    return {key: int(value) for key, value in (line.split() for line in path.read_text().splitlines())}


def figures(directory: Path, rung: str) -> dict:
    """Of a run on a rung."""
    counters = read_stats(directory / f"{rung}.stats")
    blocked = {f"{why}_blocked_read_pct": 100 * counters[f"{why}_blocked_reads"] / counters["reads"] for why in ("gc", "queue")}
    return {"read": read_latency(directory / f"{rung}.json"), **blocked,
            "ram_pct": 100 * counters["ram_read_units"] / counters["host_read_units"], "erases": counters["flash_erases"],
            "written_mb_s": counters["host_write_units"] * UNIT_BYTES / counters["ns"] * NS_PER_S / 1e6,
            "counters": counters}


def rows_of(made: Job, directory: Path) -> Iterator[numbers.Row]:
    name, seed = made.name.rsplit("-", 1)
    for rung in SHOWN:
        yield numbers.kept_row(name, rung, int(seed), figures(directory, rung))


def measure(machine: Machine, options: argparse.Namespace, say: Callable[[str], None]) -> Found | None:
    """Boots that were made before are kept."""
    made, fresh = boots.make(machine, jobs(options), options, say)
    rows = [row for one, kept in made for row in rows_of(one, kept)]
    return Found({"rows": rows}, fresh) if rows else None


# ---- tables ----

def line(rows: list, name: str, rung: str) -> list[str]:
    found, base = runs_of(rows, name, rung), runs_of(rows, name, NO_GC)
    return [numbers.title(rung),
            *(numbers.cell([value / NS_PER_US for value in values(found, latency(key))], 0) for key in KEYS),
            *(numbers.cell(ratios(found, base, latency(key)), 2) for key in RATIOS),
            *(numbers.cell(values(found, lambda one, key=key: one[key]), 3)
              for key in ("gc_blocked_read_pct", "queue_blocked_read_pct")),
            *(numbers.cell(values(found, lambda one, key=key: one[key]), 1) for key in ("ram_pct", "written_mb_s")),
            numbers.cell(values(found, lambda one: one["erases"]), 0)]


def table(rows: list, name: str) -> str:
    head = ["reads, us", *(QUANTILES[key] for key in KEYS), *(f"{QUANTILES[key]} of no GC" for key in RATIOS), "blocked %",
            "queue %", "RAM %", "written, MB/s", "erases"]
    return rst.table(head, [line(rows, name, rung) for rung in numbers.rungs(rows)])


def counters_table(rows: list, name: str) -> str:
    there = numbers.rungs(rows)
    return rst.table(["counter", *map(numbers.title, there)], numbers.counters(rows, name, there))


def personality_section(rows: list, name: str) -> str:
    one, found = PERSONALITIES[name], runs_of(rows, name, OURS)
    reads = sum(run["read"]["n"] for run in found.values())
    return rst.page(rst.heading(name, "~"), f"Filebench: {one.says}.\n",
                    f"Here: {one.here}.  {reads:,} reads in {len(found)} times {one.run_s} s.\n",
                    table(rows, name), counters_table(rows, name))


TEXT = f"""\
Linux {KERNEL}, ext4 on ``ssdqos-flash`` with preset {PRESET}, {FLASH.raw_gib} GiB of flash of which data fill {FLASH.data_pct} %, in as
many planes as the paper's drive has; aged.  Each rung has a drive of its own and a new file system, one rung
after the other in one boot; the clock is virtual, one instruction a nanosecond.  The paper's Figure 8 shows base, ttFlash and no
GC; its bars are a picture, and its sizes and rates aren't said.

Latencies are fio's: file system, kernel and the one processor are in them.  *Blocked* are reads that the drive counts as such:
some part waited for a collection; *queue* are those that waited for their turn.  Means over seeds with their 95 % intervals;
ratios are seed by seed.

What is the same and what isn't, of filebench's files (defaults; {FROM}):

- Files lie one behind the other in a few large ones, as fio can't make and delete files while it runs.  So what is created is
  overwritten, an append overwrites a piece of a file, and opening, closing, stat and directories are left out.
- Sizes are whole units of 4 KiB, but for the database's.  Where filebench draws a size, as many requests have it.
- Requests go around the page cache (O_DIRECT).  The guest's memory is twice the data, and would hide the reads; the paper's has
  little left beside its 48 GB of emulated flash.
- Data fill four fifths of the drive, whatever filebench's defaults are.
- Filebench goes on as fast as it can, but for two of the six.  Here each thread has a rate, Poisson, so that each rung gets the
  same load: up to 28 MB/s of writes, three drive writes of the paper's day ({DAILY_MB_S:.1f} MB/s each).  What comes of no rate
  is below.
- The write buffer has the paper's 64 MiB, of which four fifths are always full, on a drive a hundredth as large: *RAM* is the
  part of the units read that come from there.
"""


def section(result: dict) -> str:
    rows = result["rows"]
    return rst.page(TEXT, *(personality_section(rows, name) for name in numbers.things(rows)),
                    rst.figure("filebench.svg", "Mean of reads, and how many a collection blocks (Figure 8)."))


def goals(result: dict) -> list[Goal]:
    rows, found = result["rows"], []
    for name in numbers.things(rows):
        ours, base, none = (runs_of(rows, name, rung) for rung in (OURS, BASE, NO_GC))
        blocked = [numbers.mean(values(of, lambda one: one["gc_blocked_read_pct"])) for of in (ours, base)]
        times = [numbers.mean(ratios(of, none, latency("mean"))) for of in (ours, base)]
        found += [Bound(f"{name}: reads' mean of no GC's (the base: {times[1]:.1f})", times[0], most=MOST_MEAN, digits=3).row(),
                  Bound(f"{name}: reads that collection blocks (the base: {blocked[1]:.1f} %)", blocked[0],
                        most=MOST_BLOCKED_PCT, unit="%", digits=4).row()]
    return found


def draw(result: dict, directory: Path) -> None:
    rows = result["rows"]
    names = numbers.things(rows)

    def paint(mean: object, blocked: object) -> None:
        for rung in numbers.rungs(rows):
            of = [runs_of(rows, name, rung) for name in names]
            mean.plot(names, [numbers.mean(values(one, latency("mean"))) / NS_PER_MS for one in of], "o",
                      label=numbers.title(rung))
            blocked.plot(names, [numbers.mean(values(one, lambda run: run["gc_blocked_read_pct"])) for one in of], "o",
                         label=numbers.title(rung))
        mean.set_yscale("log")
        blocked.set_title("reads that a collection blocks, %")
        for axis in (mean, blocked):
            axis.tick_params(axis="x", rotation=60)
    charts.draw(directory / "filebench.svg", paint, "", "mean of reads (ms)", panels=2)
