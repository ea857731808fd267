# SPDX-License-Identifier: GPL-2.0
"""Part `table`: Table 11 in the kernel, scaled to a minute (Figures 45, 46)."""

from __future__ import annotations

from pathlib import Path

from lib import charts, rst
from lib.claim import Bound, Claim, Row
from lib.ready import kernel
from lib.ready.kernel_loads import LOADS, Load
from lib.ready.work import Work

TITLE = "Table 11 in the kernel (Figures 45 and 46)"
POLICIES = {"none": "NT", "static": "ST", "ready_opt": "READY opt", "ready_pes": "READY pes"}
READY = "ready_opt"
QUICK_POLICIES = ("none", "static", READY)
# Flash programs in bursts of its buffer and of collection, which a window and a life have to be
# long beside.
WINDOW_S = {"null": 60, "flash": 180}
TIME_SCALE = {"null": kernel.TIME_SCALE, "flash": kernel.TIME_SCALE // 3}
STEP_S = 60
# Below the budget by at most that, above it never.
MOST_BELOW_PCT = 2
PAPER_TOLERANCE_PCT = 10
PAPER_WHY = "a load that is only described comes no closer"
DISKS = {"null": "null_blk, 0.1 ms", "flash": "ssdqos-flash"}
FLASH_MB = 512
FLASH_ARGUMENTS = "preset x25e-like aged_pct 100"


def boot_name(disk: str, load: Load) -> str:
    return f"table-{load.name}-{disk}"


def response(path: Path) -> tuple[int, float]:
    """Writes, and their mean response in ms, from lines "RWBS REQUESTS NS"."""
    rows = [line.split() for line in path.read_text().splitlines()]
    writes = [(int(number), int(ns)) for kind, number, ns in rows if kind.startswith("W")]
    number = sum(row[0] for row in writes)
    return number, sum(row[1] for row in writes) / max(number, 1) / kernel.NS_PER_MS


def policy_row(results: Path, policy: str, budget: int) -> dict:
    life = kernel.read_life(results, policy)
    writes, mean_ms = response(results / f"{policy}.response")
    return {"policy": policy, "used_mb": round(life.used / 1e6, 2), "used_pct": life.used_pct(budget),
            "most_pct": round(life.most_used * 100 / budget, 2), "worn_out_s": life.age_at(budget),
            "host_mb": round(life.samples[-1].host / 1e6, 2), "writes": writes,
            "write_ms": round(mean_ms, 3), "traffic_mb": life.host_series(STEP_S),
            "delay_us": [sample.delay_ns // 1000 for sample in life.samples[::20]]}


def read(results: Path) -> dict:
    names = [name for name in POLICIES if (results / f"{name}.samples").exists()]
    budget = kernel.read_life(results, READY).budget
    return {"budget_mb": budget / 1e6,
            "rows": [policy_row(results, name, budget) for name in names]}


def time_scale(work: Work, disk: str) -> int:
    return kernel.QUICK_TIME_SCALE if work.quick else TIME_SCALE[disk]


def life_s(work: Work, disk: str) -> int:
    """How long an hour of life takes."""
    return kernel.LIFE_S // time_scale(work, disk)


def measure(work: Work) -> dict:
    policies = QUICK_POLICIES if work.quick else POLICIES
    found = {"life_s": {disk: life_s(work, disk) for disk in DISKS}}
    for disk in DISKS:
        for load in LOADS:
            own = {"DISK_KIND": disk, "LOAD_NAME": load.name, "POLICIES": " ".join(policies),
                   "TIME_SCALE": time_scale(work, disk), "WINDOW_S": WINDOW_S[disk],
                   "FLASH_MB": FLASH_MB, "FLASH_ARGUMENTS": FLASH_ARGUMENTS,
                   **load.settings(life_s(work, disk))}
            results = kernel.run(work, boot_name(disk, load), "ready-table.sh", own)
            if results:
                found[boot_name(disk, load)] = read(results) | {"text": load.text}
    return found


# ---- what was found ----

def rows_of(entry: dict) -> dict[str, dict]:
    return {row["policy"]: row for row in entry["rows"]}


def below_static_pct(entry: dict, policy: str) -> float:
    rows = rows_of(entry)
    return round(100 - rows[policy]["write_ms"] * 100 / rows["static"]["write_ms"], 1)


def entries(result: dict, disk: str) -> list[tuple[Load, dict]]:
    return [(load, result[boot_name(disk, load)]) for load in LOADS if boot_name(disk, load) in result]


def text_row(load: Load, entry: dict, row: dict) -> list[str]:
    name = row["policy"]
    below = f"{below_static_pct(entry, name):.0f}" if name.startswith("ready") else ""
    paper = str(load.paper_pct) if name == READY else ""
    worn = f"{row['worn_out_s']:,}" if row["worn_out_s"] is not None else "-"
    return [load.title if name == "none" else "..", POLICIES[name], f"{entry['budget_mb']:,.0f}",
            f"{row['used_mb']:,.1f}", f"{row['used_pct']:.1f}", worn, f"{row['writes']:,}",
            f"{row['write_ms']:.2f}", below, paper]


def disk_text(result: dict, disk: str) -> str:
    rows = [text_row(load, entry, row) for load, entry in entries(result, disk) for row in entry["rows"]]
    if not rows:
        return ""
    head = ["load", "policy", "budget MB", "used MB", "% of it", "worn out at s", "writes", "write ms",
            "% below ST", "paper"]
    return rst.page(rst.heading(f"Drive: {DISKS[disk]}", "~"), rst.table(head, rows))


def section(result: dict) -> str:
    texts = {load: entry.get("text", load.text) for disk in DISKS for load, entry in entries(result, disk)}
    loads = "".join(f"* {load.title} (for {load.paper_title}): {text}.\n" for load, text in texts.items())
    return rst.page(
        f"An hour of life passes in {result['life_s']['null']} s ({result['life_s']['flash']} s on "
        f"ssdqos-flash); windows of\n{WINDOW_S['null']} s of life ({WINDOW_S['flash']} s), cells do not "
        "recover (as in the paper's\nprototype), the kernel's flusher is as much faster.  The budget is 84 % of what the "
        "load writes without\nthrottling (the paper's drive is worn out at 3,024 s of 3,600); on ssdqos-flash it is one "
        "of what the flash\nprograms.  Response is from the block layer's events on the stream's device, of all writes, "
        "metadata\nincluded.\n",
        loads, *(disk_text(result, disk) for disk in DISKS),
        rst.figure("fig45.svg", "Figure 45: age at which the budget is used up (a), write response relative to ST "
                                "(b); on null_blk"),
        rst.figure("fig46.svg", "Figure 46: what the OLTP load writes in each minute of life; on null_blk"))


def goals(result: dict) -> list[Row]:
    rows = []
    for disk, title in DISKS.items():
        for load, entry in entries(result, disk):
            where, ready = f"{load.title} on {title}", rows_of(entry)[READY]
            rows += [Bound(f"Table 11: written of the budget, {where}", ready["used_pct"],
                           least=100 - MOST_BELOW_PCT, unit="%").row(),
                     Bound(f"Table 11: most of it at any time, {where}", ready["most_pct"], most=100, unit="%").row(),
                     Claim(f"Table 11: write response below ST, {where}", load.paper_pct, PAPER_TOLERANCE_PCT,
                           PAPER_WHY, below_static_pct(entry, READY), "%", 0).row()]
    return rows


# ---- pictures ----

BAR = 0.25


def forecast_s(row: dict) -> float:
    """Age at which the budget is used up, at the life's mean rate if it was not."""
    return row["worn_out_s"] or kernel.LIFE_S * 100 / row["used_pct"]


def paint_bars(axes, found: list[tuple[Load, dict]], value) -> None:
    for at, policy in enumerate(("none", "static", READY)):
        axes.bar([place + at * BAR for place in range(len(found))],
                 [value(entry, rows_of(entry)[policy]) for _, entry in found], BAR, label=POLICIES[policy])
    axes.set_xticks([place + BAR for place in range(len(found))], [load.title for load, _ in found])


def draw_fig45(found: list[tuple[Load, dict]], directory: Path) -> None:
    def paint(left, right):
        paint_bars(left, found, lambda entry, row: forecast_s(row))
        left.axhline(kernel.LIFE_S, color="black", linewidth=0.8)
        paint_bars(right, found, lambda entry, row: row["write_ms"] / rows_of(entry)["static"]["write_ms"])
        right.plot([place + 2 * BAR for place in range(len(found))],
                   [1 - load.paper_pct / 100 for load, _ in found], "k_", markersize=20, label="READY, paper")
        right.set_ylabel("write response, ST = 1")
    charts.draw(directory / "fig45.svg", paint, "", "age when worn out (s)", panels=2)


def draw_fig46(entry: dict, directory: Path) -> None:
    def paint(axes):
        for policy in ("none", "static", READY):
            series = rows_of(entry)[policy]["traffic_mb"]
            axes.plot([at * STEP_S for at in range(len(series))], series, label=POLICIES[policy])
    charts.draw(directory / "fig46.svg", paint, "age (s)", "MB written in a minute of life")


def draw(result: dict, directory: Path) -> None:
    found = entries(result, "null")
    if found:
        draw_fig45(found, directory)
        if found[0][0].name == "oltp":
            draw_fig46(found[0][1], directory)
