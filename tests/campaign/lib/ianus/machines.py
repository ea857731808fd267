# SPDX-License-Identifier: GPL-2.0
"""A mirror with a member in another machine, whose link is cut: what clients wait, and what is copied afterwards."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path

from lib import campaign, rst
from lib.claim import Bound
from lib.errors import RunError
from lib.machine import run_to_end
from lib.simulator import ROOT

TITLE = "Two machines"
CUTS, QUICK_CUTS = 20, 2
# Sooner than one would in earnest, as there are many cuts.
KEEP_ALIVE_S = 2
LOGS = "build/machines"
LIMIT_S = 2 * 3600
LINK_KINDS = ("both", "to", "from")
KINDS = {"both": "frames of both directions are lost", "to": "those to the far machine", "from": "those from it",
         "killed": "far machine killed, and booted again", "stopped": "far machine stands still",
         "gone": "its disk goes and returns under another name"}
SLOW = {"fast": "link as it is", "slow": "each frame takes 10 ms more, in each direction"}
SLOW_KEYS = ("read_p50_ms", "read_p99_ms", "read_most_ms", "write_p50_ms", "write_p99_ms", "flush_most_ms")
REGION_BLOCKS = 16
MS_PER_S = 1000


def command(options: argparse.Namespace) -> list[str]:
    cuts = QUICK_CUTS if options.quick else CUTS
    return [str(ROOT / "tests/machines/run"), "--all", "--cuts", str(cuts), "--keep-alive", str(KEEP_ALIVE_S),
            "--seed", str(options.seed)]


def measure(options: argparse.Namespace, runs: Path) -> campaign.Found:
    """tests/machines does it, and judges."""
    path = runs / "machines.json"
    fresh = options.again or not path.exists()
    if fresh:
        runs.mkdir(parents=True, exist_ok=True)
        words = [*command(options), "--json", str(path), *(["--module", str(options.module)] if options.module else [])]
        if run_to_end(words, sys.stdout, LIMIT_S):
            path.unlink(missing_ok=True)
            raise RunError(f"machines: a check failed, or a boot; logs in {LOGS}")
    return campaign.Found(json.loads(path.read_text()), fresh)


def away(result: dict, kinds: tuple[str, ...] = tuple(KINDS)) -> list[dict]:
    """Phases in which the far member was given up."""
    return [one for one in result["phases"] if one.get("kind") in kinds and "failed_ms" in one]


def too_many(one: dict) -> bool:
    """Whether more was copied than the metadata had noted; -, if nobody rested so that it could be counted."""
    return one["noted_regions"] != "-" and one["copied_blocks"] > one["noted_regions"] * REGION_BLOCKS


def goals(result: dict) -> list:
    cuts, all_away = away(result, LINK_KINDS), away(result)
    counted = [one for one in cuts if one["noted_regions"] != "-"]
    return [Bound("cuts of the link under load after which the member came back by itself", len(cuts),
                  least=CUTS, digits=0).row(),
            Bound("of them, in which copied regions were counted", len(counted), least=CUTS / 2, digits=0).row(),
            Bound("of these, in which more was copied than what the metadata had noted", sum(map(too_many, counted)),
                  most=0, digits=0).row(),
            Bound("times that the far machine was killed, stood still, or its disk had gone", len(all_away) - len(cuts),
                  least=3, digits=0).row(),
            Bound("checks that failed; one of them: both drives are the same, byte by byte", result["failed"],
                  most=0, digits=0).row()]


def span(values: list[float], digits: int = 1) -> str:
    """The median, and from least to most."""
    if not values:
        return "-"
    return f"{statistics.median(values):,.{digits}f} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def seconds(phases: list[dict], key: str) -> str:
    return span([one[key] / MS_PER_S for one in phases])


def returns_ms(one: dict) -> int:
    """From the link's return until the member has all."""
    return one["whole_ms"] - one["away_ms"]


def row(kind: str, result: dict) -> list[str]:
    phases = away(result, (kind,))
    return [KINDS[kind], str(len(phases)), seconds(phases, "failed_ms"),
            *(seconds(phases, f"{what}_most_ms") for what in ("read", "write", "flush")),
            span([returns_ms(one) / MS_PER_S for one in phases])]


def copied_row(one: dict) -> list[str]:
    return [one["phase"], one["kind"], f"{one['away_ms'] / MS_PER_S:.1f}", str(one["written_mb"]),
            str(one["noted_regions"]), f"{one['copied_blocks'] / REGION_BLOCKS:,.0f}", str(one["regions"])]


def slow_row(one: dict) -> list[str]:
    return [SLOW[one["phase"]], *(f"{one[key]:,.1f}" for key in SLOW_KEYS)]


TEXT = f"""\
Two emulated machines (no hardware virtualisation, clock of the host), joined by a cable that a process of ours
carries frame by frame (``tests/machines/link.py``). The near one has a mirror of 32 MiB, regions of 64 KiB, turns of
200 ms: member 0 is a drive of its own, member 1 the drive of the far one (kernel's nvmet-tcp and nvme-tcp,
``keep_alive_tmo={KEEP_ALIVE_S} fast_io_fail_tmo=2 reconnect_delay=2 ctrl_loss_tmo=-1``). Three clients: one reads and
one writes 100 requests of 4 KiB a second, with a flush for each 32 writes; ``trim-model`` writes, zeroes, reads and
verifies what it reads. After each phase it looks for all that it has written, and both members are compared.

*Failed*: seconds until the mirror has given the member up; then it serves alone. *Longest read, write, flush*:
seconds that a client had to wait, in the whole phase. *Whole*: from the moment in which link or machine are back,
until the member has reconnected, has joined by itself, and has all again. Medians, and from least to most.
"""

COPIED = """\
What is copied: regions that the metadata said that the member lacks, when nobody wrote any more before it returned,
and regions that were copied then. In the other half of the cuts clients go on meanwhile (*-*), and no more is copied
than the regions that they may have written: 32 of ``trim-model``'s, and 16 for each MiB of the client that writes
(*MiB*, drawn).
"""

SLOW_TEXT = """\
A slow link, milliseconds. Reads go to the member that is not written, so to the far one in half of the turns, and
wait for the link; those that the cache serves don't. What is to be flushed waits for the far member in the other
half.
"""


def section(result: dict) -> str:
    kinds = [kind for kind in KINDS if away(result, (kind,))]
    slow = [one for one in result["phases"] if one["phase"] in SLOW]
    return rst.page(
        TEXT, rst.table(["what", "times", "failed", "longest read", "longest write", "longest flush", "whole"],
                        [row(kind, result) for kind in kinds]),
        COPIED, rst.table(["phase", "kind", "away, s", "MiB", "noted", "copied", "regions in all"],
                          [copied_row(one) for one in away(result)]),
        SLOW_TEXT, rst.table(["", "read, p50", "p99", "longest", "write, p50", "p99", "longest flush"],
                             [slow_row(one) for one in slow]))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
