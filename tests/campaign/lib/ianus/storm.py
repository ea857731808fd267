# SPDX-License-Identifier: GPL-2.0
"""Part `storm`: several CPUs do everything at once to a mirror, for ten minutes, on a kernel that checks itself."""

from __future__ import annotations

from pathlib import Path

from lib import rst
from lib.claim import Bound, Row
from lib.machine import Job

TITLE = "A storm"
# A test of every day, which does less of the same.
SCRIPT = "../../kselftest/81-ianus-storm.sh"
CPUS = 4
STORM_S, QUICK_STORM_S = 600, 30
# Kernel, and what it is told when it boots.
BOOTS = {"debug": ("debug", ()), "kmemleak": ("debug", ("--append", "kmemleak=on"))}
DISK = "nvme:1G"
# Four CPUs on a host that has fewer, with KASAN and lockdep: what follows the storm takes its time.
AFTER_S = 1200
# A member fails and returns in each turn of this job; the least of them that is worth the name.
FAILING, LEAST_FAILURES = "members", 20
# The rest of what it counts begins anew with each table.
KEPT = ("lost_regions", "broken")
JOBS = {"load_plain": "writes, reads and verifies (fio)", "load_fsync": "likewise, with flushes",
        "load_fua": "likewise, with FUA", "model": "writes, discards and reads against a model (trim-model)",
        "members": "a member fails in one of four ways, and returns", "parameters": "parameters change",
        "tables": "suspended, resumed, and another table", "look": "status and table are read"}


def jobs(seed: int, quick: bool) -> list[Job]:
    storm_s = QUICK_STORM_S if quick else STORM_S
    return [Job(f"storm-{name}", SCRIPT, {"STORM_S": storm_s, "SEED": seed}, kernel=kernel,
                machine=("--smp", str(CPUS), "--disk", DISK, *append), limit_s=storm_s + AFTER_S,
                wall_limit_s=2 * (storm_s + AFTER_S)) for name, (kernel, append) in BOOTS.items()]


def read(directory: Path) -> dict:
    """Of one boot: how often each job was done, and what the mirror says of itself."""
    turns = dict(line.split() for line in (directory / "storm-turns").read_text().splitlines())
    status = dict(word.split("=", 1) for word in (directory / "mirror").read_text().split() if "=" in word)
    return {"turns": {name: int(number) for name, number in turns.items()},
            "mirror": {key: int(status[key]) for key in KEPT}}


def goals(result: dict) -> list[Row]:
    rows = []
    for name, boot in result["boots"].items():
        rows += [Bound(f"{name}: members that failed and returned", boot["turns"][FAILING], least=LEAST_FAILURES, digits=0).row(),
                 Bound(f"{name}: regions that were lost, and times that all members had failed",
                       sum(boot["mirror"].values()), most=0, digits=0).row()]
    return rows


TEXT = f"""\
{CPUS} virtual CPUs in real time, and a kernel with KASAN, lockdep and checks of lists, objects and sleeping; the other boot has
kmemleak, too.  Several do at once, again and again for {STORM_S // 60} minutes, what the table says to a mirror of three members that turns
every 50 ms.  In the end all is copied, members have the same, byte by byte, and the mirror is removed, also in the midst of a copy.
A line of the kernel's log that warns fails the boot, and so does memory that nobody refers to any more; a boot that has failed is
not in the table.
"""


def section(result: dict) -> str:
    boots = result["boots"]
    turns = rst.table(["job", *boots], [[text, *(f"{boot['turns'].get(name, 0):,}" for boot in boots.values())]
                                        for name, text in JOBS.items()])
    return rst.page(TEXT, turns)


def draw(result: dict, directory: Path) -> None:
    """The table says it."""
