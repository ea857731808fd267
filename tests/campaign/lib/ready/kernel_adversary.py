# SPDX-License-Identifier: GPL-2.0
"""Part `adversary`: writers that burst and stop for a whole life, and a reader."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.ready import kernel, kernel_fio
from lib.ready.work import Work

TITLE = "Writers that burst, stop, and burst again"
POLICIES = ("none", "static", "ready_pes", "ready_opt", "horizon")
QUICK_POLICIES = ("none", "ready_pes", "ready_opt", "horizon")
SEEDS, QUICK_SEEDS = (1, 2, 3), (1,)
# An epoch is no limit to these.
WITHOUT_EPOCHS = ("none", "horizon")
WRITERS = 3
READ_IOPS = 1000
WINDOW_S = 60
# Writers get through half of what they would write.
BUDGET_PERMILLE = 500


def boot_name(seed: int) -> str:
    return f"adversary-{seed}"


def policy_row(results: Path, policy: str, budget: int) -> dict:
    before, _ = kernel.read_budget(results / f"{policy}.budget")
    lines = [tuple(map(int, line.split())) for line in (results / f"{policy}.samples").read_text().splitlines()]
    used = [line[1] - before for line in lines]
    # An epoch's limit is met to within the request that goes beyond it.
    beyond = [epoch - limit for _, _, epoch, limit in lines]
    held = [tuple(map(int, line.split())) for line in (results / f"{policy}.held").read_text().splitlines()]
    return {"policy": policy, "samples": len(lines), "most_pct": round(max(used) * 100 / budget, 3),
            "end_pct": round(used[-1] * 100 / budget, 3),
            "over_epoch_kib": round(max(0, *beyond) / 1024, 1) if policy not in WITHOUT_EPOCHS else 0,
            "delayed": sum(row[0] for row in held), "stopped": sum(row[1] for row in held),
            "reads": kernel_fio.read(results / f"{policy}.reads.json", "read")}


def measure(work: Work) -> dict:
    policies = QUICK_POLICIES if work.quick else POLICIES
    found = {}
    for seed in QUICK_SEEDS if work.quick else SEEDS:
        own = {"POLICIES": " ".join(policies), "WINDOW_S": WINDOW_S, "WRITERS": WRITERS, "READ_IOPS": READ_IOPS,
               "BUDGET_PERMILLE": BUDGET_PERMILLE, **kernel.shorter(work)}
        results = kernel.run(dataclasses.replace(work, seed=seed) if seed != work.seed else work,
                             boot_name(seed), "ready-adversary.sh", own)
        if results:
            _, budget = kernel.read_budget(results / "ready_opt.budget")
            found[boot_name(seed)] = {"seed": seed, "budget_mb": budget / 1e6, "rows": [
                policy_row(results, policy, budget) for policy in policies]}
    return found


def boots(result: dict) -> list[dict]:
    return [entry for name, entry in result.items() if name.startswith("adversary-")]


def text_row(entry: dict, row: dict) -> list[str]:
    return [str(entry["seed"]), row["policy"], f"{entry['budget_mb']:,.0f}", f"{row['samples']:,}",
            f"{row['most_pct']:.2f}", f"{row['end_pct']:.2f}", f"{row['over_epoch_kib']:g}",
            f"{row['delayed']:,}", f"{row['stopped']:,}",
            *(f"{row['reads'][key]:.3f}" for key in ("p50_ms", "p99_ms", "p999_ms"))]


def section(result: dict) -> str:
    head = ["seed", "policy", "budget MB", "samples", "most %", "at target %", "over epoch KiB", "delayed",
            "stopped", "read p50 ms", "p99", "p99.9"]
    return rst.page(
        f"{WRITERS} writers on streams of their own: random writes of 4 to 128 KiB, 1 to 64 at a time, 1 to 400 in a\n"
        f"burst, up to 0.9 s of rest; a fourth stream reads 4 KiB at random, {READ_IOPS:,} times a second.  The budget\n"
        f"is {BUDGET_PERMILLE / 10:g} % of what is written without throttling.  *most* is the largest part of the budget used "
        "at any\nsample before the target time, *over epoch* how far an epoch went beyond its capacity and what it may\n"
        "borrow (the request that crosses the limit).\n",
        rst.table(head, [text_row(entry, row) for entry in boots(result) for row in entry["rows"]]))


def rows_of(entry: dict) -> dict[str, dict]:
    return {row["policy"]: row for row in entry["rows"]}


def goals(result: dict) -> list[Row]:
    if not boots(result):
        return []
    throttled = [row for entry in boots(result) for row in entry["rows"] if row["policy"] != "none"]
    most = max(row["most_pct"] for row in throttled)
    slower = [row["reads"]["p99_ms"] / rows_of(entry)["none"]["reads"]["p99_ms"] * 100
              for entry in boots(result) for row in entry["rows"] if row["policy"] != "none"]
    return [Bound("Adversary: most of the budget used at any sample", most, most=100, unit="%", digits=2).row(),
            Bound("Adversary: p99 of reads, of that without throttling", max(slower), most=100, unit="%").row()]


def draw(result: dict, directory: Path) -> None:
    """The table says it all."""
