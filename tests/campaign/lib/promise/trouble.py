# SPDX-License-Identifier: GPL-2.0
"""What goes wrong for a minute: as much again is promised as there is, or the drive is half as fast."""

from __future__ import annotations

import dataclasses
import random

from lib.promise import draw as drawn
from lib.promise.draw import WARM_UP_S, Owner, Scenario
from lib.promise.runs import Kept, Runs, promise_words, stream

LASTS_S = 60
END_S = WARM_UP_S + LASTS_S
# All together have promised this part of what can be.
OVERCOMMITTED_PCT = 200
SLOWER = 2
TIMES = ("read_ns", "program_ns", "erase_ns", "ram_ns", "trim_ns", "read_command_ns", "write_command_ns",
         "lookup_min_ns", "lookup_max_ns", "host_delay_min_ns", "host_delay_max_ns", "internal_delay_min_ns",
         "internal_delay_max_ns")
RATES = ("channel_mb_s", "link_mb_s")
INTRUDER = "x"
SETTINGS = Kept("settings", lambda result: {key: result["params"][key] for key in (*TIMES, *RATES)})


def intruder(dice: random.Random, runs: Runs, scenario: Scenario) -> Owner | None:
    """Its promise would not be admitted; it is there from the beginning."""
    return drawn.asked(dice, runs.profile_of(scenario.drive), OVERCOMMITTED_PCT - scenario.share_pct)


def overcommitment(one: Owner) -> list[str]:
    """The promise is taken back when the client goes."""
    load = f"{one.load(400)} runtime={END_S}s"
    return ["--qos", "drive_overcommit=on", *stream(INTRUDER, load, promise_words(one)),
            "--at", f"{END_S}s {INTRUDER} min_iops=0"]


def slowness(settings: dict[str, int]) -> list[str]:
    """Of everything that takes time in the drive; a rate of 0 is none."""
    slow = {key: settings[key] * SLOWER for key in TIMES}
    slow |= {key: settings[key] // SLOWER for key in RATES}

    def at(second: int, values: dict[str, int]) -> list[str]:
        return ["--at", " ".join([f"{second}s drive", *(f"{key}={value}" for key, value in values.items())])]
    return at(WARM_UP_S, slow) + at(END_S, settings)


def settings_of(scenario: Scenario, runs: Runs) -> dict[str, int]:
    """As the simulator says them; a moment is enough."""
    moment = dataclasses.replace(scenario, owners=(), runtime_s=WARM_UP_S + 1)
    idle = stream("idle", "randread bs=4k number_ios=1")
    return runs.keep(scenario.drive, [*runs.words(moment), *idle], SETTINGS)
