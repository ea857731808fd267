# SPDX-License-Identifier: GPL-2.0
"""Part `failures`: what is below a mirror fails at random moments, a hundred times, under load."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.ianus.runs import NS_PER_MS
from lib.machine import Job

TITLE = "Failures under load"
# A test of every day, which does less of the same.
SCRIPT = "../../kselftest/88-ianus-failures.sh"
DURABILITIES = ("strict", "journal")
EVENTS, QUICK_EVENTS = 100, 18
# As long as the script lets a request take.
BOUND_MS = 30_000
MOST_RATIO = 1.0
# region_kib 64 in blocks of 4 KiB
REGION_BLOCKS = 16
LIMIT_S = 3000
MS_PER_S = 1000
COLUMNS = ("failures", "waited, read", "write", "flush", "returns", "regions", "blocks", "copied")
WAITS = (("read", "clat_ns"), ("write", "clat_ns"), ("sync", "lat_ns"))


def jobs(seed: int, quick: bool) -> list[Job]:
    return [job(durability, durability, seed, QUICK_EVENTS if quick else EVENTS) for durability in DURABILITIES]


def job(name: str, durability: str, seed: int, events: int, kernel: str = "6.1",
        machine: tuple[str, ...] = ("--virtual",)) -> Job:
    """One boot."""
    return Job(f"{name}-{kernel}", SCRIPT, {"DURABILITY": durability, "SEED": seed, "EVENTS": events}, kernel=kernel,
               machine=machine, limit_s=LIMIT_S, wall_limit_s=LIMIT_S)


def rows_of(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


def read(directory: Path) -> dict:
    """Of one boot."""
    said = (directory / "probe.json").read_text()
    # fio says before that it was ended
    probe = json.loads(said[said.index("{"):])["jobs"][0]
    return {"events": [{"kind": kind, "ms": int(ms)} for kind, ms in rows_of(directory / "events")],
            "rebuilds": [{"kind": kind, "regions": int(regions), "blocks": int(blocks)}
                         for kind, _, regions, blocks in rows_of(directory / "rebuilds")],
            "longest_ms": {op: probe[op][key]["max"] / NS_PER_MS for op, key in WAITS},
            "requests": sum(probe[op]["total_ios"] for op, _ in WAITS)}


def longest_ms(boot: dict) -> float:
    return max(boot["longest_ms"].values())


def ratio(boot: dict) -> float:
    """What was copied, by what had to be."""
    wanted = sum(rebuild["regions"] for rebuild in boot["rebuilds"]) * REGION_BLOCKS
    return sum(rebuild["blocks"] for rebuild in boot["rebuilds"]) / wanted if wanted else 0


def goals(result: dict) -> list[Row]:
    boots = result["boots"].values()
    return [Bound("things that failed under load", sum(len(boot["events"]) for boot in boots), least=EVENTS, digits=0).row(),
            Bound("longest that somebody had to wait meanwhile", max(map(longest_ms, boots)), most=BOUND_MS, unit=" ms",
                  digits=0).row(),
            Bound("blocks that were copied, by those of regions that had to be", max(map(ratio, boots)), most=MOST_RATIO,
                  digits=3).row()]


def columns(boot: dict) -> list[str]:
    """What COLUMNS say of one."""
    regions = sum(rebuild["regions"] for rebuild in boot["rebuilds"])
    blocks = sum(rebuild["blocks"] for rebuild in boot["rebuilds"])
    return [f"{len(boot['events'])}", *(f"{boot['longest_ms'][op]:,.0f}" for op, _ in WAITS),
            f"{len(boot['rebuilds'])}", f"{regions:,}", f"{regions * REGION_BLOCKS:,}", f"{blocks:,}"]


def kinds(boots: dict) -> str:
    """Of each kind: how often, and how long until all was whole again."""
    counts = Counter(event["kind"] for boot in boots.values() for event in boot["events"])
    longest: Counter[str] = Counter()
    for boot in boots.values():
        for event in boot["events"]:
            longest[event["kind"]] = max(longest[event["kind"]], event["ms"])
    return rst.table(["what", "times", "longest, s"],
                     [[KINDS[kind], f"{number}", f"{longest[kind] / MS_PER_S:.1f}"] for kind, number in counts.items()])


KINDS = {"message": "a member is failed by message", "error": "all of a member's requests fail",
         "writes": "a member's writes fail", "flapping": "eight times some member fails and joins at once",
         "all_but_one": "two of three members fail at once", "metadata": "the metadata device fails",
         "journal": "the journal fails", "replace": "another disk in place of a member (ssdqos mirror replace)",
         "suspend": "a member is failed while the mirror is suspended"}
TEXT = f"""\
Three members of 32 MiB, a metadata device and, if there is one, a journal below mapped devices that can be made to fail, by
the virtual clock.  Two clients write, read and verify all the time (fio and ``trim-model``, which knows what each
sector may hold), a third reads, writes and flushes 40 times a second and notes how long that takes; none may take
{BOUND_MS // MS_PER_S} s.  Meanwhile things fail at random moments, one after the other; whole again means that all has
been copied.  In the end all members have the same, byte by byte, the mirror's own comparison finds nothing, and nothing was
lost.  Then all members fail at once: writes get an error, the status says so, and with a new table all that there was
is there again.

*Waited*: longest read, write and flush of the third client, ms.  When members return, they say at one moment which
*regions* they lack, and from then on no more *blocks* should be *copied* than these have; fewer, where a region is copied to two
members at once.
"""


def section(result: dict) -> str:
    boots = result["boots"]
    return rst.page(TEXT, rst.table(["durability", "kernel", *COLUMNS],
                                    [[*name.split("-"), *columns(boot)] for name, boot in boots.items()]), kinds(boots))


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
