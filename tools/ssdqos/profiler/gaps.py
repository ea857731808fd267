# SPDX-License-Identifier: GPL-2.0
"""What a profile can't say of a promise, as it was not measured: by an older version, or in a hurry.

An answer that rests on such a profile is the same; it is told beside it what may be wrong with it.
"""

from __future__ import annotations

from ssdqos.profiler.settled import MISSED_PARTS, PERCENT
from ssdqos.qos.admission import DriveSettings
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.promise import Promise

# Of the windows that a promise may miss, what the profile spends: older ones have no such line, and spend them all.
KEY = "missed_spent_pct"
META = {KEY: str(PERCENT // MISSED_PARTS)}


def is_shallow(wanted: Promise, settings: DriveSettings) -> bool:
    """A client that waits for its reads while the drive could do more."""
    return wanted.request.op == "read" and 0 < wanted.iodepth < settings.queue_depth


def sentences(profile: Profile | None, wanted: Promise, settings: DriveSettings) -> list[str]:
    if profile is None or not wanted.needs_profile():
        return []
    made = []
    if KEY not in profile.meta:
        made.append("The profile is an older one: it spends all that a promise may miss, and has not looked for what the drive "
                    "does seldom. Measured again (ssdqos profile), it would promise less.")
    if not profile.mixed:
        made.append("It does not say what reads and writes cost together in windows, only on average: beside others who "
                    "write, windows may be missed.")
    if is_shallow(wanted, settings) and not profile.beside:
        made.append(f"Reads {wanted.iodepth} at a time were not measured beside writes (ssdqos profile without --quick does that): "
                    "beside others who write, windows may be missed.")
    return made
