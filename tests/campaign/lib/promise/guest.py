# SPDX-License-Identifier: GPL-2.0
"""A scenario as the virtual machine gets it: a file for each client, and one about all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from lib.promise import drives, fio_load, neighbours
from lib.promise.draw import SETTINGS, Owner, Scenario
from lib.promise.fio_load import Load
from lib.promise.turns import Turns
from ssdqos.qos import admission
from ssdqos.qos.profile_file import Profile
from ssdqos.qos.units import PERMILLE

LOG_MS = 100
# Clients go on a little longer than it is counted.
TAIL_S = 2
MS_PER_S = 1000
OWNER_SEED, NEIGHBOUR_SEED = 100, 200
# Between its end and the first window.
AFTER_BURST_S = 1
# A part of device time is counted in these, and a weight is at least one.
WHOLE = PERMILLE


@dataclasses.dataclass(frozen=True)
class Times:
    """Of a run: clients warm up, then windows are counted."""

    warm_up_s: int
    run_s: int

    @property
    def end_s(self) -> int:
        return self.warm_up_s + self.run_s + TAIL_S


@dataclasses.dataclass(frozen=True)
class Neighbour:
    """A client without a promise; one that changes has several loads."""

    name: str
    loads: tuple[Load, ...]
    weight: int | None

    def keys(self) -> str:
        """Of its stream."""
        return f"weight {self.weight}" if self.weight else ""


def clients(kind: str) -> list[Neighbour]:
    """Those that take turns are several streams in the simulator, here they are one client.

    Raises NotForFio."""
    made: list[Neighbour] = []
    in_turn: list[Load] = []
    for at, (load, more) in enumerate(neighbours.KINDS[kind]):
        parsed = fio_load.parse(f"{load} seed={NEIGHBOUR_SEED + at}", more)
        weight = fio_load.stream_words(more).get("weight")
        if parsed.turns.every_s:
            in_turn.append(parsed)
        else:
            made.append(Neighbour(f"b{len(made)}", (parsed,), int(weight) if weight else None))
    if in_turn:
        made.append(Neighbour(f"b{len(made)}", tuple(in_turn), None))
    return made


def why_not(kind: str) -> str:
    """Empty if fio can make these neighbours."""
    try:
        clients(kind)
    except fio_load.NotForFio as error:
        return str(error)
    return ""


def left_out() -> dict[str, str]:
    return {kind: why for kind in neighbours.KINDS if (why := why_not(kind))}


def owner_job(at: int, owner: Owner, times: Times, begin_s: int = 0) -> str:
    """`begin_s` is when it comes."""
    load = fio_load.parse(owner.load(OWNER_SEED + at))
    # What comes first is not counted.
    load = dataclasses.replace(load, turns=Turns(begin_s, times.run_s + TAIL_S))
    return fio_load.job_file([load], times.end_s, [f"ramp_time={times.warm_up_s - begin_s}", f"log_avg_msec={LOG_MS}",
                                                   "write_iops_log=${RUN_DIR}/" + f"a{at}"])


def burst_job(times: Times) -> str:
    load = fio_load.parse(f"{neighbours.BURST} seed={neighbours.BURST_SEED} runtime={neighbours.BURST_S}s")
    return fio_load.job_file([load], times.end_s)


def warm_up_s(scenario: Scenario, least_s: int) -> int:
    return max(least_s, scenario.owners_begin_s + AFTER_BURST_S) if scenario.drive.burst else least_s


def owner_keys(owner: Owner) -> str:
    """Of the message `set`."""
    return " ".join(f"{key} {value}" for key, value in owner.promise.said().items())


def share_permille(profile: Profile, owner: Owner) -> int:
    """Of device time, by the profile."""
    cost_ns = admission.cost_ns(profile, owner.promise, SETTINGS)
    return max(owner.promise.utilisation_ppm(cost_ns) // PERMILLE, 1)


def rest_permille(profile: Profile, scenario: Scenario) -> int:
    """What is not promised to anybody."""
    return max(WHOLE - sum(share_permille(profile, owner) for owner in scenario.owners), 1)


def windows(owner: Owner, times: Times) -> int:
    return times.run_s * MS_PER_S // owner.promise.window_ms


def owner_line(at: int, owner: Owner, profile: Profile) -> str:
    promise = owner.promise
    return (f"a{at} owner {share_permille(profile, owner)} {promise.min_iops} {promise.window_ms} "
            f"{promise.confidence_permille} {owner_keys(owner)}")


def neighbour_line(one: Neighbour, share: int) -> str:
    """As many fields as an owner's, so that all are read alike."""
    return f"{one.name} neighbour {share} 0 0 0 {one.keys()}".rstrip()


def client_lines(scenario: Scenario, beside: list[Neighbour], profile: Profile) -> str:
    """NAME owner|neighbour|burst SHARE_PERMILLE MIN_IOPS WINDOW_MS CONFIDENCE_PERMILLE KEY VALUE..."""
    lines = [owner_line(at, owner, profile) for at, owner in enumerate(scenario.owners)]
    rest = rest_permille(profile, scenario)
    lines += [neighbour_line(one, max(rest // len(beside), 1)) for one in beside]
    lines += [f"{neighbours.BURST_NAME} burst {rest} 0 0 0"] if scenario.drive.burst else []
    return "".join(f"{line}\n" for line in lines)


def settings(scenario: Scenario, times: Times) -> str:
    """Shell variables."""
    drive = scenario.drive
    words = f"aged_pct {drive.full_pct} scheduler {drive.scheduler}"
    values = {"DRIVE_PRESET": drive.preset, "DRIVE_MB": drives.MEGABYTES, "DRIVE_ARGUMENTS": words, "SEED": drive.seed,
              "RUN_S": times.run_s, "WARM_UP_S": times.warm_up_s}
    return "".join(f"{key}='{value}'\n" for key, value in values.items())


def files(scenario: Scenario, times: Times, profile: Profile) -> dict[str, str]:
    """By name; all begin with the scenario's number."""
    beside = clients(scenario.neighbour)
    made = {"sh": settings(scenario, times), "clients": client_lines(scenario, beside, profile),
            "profile": profile.words() + "\n"}
    made |= {f"a{at}.fio": owner_job(at, owner, times, scenario.owners_begin_s) for at, owner in enumerate(scenario.owners)}
    made |= {f"{one.name}.fio": fio_load.job_file(one.loads, times.end_s) for one in beside}
    made |= {f"{neighbours.BURST_NAME}.fio": burst_job(times)} if scenario.drive.burst else {}
    return {f"s{scenario.number}.{name}": text for name, text in made.items()}


def told(files: Mapping[str, str]) -> list[str]:
    """All that decides what becomes of them, to be known by."""
    return [f"{name}\n{text}" for name, text in sorted(files.items())]
