# SPDX-License-Identifier: GPL-2.0
"""Part `stuck`: drives with the least over-provisioning that can be made take 10^8 requests, and none gets stuck."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

from lib import rst
from lib.claim import Row
from lib.ttflash.flash import GIB, PRESET, Flash
from lib.ttflash.rungs import FORCED, OURS, WITH_SHARES
from lib.ttflash.runs import Run, Runs

TITLE = "No drive gets stuck"
SHOWN = (OURS, FORCED, WITH_SHARES)
SIZE_BYTES = GIB
REQUESTS, QUICK_REQUESTS = 100_000_000, 120_000
# With a small buffer a write takes a hundred programs: a twentieth of the requests is as much work as the rest.
SMALL_PART = 20
LOAD = "randrw rwmixread=30 bs=4k iodepth=64"
# Small blocks make a small drive one of many blocks.
DRIVE = {"pages_per_block": 64}
WIDTHS, PAGES_KIB, BUFFERS_KIB = (4, 8), (4, 16), (256, 65536)


@dataclasses.dataclass(frozen=True)
class Setting:
    """What is drawn in all ways."""

    rung: str
    width: int
    page_kib: int
    buffer_kib: int

    def sets(self) -> dict[str, object]:
        return {**DRIVE, "rain_width": self.width, "page_kib": self.page_kib, "buffer_kib": self.buffer_kib}


SETTINGS = [Setting(*one) for one in itertools.product(SHOWN, WIDTHS, PAGES_KIB, BUFFERS_KIB)]


def run_of(setting: Setting, load: str, seed: int) -> Run:
    return Run(Flash(), setting.rung, ("--load", load), seed, size_bytes=SIZE_BYTES, more=tuple(setting.sets().items()))


def requests_of(setting: Setting, requests: int) -> int:
    """Of all of them."""
    small = requests // SMALL_PART
    part, buffer_kib = (small, BUFFERS_KIB[0]) if setting.buffer_kib == BUFFERS_KIB[0] else (requests - small, BUFFERS_KIB[1])
    return -(-part // sum(one.buffer_kib == buffer_kib for one in SETTINGS))


def measure(runs: Runs) -> dict:
    seed = runs.seeds[0]
    number = {setting: requests_of(setting, QUICK_REQUESTS if runs.quick else REQUESTS) for setting in SETTINGS}
    wanted = [run_of(setting, f"{LOAD} number_ios={number[setting]} seed={seed}", seed) for setting in SETTINGS]
    wanted = [dataclasses.replace(run, op_permille=runs.least_permille(run)) for run in wanted]
    rows = []
    for setting, run, found in zip(SETTINGS, wanted, runs.all("stuck", wanted)):
        counters = found["counters"]
        rows.append({**dataclasses.asdict(setting), "op_permille": run.op_permille, "wanted": number[setting],
                     "requests": found["requests"], "stuck": found["stuck"], "waf": found["waf"],
                     **{key: counters.get(key, 0) for key in ("turns_overridden", "space_stalls", "stripe_old_lost")}})
    return {"rows": rows, "command": wanted[-1].command()}


def is_through(row: dict) -> bool:
    return not row["stuck"] and row["requests"] == row["wanted"]


def section(result: dict) -> str:
    table = rst.table(["rung", "width", "page, KiB", "buffer, KiB", "op_permille", "requests", "stuck", "programs of a write",
                       "turns overridden", "writes that waited for space", "old units lost"],
                      [[row["rung"], str(row["width"]), str(row["page_kib"]), str(row["buffer_kib"]), str(row["op_permille"]),
                        str(row["requests"]), str(row["stuck"]), f"{row['waf']:.2f}",
                        *(str(row[key]) for key in ("turns_overridden", "space_stalls", "stripe_old_lost"))]
                       for row in result["rows"]])
    return rst.page(f"Preset {PRESET} on 1 GiB, blocks of 64 pages, aged, with the least ``op_permille`` that is taken; ``{LOAD}``.",
                    table, "The last of them::\n\n    " + result["command"])


def goals(result: dict) -> list[Row]:
    through = [row for row in result["rows"] if is_through(row)]
    requests = sum(row["requests"] for row in through)
    verdict = "met" if len(through) == len(result["rows"]) else "below"
    return [("requests with the least over-provisioning, and no drive stuck", f"{REQUESTS:.0e}",
             f"{requests:.3g} on {len(through)} of {len(result['rows'])} drives", verdict)]


def draw(_: dict, __: Path) -> None:
    """A table says it all."""
