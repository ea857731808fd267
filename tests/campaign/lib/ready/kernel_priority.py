# SPDX-License-Identifier: GPL-2.0
"""Part `priority`: PA-DT, an important stream beside another one (section 7.2.3)."""

from __future__ import annotations

from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.ready import kernel, kernel_fio
from lib.ready.work import Work

TITLE = "Priorities (PA-DT)"
BOOT = "priority"
# Run, policy, delay_weight of the important stream; the other one's is 100.
RUNS = (("alone", "none", 100), ("equal", "ready_opt", 100), ("priority", "ready_opt", 0))
TITLES = {"alone": "not throttled", "equal": "READY, weights 100 and 100",
          "priority": "READY, weights 0 and 100"}
WINDOW_S = 60
BUDGET_PERMILLE = 600
IMPORTANT = {"IMPORTANT_BYTES": 4096, "IMPORTANT_IOPS": 100, "IMPORTANT_DEPTH": 8}
OTHER = {"OTHER_BYTES": 16384, "OTHER_IOPS": 100, "OTHER_DEPTH": 8}
MOST_P99_PCT = 10


def run_row(results: Path, name: str, budget: int) -> dict:
    life = kernel.read_life(results, name)
    return {"run": name, "used_pct": life.used_pct(budget), "most_pct": round(life.most_used * 100 / budget, 2),
            "important": kernel_fio.read(results / f"{name}.important.json", "write"),
            "other": kernel_fio.read(results / f"{name}.other.json", "write")}


def measure(work: Work) -> dict:
    own = {"WINDOW_S": WINDOW_S, "BUDGET_PERMILLE": BUDGET_PERMILLE, **IMPORTANT, **OTHER,
           **kernel.shorter(work)}
    lines = "".join(" ".join(map(str, run)) + "\n" for run in RUNS)
    results = kernel.run(work, BOOT, "ready-priority.sh", own, {"runs": lines})
    if not results:
        return {}
    budget = kernel.read_life(results, RUNS[-1][0]).budget
    return {"budget_mb": budget / 1e6, "rows": [run_row(results, run[0], budget) for run in RUNS]}


def text_row(row: dict) -> list[str]:
    return [TITLES[row["run"]], f"{row['used_pct']:.1f}",
            *(f"{row[name][key]:.3f}" for name in ("important", "other") for key in ("mean_ms", "p99_ms")),
            *(f"{row[name]['mb']:,.1f}" for name in ("important", "other"))]


def section(result: dict) -> str:
    if not result.get("rows"):
        return ""
    head = ["", "used %", "important mean ms", "p99", "other mean ms", "p99", "important MB", "other MB"]
    return rst.page(
        f"The important stream writes 4 KiB at random, {IMPORTANT['IMPORTANT_IOPS']} times a second, the other one\n"
        f"16 KiB, {OTHER['OTHER_IOPS']} times a second, each with up to {IMPORTANT['IMPORTANT_DEPTH']} requests at a time.  "
        f"The budget\nis {result['budget_mb']:,.0f} MB, {BUDGET_PERMILLE / 10:g} % of what both write without throttling.\n",
        rst.table(head, [text_row(row) for row in result["rows"]]))


def goals(result: dict) -> list[Row]:
    rows = {row["run"]: row for row in result.get("rows", [])}
    if not rows:
        return []
    worse = rows["priority"]["important"]["p99_ms"] * 100 / rows["alone"]["important"]["p99_ms"] - 100
    most = rows["priority"]["most_pct"]
    return [Bound("PA-DT: the important stream's write p99 above that without throttling", worse, most=MOST_P99_PCT,
                  unit="%").row(),
            Bound("PA-DT: most of the budget used", most, most=100, unit="%", digits=2).row()]


def draw(result: dict, directory: Path) -> None:
    """The table says it all."""
