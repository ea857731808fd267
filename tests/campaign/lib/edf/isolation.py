# SPDX-License-Identifier: GPL-2.0
"""Part `isolation`: what the others notice of a greedy client."""

from __future__ import annotations

from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.edf import clients, fio, profiles, table
from lib.edf.scale import Scale
from lib.machine import Job

TITLE = "A greedy client"
DRIVE, CLIENTS = clients.DRIVE_B, clients.MIXED_SIZES
WINDOW_MS = 3000
GREEDY = ("randwrite",)
KINDS = {"depth": "256 at a time", "size": "1 MiB each"}
MOST_POINTS = 1


def jobs(scale: Scale) -> list[Job]:
    settings = {**DRIVE.settings(), "RUN_S": scale.run_s(WINDOW_MS),
                "WARM_UP_S": scale.warm_up_s(WINDOW_MS), "WINDOW_MS": WINDOW_MS, "CONFIDENCE_PERMILLE": 990, "GREEDY": " ".join(GREEDY)}
    return [Job("isolation", "edf-isolation.sh", settings,
                {"clients": clients.lines(CLIENTS), "profile": profiles.words(DRIVE)})]


def runs() -> list[str]:
    return ["plain", *(f"{name}-{kind}" for name in GREEDY for kind in KINDS)]


def measure(out: dict[str, Path], scale: Scale) -> dict:
    results = out["isolation"]
    factor = int((results / "scale").read_text())
    found = {}
    for run in runs():
        rows = [table.client_row(results / run, client, table.promised(client, factor), WINDOW_MS,
                                 scale.windows) for client in CLIENTS]
        status = fio.read_status(results / run / "status")
        found[run] = {"clients": rows, "kernel": table.kernel_windows(status),
                      "reserved_pct": table.reserved_pct(status)}
    return {"scale_permille": factor, "runs": found}


def title(run: str) -> str:
    if run == "plain":
        return "nobody is greedy"
    name, kind = run.split("-")
    client = next(one for one in CLIENTS if one.name == name)
    return f"{client.title()}: {KINDS[kind]}"


def moved(result: dict, run: str) -> float:
    """The most points that another client's windows lost."""
    plain = {row["client"]: row["met_pct"] for row in result["runs"]["plain"]["clients"]}
    greedy = run.split("-")[0]
    return max(plain[row["client"]] - row["met_pct"] for row in result["runs"][run]["clients"]
               if row["client"] != greedy)


def section(result: dict) -> str:
    rows = []
    for run in runs():
        mine = result["runs"][run]["clients"]
        cells = [f"{row['met_pct']:.1f}" + ("*" if row["client"] == run.split("-")[0] else "")
                 for row in mine]
        points = "" if run == "plain" else f"{moved(result, run):.1f}"
        rows.append([title(run), *cells, points])
    return rst.page(
        f"Clients of Figure 12 on drive {DRIVE.title}, all promises kept as they are "
        f"({result['runs']['plain']['reserved_pct']:.1f} % of\ndevice time), and one client that "
        "asks for more: 256 requests at a time, or 1 MiB each.  Windows of\n"
        f"{WINDOW_MS / 1000:g} s, {result['runs']['plain']['clients'][0]['windows']} of them; the drive is as new before "
        "each run.  Met windows in %, the greedy client's own\nwith a star; last, the most points "
        "that another client lost.\n",
        rst.table(["", *(client.title() for client in CLIENTS), "points lost"], rows))


def goals(result: dict) -> list[Row]:
    return [Bound("A greedy client: windows that another one loses", max(moved(result, run) for run in runs()[1:]),
                  most=MOST_POINTS, unit="points").row()]


def draw(result: dict, directory: Path) -> None:
    """The table says it all."""
