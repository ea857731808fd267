# SPDX-License-Identifier: GPL-2.0
"""Wear of an ATA drive: device statistics first, then attributes whose meaning is known.

Numbers of attributes mean something else with each maker, and a value may run
up or down.  So only names count, and only where smartctl's database knows the
drive; a name without a unit in it counts where the standard gives one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ssdqos.smart import commands
from ssdqos.smart.report import PERMYRIAD_PER_PERCENT, SECTOR_BYTES, Report, WearError, number

WRITTEN = "Logical Sectors Written"
USED = "Percentage Used Endurance Indicator"
HOURS = "Power-on Hours"
WHOLE = 100
# Two sources that both tell the truth differ by less, in per cent.
MOST_APART = 10
BYTE_SUFFIXES = {"_MiB": 1 << 20, "_32MiB": 32 << 20, "_GiB": 1 << 30, "_1GiB": 1 << 30, "_TiB": 1 << 40}
HOST_NAME = re.compile(r"(?:Host_Writes|Total_Host_Writes|Lifetime_Writes|Total_Writes|Host_Written)(_(?:32|1)?[MGT]iB)")
FLASH_NAME = re.compile(r"(?:NAND_Writes|Total_NAND_Writes|Lifetime_NAND_Writes|Flash_Writes|Total_Flash_Writes)"
                        r"(_(?:32|1)?[MGT]iB)")
SECTOR_NAME = "Total_LBAs_Written"
# The value is what is left, 100 when new.
LEFT_NAMES = ("Media_Wearout_Indicator", "SSD_Life_Left", "Remaining_Lifetime_Perc", "Percent_Lifetime_Remain",
              "Wear_Leveling_Count")
# Down from 100 with this maker only: others count erases in it, up or not at all.
ONLY_WITH = {"Wear_Leveling_Count": "Samsung"}
# About wear, so that it is said why it does not count.
RELATED = re.compile(r"Wear|Life|Writ|LBAs|NAND|Program_Page", re.IGNORECASE)


class Attribute(NamedTuple):
    """`value` is the maker's scale, `raw` the count."""

    number: int
    name: str
    value: int
    raw: int

    def __str__(self) -> str:
        return f"{self.number} {self.name}"


def statistics(found: dict) -> dict[str, int]:
    """Valid ones of the device statistics log."""
    made = {}
    for page in found.get("ata_device_statistics", {}).get("pages", []):
        for entry in page.get("table", []):
            value = number(entry.get("value"))
            if value is not None and entry.get("flags", {}).get("valid"):
                made[entry.get("name", "")] = value
    return made


def attributes(found: dict) -> Iterator[Attribute]:
    for entry in found.get("ata_smart_attributes", {}).get("table", []):
        value, raw = number(entry.get("value")), number(entry.get("raw", {}).get("value"))
        if value is not None and raw is not None:
            yield Attribute(number(entry.get("id")) or 0, str(entry.get("name", "")), value, raw)


def bytes_of(attribute: Attribute, pattern: re.Pattern) -> int:
    """0 if the attribute is another one."""
    match = pattern.fullmatch(attribute.name)
    return attribute.raw * BYTE_SUFFIXES[match[1]] if match else 0


def sectors_of(attribute: Attribute, found: dict) -> int:
    """In bytes; with sectors that are larger, makers do not agree on what they count."""
    small = number(found.get("logical_block_size")) in (None, SECTOR_BYTES)
    return attribute.raw * SECTOR_BYTES if attribute.name == SECTOR_NAME and small else 0


def left_percent(attribute: Attribute, family: str) -> int | None:
    if attribute.name not in LEFT_NAMES or attribute.value > WHOLE:
        return None
    maker = ONLY_WITH.get(attribute.name, "")
    return attribute.value if maker.lower() in family.lower() else None


def take_attributes(made: Report, found: dict) -> None:
    """Only for what the device statistics left open."""
    family = found.get("model_family", "")
    used: dict[str, int] = {}
    known = made.sources.copy()
    for one in attributes(found):
        if not found.get("in_smartctl_database"):
            if RELATED.search(one.name):
                made.ignored.append(f"attribute {one}: smartctl does not know this drive")
            continue
        left = left_percent(one, family)
        if host := sectors_of(one, found) or bytes_of(one, HOST_NAME):
            if "host_bytes" not in known:
                made.take("host_bytes", host, f"attribute {one}")
        elif flash := bytes_of(one, FLASH_NAME):
            made.take("flash_bytes", flash, f"attribute {one}")
        elif left is not None:
            used[f"attribute {one}"] = WHOLE - left
        elif RELATED.search(one.name):
            made.ignored.append(f"attribute {one}: its unit or direction is not known for sure")
    take_used(made, used)


def take_used(made: Report, used: dict[str, int]) -> None:
    """Several that contradict one another are worth nothing."""
    if not used or "used_permyriad" in made.sources:
        return
    if max(used.values()) - min(used.values()) > MOST_APART:
        said = ", ".join(f"{source} {percent} % used" for source, percent in used.items())
        made.ignored.append(f"they contradict one another: {said}")
        return
    source = max(used, key=lambda name: used[name])
    made.take("used_permyriad", used[source] * PERMYRIAD_PER_PERCENT, source)


def report(found: dict) -> Report:
    known = statistics(found)
    hours = number(found.get("power_on_time", {}).get("hours"))
    made = Report(power_on_h=known.get(HOURS, hours))
    sector = number(found.get("logical_block_size")) or SECTOR_BYTES
    made.take("host_bytes", known.get(WRITTEN, 0) * sector, WRITTEN)
    made.take("used_permyriad", known.get(USED, 0) * PERMYRIAD_PER_PERCENT, USED)
    take_attributes(made, found)
    return made


def read(device: Path) -> Report:
    try:
        found = commands.smartctl(device, "-l", "devstat")
    except commands.NotInstalled as error:
        raise WearError("smartctl is not installed (package smartmontools)") from error
    if found.get("rotation_rate"):
        raise WearError(f"{device} is a disk that turns, it does not wear by writes")
    return report(found)
