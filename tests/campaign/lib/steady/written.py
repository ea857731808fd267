# SPDX-License-Identifier: GPL-2.0
"""A drive that is really written: first from begin to end, then at random for so many times."""

from __future__ import annotations

from lib.steady.runs import Drive, Run, Runs

# Half of the requests are writes.
REQUESTS_A_WRITE = 2
STEP_TIMES = 5


def write(runs: Runs, drive: Drive, times: int) -> str:
    """Returns the key of its state."""
    key = runs.run(Run(drive, 0, 1, fill=True, ends=True))["key"]
    for done in range(0, times, STEP_TIMES):
        part = min(STEP_TIMES, times - done)
        now = runs.run(Run(drive, REQUESTS_A_WRITE * part * drive.blocks(), 1000 + done, start=key, ends=True))
        if done:
            runs.drop(key)
        key = now["key"]
        if done + part < times and (done + part) % (10 * STEP_TIMES) == 0:
            runs.say(f"{drive.name}: written {done + part} of {times} times")
    return key


def go_on(runs: Runs, drive: Drive, key: str, seeds: range,
          longer: int = 1) -> tuple[list[dict], str]:
    """Figures of as many runs, each from the end of the one before, and the key of the last."""
    found = []
    for seed in seeds:
        found.append(runs.run(Run(drive, longer * drive.blocks(), seed, start=key, ends=True,
                              measured=True)))
        if seed != seeds[0]:
            runs.drop(key)
        key = found[-1]["key"]
    return found, key
