# SPDX-License-Identifier: GPL-2.0
"""docs/results/foundation/pairs.rst, from the results of pairs.py."""

from __future__ import annotations

from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.pairs import AFTER, BEFORE, LOADS

# By how much a load may be slower, and what else was promised (issue "House").
SLOWER_PCT = 2
TARGETS = ("ssdqos-flash", "ssdqos", "ssdqos-reserved")
TITLES = {"ssdqos": "ssdqos, nothing configured", "ssdqos-reserved": "ssdqos, with a reservation"}


def more_pct(found: dict, key: str) -> float:
    return 100 * (found[AFTER][key] / found[BEFORE][key] - 1)


def goals(results: dict) -> list[Row]:
    rows = []
    for load in LOADS:
        if counts := results.get("instructions", {}).get(load.name):
            rows.append(Bound(f"Instructions of a request more, {load.title}", more_pct(counts, "per_request"),
                              most=SLOWER_PCT, unit="%").row())
    for load in LOADS:
        if found := results.get("times", {}).get("loads", {}).get(load.name):
            rows.append(Bound(f"Requests a CPU-second, of those before, {load.title}", 100 * found["speed"]["median"],
                              least=100 - SLOWER_PCT, unit="%").row())
    for load in LOADS:
        if found := results.get("behaviour", {}).get(load.name):
            memory = found["memory_bytes"]
            rows.append(Bound(f"Bytes of memory more, {load.title}", memory[AFTER] - memory[BEFORE], most=0,
                              digits=0).row())
    kernel = results.get("kernel", {})
    for system in TARGETS:
        if system in kernel.get(BEFORE, {}) and system in kernel.get(AFTER, {}):
            more = kernel[AFTER][system]["median"] - kernel[BEFORE][system]["median"]
            rows.append(Bound(f"Instructions of a read more, {TITLES.get(system, system)}", more, most=0, digits=0).row())
    return rows


def instruction_part(results: dict) -> str:
    rows = [[load.title, f"{found[BEFORE]['per_request']:,.0f}", f"{found[AFTER]['per_request']:,.0f}",
             f"{more_pct(found, 'per_request'):+.2f} %", f"{more_pct(found, 'whole'):+.2f} %"]
            for load in LOADS if (found := results.get("instructions", {}).get(load.name))]
    return rst.page(
        rst.heading("Instructions", "-"),
        "Instructions of a request in the simulator, under valgrind: a longer run less a shorter one, which leaves out\n"
        "making the drive.  The last column has the longer run as a whole.\n",
        rst.table(["load", "before", "after", "more", "whole run"], rows)) if rows else ""


def time_part(results: dict) -> str:
    times = results.get("times", {})
    rows = [[load.title, f"{found[BEFORE]['median']:.3f}", f"{found[AFTER]['median']:.3f}",
             f"{found['speed']['median']:.3f}", f"{found['speed']['min']:.3f} to {found['speed']['max']:.3f}",
             f"{found[BEFORE]['min'] / found[AFTER]['min']:.3f}"]
            for load in LOADS if (found := times.get("loads", {}).get(load.name))]
    if not rows:
        return ""
    turns = times["loads"][LOADS[0].name]["speed"]["runs"]
    return rst.page(
        rst.heading("Times", "-"),
        f"Seconds of CPU in user space for whole runs, {turns} pairs of turns on {times['machine']}, which others use,\n"
        "too; who goes first changes from turn to turn.  *Speed* is before / after, the median of the pairs.\n",
        rst.table(["load", "before", "after", "speed", "least to most", "fastest / fastest"], rows))


def behaviour_part(results: dict) -> str:
    rows = [[load.title, "yes" if found["same"] else "NO", *(f"{found['memory_bytes'][side]:,}" for side in (BEFORE, AFTER))]
            for load in LOADS if (found := results.get("behaviour", {}).get(load.name))]
    return rst.page(
        rst.heading("Behaviour", "-"),
        "Are model time, every percentile and every counter the same?  And the memory of the model, in bytes.\n",
        rst.table(["load", "the same", "memory before", "after"], rows)) if rows else ""


def kernel_part(results: dict) -> str:
    kernel = results.get("kernel", {})
    rows = [[TITLES.get(system, system), f"{mine['median']:,}", f"{kernel[AFTER][system]['median']:,}",
             f"{kernel[AFTER][system]['median'] - mine['median']:+,}",
             "; ".join(f"{kernel[side][system]['least']:,} to {kernel[side][system]['most']:,}" for side in (BEFORE, AFTER))]
            for system, mine in kernel.get(BEFORE, {}).items() if system in kernel[AFTER]]
    return rst.page(
        rst.heading("Reads in the kernel", "-"),
        f"Instructions of a 4 KiB random read on Linux {kernel['kernel']}, fio with io_uring included, as on `kernel.rst\n"
        "<kernel.rst>`_: one boot for each commit, three rounds in turns, medians.  What has no module of ours is there\n"
        "to see that the boots are alike.\n",
        rst.table(["system", "before", "after", "more", "least to most"], rows)) if rows else ""


def loads_part() -> str:
    return rst.page(
        rst.heading("Loads", "-"), "One run of each::\n",
        "\n\n".join(f"    # {load.title}\n    ./run sim run {load.drive} \\\n"
                    f"        --load '{load.load} iodepth=32 number_ios={load.timed}'" for load in LOADS) + "\n")


def write(results: dict, path: Path) -> None:
    commits = results["commits"]
    path.write_text(rst.page(
        ".. SPDX-License-Identifier: GPL-2.0\n",
        rst.heading("Floors: the same work before and after", "=").rstrip("\n"),
        f"Made by ``./run campaign foundation-pairs --before {commits[BEFORE]} --after {commits[AFTER]}``: before the files of\n"
        "``core/flash`` were put into floors, and after.  Seeds are the drives' and the loads' defaults; ``pairs.json`` has\n"
        "the same figures.\n",
        rst.heading("Goals", "-"),
        rst.table(["goal", "wanted", "measured", ""], goals(results)),
        behaviour_part(results), instruction_part(results), time_part(results), kernel_part(results), loads_part()))
