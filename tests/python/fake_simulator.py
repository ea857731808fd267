#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Answers as ssdqos-sim does, with numbers made up from its arguments."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

LEAST_OP = 70
N = 5000
COUNTERS = ("gc_blocks", "scrub_blocks", "wear_blocks", "map_programs", "space_stalls",
            "reconstructed_reads", "blocked_reads")
WAITS = ("flash", "controller", "map_miss", "slot", "sched", "by_host", "by_map", "by_flush",
         "by_gc", "by_scrub", "by_wear", "by_verify")
SERIES = ("time_s", "read_small_n", "read_small_mean_ns", "read_small_max_ns", "free_blocks",
          "read_count_max", "erases", "scrub_blocks", "share_ppm_gc", "share_ppm_scrub")
# of a system, in multiples of RAIN's
SPEED = {"fifo": 2.0, "priority": 1.0, "wfq": 0.8, "debit": 0.5}


def arguments(words: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Options, and what --set sets."""
    options: dict[str, str] = {}
    sets: dict[str, str] = {}
    for key, value in zip(words[::2], words[1::2]):
        if key == "--set":
            sets.update([value.split("=")])
        else:
            options[key.removeprefix("--")] = value
    return options, sets


def requests_of(options: dict[str, str]) -> int:
    words = dict(w.split("=") for w in options.get("load", "").split() if "=" in w)
    return int(words.get("number_ios", N))


def latency(factor: float) -> dict[str, float]:
    names = ("p50", "mean", "p90", "p99", "p999", "p9999", "p999999", "max")
    return {"n": N, **{name: round(factor * 100_000 * (at + 1)) for at, name in enumerate(names)}}


def result(options: dict[str, str], sets: dict[str, str]) -> dict:
    factor = SPEED[sets.get("scheduler", "debit")]
    return {
        "requests": requests_of(options), "bytes": N * 4096, "stuck": 0, "virtual_s": 10.0,
        "cpu_s": 0.1, "requests_per_cpu_s": 1e6, "bytes_per_s": 4e8, "iops": 1e5,
        "latency_ns": {"read": latency(factor), "read_small": latency(factor)},
        "host_wait_ns": {"nr": 100, **{name: 100_000 * factor for name in WAITS}},
        "flash": {"reads": 1000, "programs": 100, "erases": 10, "waf": 1.5, "map_hit_pct": 99.5,
                  "free_blocks_min": 12, "gc_blocked_read_pct": 0.5, "reconstructed_reads": 3},
        "counters": dict.fromkeys(COUNTERS, 7), "tasks": {"gc": {"issued": 1}},
        "geometry": {"planes": 32, "channels": 4, "page_bytes": 16384},
        "params": {"read_ns": 50_000, "program_ns": 500_000, "erase_ns": 5_000_000, "link_mb_s": 3500},
        "seed": int(sets.get("seed", 1)),
    }


def write_series(path: str, factor: float) -> None:
    rows = [",".join(SERIES)]
    for at in range(400):
        erases = 3 if 150 <= at < 250 else 0
        rows.append(f"{at / 10:g},10,{factor * 100_000:g},{factor * 500_000:g},{100 + at % 7},"
                    f"{90_000 + at},{erases},{erases},{16_000 + erases},16000")
    Path(path).write_text("\n".join(rows) + "\n")


def main() -> int:
    if sys.argv[1] == "loads":
        print("Named loads are synthetic: ...\n  synthetic-RAD-AS synthetic; ...")
        return 0
    options, sets = arguments(sys.argv[2:])
    if int(sets.get("op_permille", LEAST_OP)) < LEAST_OP:
        sys.stderr.write("ssdqos-sim: op_permille: leaves no workable drive\n")
        return 2
    if log := os.environ.get("FAKE_SIMULATOR_LOG"):
        with open(log, "a", encoding="ascii") as file:
            file.write(" ".join(sys.argv[1:]) + "\n")
    if os.environ.get("FAKE_SIMULATOR_FAILS", "nothing") in " ".join(sys.argv):
        sys.stderr.write("ssdqos-sim: it was told to fail\n")
        return 2
    time.sleep(float(os.environ.get("FAKE_SIMULATOR_SLEEPS", 0)))
    found = result(options, sets)
    factor = SPEED[sets.get("scheduler", "debit")]
    if "load-state" in options and not Path(options["load-state"]).exists():
        return 2
    if "save-state" in options:
        Path(options["save-state"]).write_text("state\n")
    if "cdf" in options:
        Path(options["cdf"]).write_text("latency_ns,cumulative_count\n" + "".join(
            f"{factor * 1000 * at:g},{at}\n" for at in range(1, 101)))
    if "series" in options:
        write_series(options["series"], factor)
    if "json" in options:
        Path(options["json"]).write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
