# SPDX-License-Identifier: GPL-2.0
"""Part `cut`: power cuts at random moments, and tables loaded again."""

from __future__ import annotations

import bisect
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.ready import kernel
from lib.ready.work import Work

TITLE = "Power cuts"
BOOT = "cut"
CUTS, QUICK_CUTS = 60, 10
# In life's own time: periods are seconds.
TIME_SCALE = 1
PERIOD_MS = 1000
WINDOW_S = 10
# At that rate READY delays; 400 MB an hour are 0.11 MB/s, half of the load.
BUDGET_MB, LOAD_IOPS = 400, 50
DELAYED_S = 60
KINDS = {"reload": "table loaded again", "remake": "removed and made again"}


def lost_ms(course: list[tuple[int, int, int]], at_ms: int, loaded_used: int) -> int:
    """How old what was loaded is: by then more had been used already."""
    used = [row[1] for row in course]
    place = bisect.bisect_right(used, loaded_used)
    saved_ms = course[place][0] if place < len(course) else at_ms
    return max(0, at_ms - saved_ms)


def numbers(path: Path, words: int = 0) -> list[list]:
    """Lines of numbers; the first words stay text."""
    return [[*line.split()[:words], *map(int, line.split()[words:])] for line in path.read_text().splitlines()]


def state_text(used: int, delay: int, age: int, later: list[int]) -> dict:
    return {"lost_bytes": used - later[0], "delay_ns": delay, "later_delay_ns": later[1], "age_s": age,
            "later_age_s": later[2],
            # an epoch may have ended in between: that is a new delay, not a lost one
            "same_epoch": age // WINDOW_S == later[2] // WINDOW_S}


def read(results: Path) -> dict:
    course = [tuple(row) for row in numbers(results / "course")]
    cuts = []
    for at_ms, used, delay, age, *later in numbers(results / "cuts"):
        cuts.append(state_text(used, delay, age, later) | {"lost_ms": lost_ms(course, at_ms, later[0])})
    reloads = [state_text(used, delay, age, later) | {"kind": kind}
               for kind, used, delay, age, *later in numbers(results / "reloads", words=1)]
    return {"cuts": cuts, "reloads": reloads}


def measure(work: Work) -> dict:
    own = {"TIME_SCALE": TIME_SCALE, "WINDOW_S": WINDOW_S, "BUDGET_MB": BUDGET_MB, "LOAD_IOPS": LOAD_IOPS,
           "CUTS": QUICK_CUTS if work.quick else CUTS, "DELAYED_S": DELAYED_S}
    results = kernel.run(work, BOOT, "ready-cut.sh", own)
    return read(results) if results else {}


def kept(rows: list[dict]) -> tuple[int, int]:
    """How many kept their delay, of those in which no epoch ended."""
    same = [row for row in rows if row["same_epoch"]]
    return sum(row["delay_ns"] == row["later_delay_ns"] for row in same), len(same)


def text_row(title: str, rows: list[dict]) -> list[str]:
    lost = max(0, *(row["lost_bytes"] for row in rows))
    periods = f"{max(row['lost_ms'] for row in rows) / PERIOD_MS:.2f}" if "lost_ms" in rows[0] else "-"
    equal, same = kept(rows)
    return [title, str(len(rows)), f"{lost / 1024:,.0f}", periods, f"{equal} of {same}", str(len(rows) - same)]


def groups(result: dict) -> dict[str, list[dict]]:
    found = {"power cut": result["cuts"]}
    for kind, title in KINDS.items():
        found[title] = [row for row in result["reloads"] if row["kind"] == kind]
    return found


def section(result: dict) -> str:
    if not result.get("cuts"):
        return ""
    head = ["", "times", "most lost KiB", "in periods", "delay kept", "an epoch ended"]
    return rst.page(
        f"Random writes of 4 KiB, {LOAD_IOPS} a second, throttled by delays; life passes as time does, a period is a\n"
        "second.  What the metadata device has at a random moment is copied, and loaded by another drive.  *In\n"
        "periods*: how old it then is.  *Delay kept*: of those in which no epoch ended between the two looks.\n",
        rst.table(head, [text_row(title, rows) for title, rows in groups(result).items() if rows]))


def goals(result: dict) -> list[Row]:
    if not result.get("cuts"):
        return []
    most = max(row["lost_ms"] for row in result["cuts"]) / PERIOD_MS
    equal, same = kept(result["cuts"] + result["reloads"])
    return [Bound(f"Power cuts ({len(result['cuts'])}): accounting lost", most, most=1, unit="periods", digits=2).row(),
            Bound(f"Reloads and cuts ({same}): the delay is the same after it", equal, least=same, unit="times",
                  digits=0).row()]


def draw(result: dict, directory: Path) -> None:
    """The table says it all."""
