# SPDX-License-Identifier: GPL-2.0
"""What a profile can't say of a promise, as it was not measured: by an older version, or in a hurry.

An answer that rests on such a profile is the same; it is told beside it what may be wrong with it.
"""

from __future__ import annotations

from ssdqos.profiler.cell import KIB
from ssdqos.profiler.settled import MISSED_PARTS, PERCENT
from ssdqos.qos.admission import DriveSettings
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.promise import Promise
from ssdqos.qos.request import RequestClass
from ssdqos.qos.units import bytes_text, ms_text

IN_ORDER = RequestClass("write", "seq")
# So long a window makes up for a stop (core/qos/order.c asks the same).
WINDOWS_OF_STOP = 2

# Of the windows that a promise may miss, what the profile spends: older ones have no such line, and spend them all.
KEY = "missed_spent_pct"
META = {KEY: str(PERCENT // MISSED_PARTS)}


def sentences(profile: Profile, wanted: Promise, settings: DriveSettings) -> list[str]:
    """For a promise that needs the profile."""
    made = []
    if KEY not in profile.meta:
        made.append("The profile is an older one: it spends all that a promise may miss, and has not looked for what the drive "
                    "does seldom. Measured again (ssdqos profile), it would promise less.")
    if not profile.mixed:
        made.append("It does not say what reads and writes cost together in windows, only on average: beside others who "
                    "write, windows may be missed.")
    if settings.is_shallow(wanted) and not profile.beside:
        made.append(f"Reads {wanted.iodepth} at a time were not measured beside writes (ssdqos profile without --quick does that): "
                    "beside others who write, windows may be missed.")
    if profile.stop and wanted.request == IN_ORDER:
        stop_ms, kib = profile.stop
        made.append(f"Where writes in order follow random ones, this drive stops for {ms_text(stop_ms)} after each {bytes_text(kib * KIB)}, until "
                    f"all of it was written in order: who has windows shorter than {ms_text(WINDOWS_OF_STOP * stop_ms)} may miss some then.")
    return made
