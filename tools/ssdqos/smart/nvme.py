# SPDX-License-Identifier: GPL-2.0
"""Wear of an NVMe drive, from its health log (NVM Express, log page 02h)."""

from __future__ import annotations

from pathlib import Path

from ssdqos.smart import commands
from ssdqos.smart.report import MOST_PERCENT, PERMYRIAD_PER_PERCENT, Report, WearError, number

# The log counts thousands of 512 bytes.
DATA_UNIT_BYTES = 512_000
SMARTCTL_LOG = "nvme_smart_health_information_log"
# Versions of nvme-cli do not agree.
PERCENT_KEYS = ("percentage_used", "percent_used")


def report(log: dict, source: str) -> Report:
    """Of the log as either tool writes it."""
    made = Report(power_on_h=number(log.get("power_on_hours")))
    units = number(log.get("data_units_written"))
    percent = next((found for key in PERCENT_KEYS if (found := number(log.get(key))) is not None), None)
    if units is None and percent is None:
        raise WearError(f"{source} has neither data_units_written nor percentage_used")
    if percent is not None and percent > MOST_PERCENT:
        raise WearError(f"the report can't be true: percentage_used is {percent}, and {MOST_PERCENT} is the most")
    made.take("host_bytes", (units or 0) * DATA_UNIT_BYTES, "data_units_written")
    made.take("used_permyriad", (percent or 0) * PERMYRIAD_PER_PERCENT, "percentage_used")
    if percent == MOST_PERCENT:
        made.ignored.append(f"percentage_used stays at {MOST_PERCENT}: it may be more")
    return made


def read(device: Path) -> Report:
    """By nvme, or by smartctl where that is not installed or fails."""
    try:
        return report(commands.nvme(device), "nvme smart-log")
    except commands.NotInstalled:
        why = "nvme is not installed (package nvme-cli)"
    except WearError as error:
        why = str(error)
    try:
        found = commands.smartctl(device)
    except commands.NotInstalled as error:
        raise WearError(f"{why}, and smartctl is not installed (package smartmontools)") from error
    except WearError as error:
        raise WearError(f"{why}; {error}") from error
    if SMARTCTL_LOG not in found:
        raise WearError(f"{why}; smartctl found no NVMe health log on {device}")
    return report(found[SMARTCTL_LOG], "smartctl")
