# SPDX-License-Identifier: GPL-2.0
"""JSON as nvme and smartctl write it, of drives that do not exist."""

from __future__ import annotations

TIB, GIB, MIB32 = 1 << 40, 1 << 30, 32 << 20

# As older and newer versions of nvme-cli have it: numbers, floats, text.
NVME_CLI_1 = {"critical_warning": 0, "temperature": 311, "avail_spare": 100, "spare_thresh": 10, "percent_used": 12,
              "data_units_read": 25000000, "data_units_written": 40000000, "power_on_hours": 8760}
NVME_CLI_2 = {"critical_warning": 0, "avail_spare": 100, "percent_used": 3, "data_units_written": "81,920,000",
              "power_on_hours": "1200"}
NVME_FLOAT = {"percentage_used": 255, "data_units_written": 4.0e9, "power_on_hours": 30000.0}
NVME_NEW = {"percent_used": 0, "data_units_written": 0, "power_on_hours": 0}
SMARTCTL_NVME = {"smartctl": {"exit_status": 0}, "device": {"type": "nvme", "protocol": "NVMe"},
                 "nvme_smart_health_information_log": {"percentage_used": 7, "data_units_written": 123456,
                                                       "power_on_hours": 400}}


def attribute(number: int, name: str, value: int, raw: int) -> dict:
    return {"id": number, "name": name, "value": value, "worst": value, "thresh": 0,
            "raw": {"value": raw, "string": str(raw)}}


def ata(*attributes: dict, family: str = "Example SSDs", known: bool = True, **more: object) -> dict:
    return {"smartctl": {"exit_status": 0}, "model_family": family, "in_smartctl_database": known,
            "logical_block_size": 512, "rotation_rate": 0, "power_on_time": {"hours": 20000},
            "ata_smart_attributes": {"revision": 1, "table": [attribute(9, "Power_On_Hours", 99, 20000), *attributes]},
            **more}


def statistic(name: str, value: int, valid: bool = True) -> dict:
    return {"offset": 8, "name": name, "size": 6, "value": value, "flags": {"valid": valid, "normalized": False}}


def devstat(written: int, used: int, valid: bool = True) -> dict:
    return {"ata_device_statistics": {"pages": [
        {"number": 1, "name": "General Statistics", "table": [statistic("Power-on Hours", 21000),
                                                              statistic("Logical Sectors Written", written, valid)]},
        {"number": 7, "name": "Solid State Device Statistics",
         "table": [statistic("Percentage Used Endurance Indicator", used, valid)]}]}}


# One that follows the standard; its attributes agree.
ATA_STANDARD = ata(attribute(241, "Total_LBAs_Written", 99, 4000), **devstat(50_000_000_000, 21))
# Counts in 32 MiB, and down from 100.
ATA_32MIB = ata(attribute(233, "Media_Wearout_Indicator", 88, 0), attribute(241, "Host_Writes_32MiB", 100, 600_000),
                attribute(249, "NAND_Writes_1GiB", 100, 40_000), family="Example 3 Series SSDs")
# Its maker counts erases in 177, up to where the value is 0.
ATA_ERASES = ata(attribute(177, "Wear_Leveling_Count", 93, 140), attribute(241, "Total_LBAs_Written", 99, 60_000_000_000),
                 family="Samsung based SSDs")
# The same attribute by another maker, where the value stands still.
ATA_OTHER_177 = ata(attribute(177, "Wear_Leveling_Count", 100, 29), attribute(241, "Total_Writes_GiB", 100, 18_000))
# Percentage left in 202, pages without their size, erase counts.
ATA_LEFT = ata(attribute(173, "Ave_Block-Erase_Count", 96, 64), attribute(202, "Percent_Lifetime_Remain", 96, 4),
               attribute(246, "Total_LBAs_Written", 100, 9_000_000_000),
               attribute(248, "FTL_Program_Page_Count", 100, 800_000_000), family="Example MX SSDs")
# It runs up with this one, and the other runs down.
ATA_CONTRADICTS = ata(attribute(202, "Percent_Lifetime_Remain", 4, 4), attribute(231, "SSD_Life_Left", 96, 96))
# smartctl guesses names of numbers it does not know.
ATA_UNKNOWN = ata(attribute(231, "Unknown_SSD_Attribute", 100, 5), attribute(233, "Media_Wearout_Indicator", 0, 77000),
                  attribute(241, "Total_LBAs_Written", 100, 18_000), known=False)
ATA_UNKNOWN_STANDARD = ATA_UNKNOWN | devstat(7_000_000, 5)
ATA_NOT_VALID = ATA_UNKNOWN | devstat(7_000_000, 5, valid=False)
ATA_4K = ata(attribute(241, "Total_LBAs_Written", 99, 4000)) | {"logical_block_size": 4096} | devstat(1_000_000, 2)
ATA_TURNS = ata() | {"rotation_rate": 7200}
