# SPDX-License-Identifier: GPL-2.0
"""How fast the simulator is with everything on, and that no drive gets stuck."""

from __future__ import annotations

import dataclasses
import statistics

from lib.autossd.runs import AGED, SYSTEMS, TITLES, Run, Scale, job, synthetic
from lib.autossd.section import Experiment, Found, Plan, Results, Section, Table

REPEATS = 5

# What the drive of the foundation did: the same load without all that came after it.
PLAIN = {"scheduler": "fifo", "map_cache_kib": 0, "scrub_start_reads": 0, "scrub_stop_reads": 0,
         "lookup_min_ns": 0, "lookup_max_ns": 0, "host_delay_min_ns": 0, "host_delay_max_ns": 0,
         "internal_delay_min_ns": 0, "internal_delay_max_ns": 0}
MIXED = "randrw rwmixread=70 bs=4k iodepth=32"
MIXED_REQUESTS = 2_000_000
LOAD = "MSN-BEFS"
LOAD_FRACTION = 0.5  # of the part that is run elsewhere


# ---- speed ----

def speed_runs(scale: Scale) -> dict[tuple[str, str], Run]:
    found = {("everything off", MIXED): job(scale, MIXED, MIXED_REQUESTS, PLAIN)}
    for system, sets in SYSTEMS.items():
        found[TITLES[system], MIXED] = job(scale, MIXED, MIXED_REQUESTS, sets)
    part = dataclasses.replace(scale, fraction=scale.fraction * LOAD_FRACTION)
    for system in SYSTEMS:
        found[TITLES[system], f"synthetic-{LOAD}"] = synthetic(part, LOAD, SYSTEMS[system])
    return found


def plan_speed(scale: Scale) -> Plan:
    """In turns, so that slow moments of the machine hit all alike, and with
    nothing of ours beside them."""
    return {(*label, repeat): dataclasses.replace(run, repeat=repeat, cdf=False, alone=True)
            for repeat in range(1, REPEATS + 1) for label, run in speed_runs(scale).items()}


def spread(values: list[float]) -> dict[str, float]:
    """Half the range as the spread, in percent of the median."""
    middle = statistics.median(values)
    return {"best": max(values), "median": middle, "least": min(values), "runs": len(values),
            "spread_pct": 50 * (max(values) - min(values)) / middle if middle else 0.0}


def section_speed(results: Results) -> Section:
    by_case: dict[tuple[str, str], list[float]] = {}
    for (system, load, _), found in results.items():
        by_case.setdefault((system, load), []).append(found.result["requests_per_cpu_s"])
    found = {case: spread(values) for case, values in by_case.items()}
    rows = [[system, load, *(f"{values[k] / 1e6:.3f}" for k in ("best", "median", "least")),
             f"{values['spread_pct']:.1f}", str(values["runs"])]
            for (system, load), values in found.items()]
    return Section(
        "Requests per CPU-second on an aged drive of full size, runs of all rows in turns; time "
        "to make the drive is not in it.",
        [Table("Million requests per CPU-second",
               ["system", "load", "best", "median", "least", "+- %", "runs"], rows)],
        summary={f"{system}, {load}": values for (system, load), values in found.items()})


# ---- no drive gets stuck ----

STUCK_BYTES = 1 << 30
STUCK_REQUESTS = 100_000_000  # of all settings together
STUCK_LOAD = "randrw rwmixread=30 bs=4k iodepth=64"
# Small blocks make a small drive one of many blocks; low limits keep every task busy.
STUCK_DRIVE = {"pages_per_block": 64, "map_cache_kib": 64, "scrub_start_reads": 100,
               "scrub_stop_reads": 50, "aged_reads": 100, "wear_start_cycles": 5,
               "buffer_kib": 256}
TASKS = ("gc", "scrub", "wear")


def all_shares(permille: int) -> dict[str, object]:
    """The same static share for every task that has one."""
    shares = {f"{task}_share_permille": permille for task in (*TASKS, "map", "flush")}
    return {**shares, **{f"{task}_share_mode": "static" for task in TASKS}}


SETTINGS = {
    "debit, feedback": {},
    "debit, at most 1 permille": {"share_max_permille": 1, "map_share_permille": 1,
                                  "flush_share_permille": 1, "gc_share_permille": 1,
                                  "scrub_share_permille": 1},
    "debit, all 1 permille": all_shares(1),
    "debit, all 50 permille": all_shares(50),
    "debit, all 1000 permille": all_shares(1000),
    "wfq, all 1 permille": {"scheduler": "wfq", **all_shares(1)},
    "wfq, all 1000 permille": {"scheduler": "wfq", **all_shares(1000)},
    "priority, rain": SYSTEMS["rain"],
    "fifo": SYSTEMS["vanilla"],
}


def stuck_run(scale: Scale, sets: dict[str, object]) -> Run:
    whole = {**STUCK_DRIVE, "op_permille": 280, **sets}
    run = job(scale, STUCK_LOAD, -(-STUCK_REQUESTS // len(SETTINGS)), whole)
    run = dataclasses.replace(run, size=STUCK_BYTES)
    least = scale.least_op(run)
    return dataclasses.replace(run, sets=scale.sets(AGED, {**whole, "op_permille": least}))


def plan_stuck(scale: Scale) -> Plan:
    return {(name,): stuck_run(scale, sets) for name, sets in SETTINGS.items()}


def is_complete(found: Found) -> bool:
    wanted = int(found.run.load.split("number_ios=")[1].split()[0])
    return (not found.failed and found.result["stuck"] == 0
            and found.result["requests"] == wanted)


def section_stuck(results: Results) -> Section:
    rows, total = [], 0
    for (name,), found in results.items():
        result, counters = found.result, found.result["counters"]
        total += result["requests"]
        rows.append([name, str(dict(found.run.sets)["op_permille"]), f"{result['requests']:,}",
                     str(result["stuck"]), f"{result['flash']['waf']:.2f}",
                     *(f"{counters[f'{task}_blocks']:,}" for task in TASKS),
                     f"{counters['map_programs']:,}", f"{counters['space_stalls']:,}",
                     "yes" if is_complete(found) else f"no: {found.failed}"])
    complete = [is_complete(found) for found in results.values()]
    return Section(
        f"Aged drives of {STUCK_BYTES >> 30} GiB with the least over-provisioning that creation "
        f"takes: {STUCK_LOAD}, with every task at work.",
        [Table("", ["setting", "op permille", "requests", "stuck", "WAF", "GC blocks", "scrubbed",
                    "wear levelled", "map programs", "waits for space", "complete"], rows)],
        notes=[f"{total:,} requests; {sum(complete)} of {len(complete)} settings answered every "
               "one."],
        summary={"requests": total, "complete": all(complete),
                 "stuck": sum(f.result["stuck"] for f in results.values())})


EXPERIMENTS = (
    Experiment("speed", "Speed of the simulator", ("system", "load", "repeat"), plan_speed,
               section_speed),
    Experiment("deadlock", "No drive gets stuck", ("setting",), plan_stuck, section_stuck),
)
