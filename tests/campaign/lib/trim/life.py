# SPDX-License-Identifier: GPL-2.0
"""How long a drive lasts, and what it costs to make it last, with discards and without."""

from __future__ import annotations

import statistics
from pathlib import Path

from lib import rst
from lib.claim import Bound
from lib.kept import command
from lib.trim.runs import LEAST_GRANULE_KIB, NS_PER_US, Runs, sets_of

PAGE = "life"
TITLE = "A drive that shall last for an hour"
DRIVES = (("ttflash", "I-TRIM"), ("x25e-like", "E-TRIM"))
SIZE_MIB = 512
# Four at a time, each so long after the last one: 20 a second if nobody delays them.
PIECE_KIB, DEPTH, PAUSE_US = 64, 4, 200_000
# As many as are written: half of the drive has data then.
DELETES_PER_S = 20
READS = 200
# So many that the drive has hardly ever nothing to do for 20 ms, when discards would be sent before their time; and how long
# these are kept (drive_trim_age_ms).
BUSY_READS = 1000
AGES_S = (30, 600, 1800)
AGES_OF = ("ttflash", "I-TRIM")
MS_PER_S = 1000
RUN_S = 3600
LIFETIME_H = 1
# Of such cells it would last for 20 minutes (ttflash) or 50 without discards, and without delays.
PE_CYCLES = 19
WINDOW_S = 30
POLICIES = {"none": "as fast as they come", "ready_opt": "drive_throttle=ready_opt"}
SIDES = {"none": "no discards", "pass": "discards pass", "batch": "batched"}
# Batching is to cost no life.
WITHIN_PCT = 5
PERCENT = 100
NS_PER_MS = 1_000_000


def words(preset: str, kind: str, side: str, policy: str, seed: int, reads: int = READS, age_s: int = 0) -> list[str]:
    made = ["qos", "--drive", preset, "--size", f"{SIZE_MIB}m", "--verify", "off", "--runtime", f"{RUN_S}s"]
    for key, value in (*sets_of(kind, LEAST_GRANULE_KIB), ("aged_pct", 100), ("seed", seed)):
        made += ["--set", f"{key}={value}"]
    for key, value in (("pe_cycles", PE_CYCLES), ("lifetime_h", LIFETIME_H), ("window_s", WINDOW_S), ("throttle", policy)):
        made += ["--qos", f"drive_{key}={value}"]
    made += ["--qos", "drive_trim=batch"] if side == "batch" else []
    made += ["--qos", f"drive_trim_age_ms={age_s * MS_PER_S}"] if age_s else []
    streams = {"writes": f"randwrite bs={PIECE_KIB}k iodepth={DEPTH} thinktime_us={PAUSE_US}",
               "reads": f"randread bs=4k rate_iops={reads} arrival=poisson",
               "deletes": f"randtrim bs={PIECE_KIB}k rate_iops={DELETES_PER_S} arrival=poisson"}
    for at, (name, load) in enumerate(streams.items()):
        if side != "none" or name != "deletes":
            made += ["--stream", f'name={name} load="{load} seed={100 * at + seed}"']
    return made


def figures(found: dict, _series: Path) -> dict:
    """A drive lasts as long as its cells take what is programmed."""
    life, writes = found["drive"], found["streams"]["writes"]
    return {"waf": found["flash"]["waf"], "lasts_pct": PERCENT * life["life_endurance_bytes"] / life["life_used_bytes"],
            "written_mib": life["life_host_bytes"] / (1 << 20), "mean_ms": writes["latency_ns"]["mean"] / NS_PER_MS,
            "p99_ms": writes["latency_ns"]["p99"] / NS_PER_MS,
            "delayed_pct": PERCENT * writes["delayed"] / writes["latency_ns"]["n"],
            "reads_p99_us": found["streams"]["reads"]["latency_ns"]["p99"] / NS_PER_US}


def measure(runs: Runs) -> dict:
    found = {}
    for preset, kind in DRIVES:
        runs.say(f"life: {preset}, {kind}")
        found[f"{preset}, {kind}"] = {
            policy: {side: [runs.result(words(preset, kind, side, policy, seed), figures) for seed in runs.seeds()]
                     for side in SIDES} for policy in POLICIES}
    runs.say(f"life: ages of {', '.join(AGES_OF)}")
    kept = {SIDES[side]: [runs.result(words(*AGES_OF, side, "none", seed, BUSY_READS), figures) for seed in runs.seeds()]
            for side in ("none", "pass")}
    kept |= {f"batched, kept for {age_s:,} s": [runs.result(words(*AGES_OF, "batch", "none", seed, BUSY_READS, age_s), figures)
                                               for seed in runs.seeds()] for age_s in AGES_S}
    return {"drives": found, "ages": kept, "command": command(words(*DRIVES[0], "batch", "ready_opt", 1))}


def mean(runs: list[dict], key: str) -> float:
    return statistics.mean(run[key] for run in runs)


def goals(result: dict) -> list:
    rows = []
    for name, found in result["drives"].items():
        free, kept = found["none"], found["ready_opt"]
        rows += [Bound(f"{name}: it lasts with batched discards, of with those that pass",
                       PERCENT * mean(free["batch"], "lasts_pct") / mean(free["pass"], "lasts_pct"),
                       least=PERCENT - WITHIN_PCT, unit="%").row(),
                 *(Bound(f"{name}, READY, {SIDES[side]}: it lasts, of what was asked for",
                         min(run["lasts_pct"] for run in kept[side]), least=PERCENT, unit="%", digits=2).row()
                   for side in SIDES),
                 Bound(f"{name}, READY: a write with batched discards, of one without discards",
                       PERCENT * mean(kept["batch"], "mean_ms") / mean(kept["none"], "mean_ms"), most=PERCENT,
                       unit="%").row()]
    return rows


def cell(runs: list[dict], key: str, digits: int) -> str:
    values = [run[key] for run in runs]
    low, middle, high = (f"{value:,.{digits}f}" for value in (min(values), statistics.mean(values), max(values)))
    return middle if low == high else f"{middle} ({low} to {high})"


COLUMNS = (("it lasts, % of an hour", "lasts_pct", 0), ("WAF", "waf", 2), ("written, MiB", "written_mib", 0),
           ("delayed, %", "delayed_pct", 0), ("a write, ms", "mean_ms", 2), ("p99, ms", "p99_ms", 1),
           ("p99 of reads, us", "reads_p99_us", 0))

PRICE = tuple(column for column in COLUMNS if column[1] in ("lasts_pct", "waf", "reads_p99_us"))


def section(result: dict) -> str:
    pieces = [f"Drives of {SIZE_MIB} MiB, full and aged, whose cells take {PE_CYCLES} cycles, are used for an hour.  Somebody "
              f"writes {PIECE_KIB} KiB at random, {DEPTH} at a time with pauses, {DELETES_PER_S} a second unless they are "
              f"delayed; as many pieces are discarded, so half of the drive has data in the end; {READS} reads a second.  "
              f"The drive can use discards of {LEAST_GRANULE_KIB} KiB.  *It lasts*: what its cells take, of what was "
              "programmed in the hour.  Mean of the seeds, and their range.\n"]
    for name, found in result["drives"].items():
        pieces.append(rst.heading(name, "~"))
        rows = [[f"{SIDES[side]}, {POLICIES[policy]}", *(cell(runs, key, digits) for _, key, digits in COLUMNS)]
                for policy, sides in found.items() for side, runs in sides.items()]
        pieces.append(rst.table(["", *(head for head, _, _ in COLUMNS)], rows))
    pieces += [rst.heading("The price of keeping them longer", "~"),
               f"``{AGES_OF[0]}`` with {AGES_OF[1]}, {BUSY_READS:,} reads a second, and writes as fast as they come.  What is kept is "
               "data to the drive, which it moves.\n",
               rst.table(["", *(head for head, _, _ in PRICE)],
                         [[name, *(cell(runs, key, digits) for _, key, digits in PRICE)]
                          for name, runs in result["ages"].items()])]
    pieces.append("One of these runs::\n\n    " + result["command"] + "\n")
    return rst.page(*pieces)


def draw(result: dict, directory: Path) -> None:
    """The tables say it."""
