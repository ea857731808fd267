# SPDX-License-Identifier: GPL-2.0
"""What discards of a disk cost that is not one of ours: ``ssdqos trim advise`` on QEMU's NVMe."""

from __future__ import annotations

import json
from pathlib import Path

from lib import rst
from lib.machine import Job

TITLE = "QEMU's NVMe disk"
KERNEL = "6.1"
DISK, RANGE = "nvme:512M", "0:256m"
SECONDS, QUICK_SECONDS = 2, 0.2
# What the tool says of its own files is no result.
FILES_LINE = "numbers: "


def jobs(_seed: int, quick: bool) -> list[Job]:
    seconds = QUICK_SECONDS if quick else SECONDS
    return [Job("qemu-nvme", "trim-advise.sh", {"RANGE": RANGE, "SECONDS_EACH": seconds}, kernel=KERNEL,
                machine=("--smp", "2", "--disk", DISK))]


def read(directory: Path) -> dict:
    said = (directory / "said").read_text().splitlines()
    return {"said": [line for line in said if not line.startswith(FILES_LINE)],
            "found": json.loads((directory / "advice.json").read_text())}


def section(result: dict) -> str:
    said = "\n".join(f"    {line}".rstrip() for line in result["boots"]["qemu-nvme"]["said"])
    return rst.page(
        f"``ssdqos trim advise /dev/nvme0n1 --range {RANGE} --yes --seconds {SECONDS}`` in a machine whose processor is\n"
        "emulated: the host's file system and QEMU do what a drive's firmware would.  Times are of a host that does other things\n"
        "as well, and no drive's; what is shown is what an administrator gets to read.\n",
        f"::\n\n{said}\n")


def draw(result: dict, directory: Path) -> None:
    """The tool's lines say it."""
