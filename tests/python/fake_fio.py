#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: GPL-2.0
"""Leaves the logs that fio would, with numbers made up from its options."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

# requests in each 100 ms: of reads, of writes
RATES = {"read": (40, 0), "randread": (20, 0), "write": (0, 10), "randwrite": (0, 5), "rw": (8, 8), "randrw": (6, 3)}
DIRECTIONS = 2
# A cell that stops does so for a second each five seconds: 40 s of it have not settled yet, 80 s have.
STOP_EVERY_MS, STOP_AT_MS, STOP_MS = 5000, 2500, 1100


def is_stopped(name: str, at_ms: int) -> bool:
    return name == os.environ.get("FAKE_FIO_STOPS_IN") and 0 <= at_ms % STOP_EVERY_MS - STOP_AT_MS < STOP_MS


def runs_before(log: str | None, name: str) -> int:
    """This one is in the log already."""
    return Path(log).read_text().count(f"{name} ") - 1 if log else 0


def rows(options: dict[str, str]) -> list[str]:
    made = []
    for end_ms in range(101, int(options["runtime"]) * 1000, 100):
        for direction, count in zip(range(DIRECTIONS), RATES[options["rw"]]):
            if count and not is_stopped(options["name"], end_ms):
                made.append(f"{end_ms}, {direction}, {options['bs']}, 0, {count - 1}, 1, 0")
    return made


def jobs_of(words: list[str]) -> list[dict[str, str]]:
    """What stands before the first name holds for all."""
    made: list[dict[str, str]] = [{}]
    for word in words:
        key, _, value = word.removeprefix("--").partition("=")
        if key == "name":
            made.append(dict(made[0]))
        made[-1][key] = value
    return made[1:]


def work_for_long(fifo: str) -> None:
    """A worker, as fio has them, holds the pipe open; it does not end with who has begun it."""
    held = os.open(fifo, os.O_WRONLY)
    if worker := os.fork():
        os.waitpid(worker, 0)
    os.write(held, b"works")
    while True:
        signal.pause()


def main() -> int:
    if sys.argv[1:] == ["--version"]:
        print("fio-3.99")
        return 0
    options, *others = jobs_of(sys.argv[1:])
    options["output"] = options.get("output") or others[-1]["output"]
    if log := os.environ.get("FAKE_FIO_LOG"):
        with open(log, "a", encoding="ascii") as file:
            beside = [f" beside {one.get('rate_iops', 'all')} {one['rw']}" for one in others]
            file.write(f"{options['name']} {options.get('runtime', '')} {options['filename']}{''.join(beside)}\n")
    spared = int(os.environ.get("FAKE_FIO_SPARES", 0))
    if options["name"] == os.environ.get("FAKE_FIO_DIES_IN") and runs_before(log, options["name"]) >= spared:
        os.kill(os.getppid(), 9)
    if options["name"] == os.environ.get("FAKE_FIO_LASTS_IN"):
        work_for_long(os.environ["FAKE_FIO_WORKS_IN"])
    if options["name"] == os.environ.get("FAKE_FIO_FAILS_IN"):
        sys.stderr.write("fio: it was told to fail\n")
        return 1
    if "write_hist_log" in options:
        for number, one in enumerate([options, *others], start=1):
            Path(f"{one['write_hist_log']}_clat_hist.{number}.log").write_text("\n".join(rows(one)) + "\n")
    Path(options["output"]).write_text('{"fio version": "fio-3.99", "jobs": [{"job options": {"runtime": "%s"}}]}'
                                       % options.get("runtime", "0"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
