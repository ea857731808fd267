# SPDX-License-Identifier: GPL-2.0
"""Part `ablation`: the clients of Figure 12 with a rule of the control off, and with plain EDF."""

from __future__ import annotations

from pathlib import Path

from lib import rst, rules
from lib.claim import Row
from lib.edf import clients, fio, profiles, table
from lib.edf.scale import Scale
from lib.machine import Job

TITLE = "What each rule is for"
DRIVE, CLIENTS = clients.DRIVE_B, clients.MIXED_SIZES
WINDOW_MS = 3000
# A dozen runs of 34 windows are 20 minutes of the guest's time, and took an hour beside something else.
WALL_LIMIT_S = 7200


def run_names() -> dict[str, str]:
    """Of each case, as the guest calls its run."""
    return {title: title.lower().replace(" ", "-") for title in rules.cases()}


def case_lines() -> str:
    names = run_names()
    return "".join(" ".join([names[title], *(word.replace("=", " ") for word in words)]) + "\n"
                   for title, words in rules.cases().items())


def jobs(scale: Scale) -> list[Job]:
    settings = {**DRIVE.settings(), "RUN_S": scale.run_s(WINDOW_MS), "WARM_UP_S": scale.warm_up_s(WINDOW_MS),
                "WINDOW_MS": WINDOW_MS, "CONFIDENCE_PERMILLE": 990}
    return [Job("ablation", "edf-ablation.sh", settings, {
        "clients": clients.lines(CLIENTS), "profile": profiles.words(DRIVE), "cases": case_lines()}, wall_limit_s=WALL_LIMIT_S)]


def measure(out: dict[str, Path], scale: Scale) -> dict:
    results = out["ablation"]
    factor = int((results / "scale").read_text())
    found = {}
    for title, name in run_names().items():
        rows = [table.client_row(results / name, client, table.promised(client, factor), WINDOW_MS, scale.windows)
                for client in CLIENTS]
        found[title] = {"clients": rows, "kernel": table.kernel_windows(fio.read_status(results / name / "status"))}
    return {"scale_permille": factor, "windows": scale.windows, "runs": found}


def row(title: str, found: dict) -> list[str]:
    rows = found["clients"]
    return [title, *(f"{one['met_pct']:.1f} ({one['least_pct_of_promise']:.0f} %)" for one in rows),
            f"{sum(one['mb_s'] for one in rows):.1f}"]


def section(result: dict) -> str:
    return rst.page(
        f"The clients of Figure 12 on drive {DRIVE.title}, promises as there, each time without one rule, and with the\n"
        "drive as new.\n", rules.TEXT,
        f"Met windows in %, of {result['windows']} of {WINDOW_MS / 1000:g} s, and the least window in % of the promise; "
        "last, what all get.\n",
        rst.table(["", *(client.title() for client in CLIENTS), "MB/s"],
                  [row(title, found) for title, found in result["runs"].items()]))


def goals(_result: dict) -> list[Row]:
    """What is compared is the point, not a number."""
    return []


def draw(_result: dict, _directory: Path) -> None:
    """The table says it all."""
