# SPDX-License-Identifier: GPL-2.0
"""Runs of `ssdqos-sim mirror` on the drives of the Ianus paper, kept by what was run."""

from __future__ import annotations

import csv
import dataclasses
import statistics
from collections.abc import Callable
from pathlib import Path

from lib.edf.clients import Drive
from lib.kept import Kept, command
from lib.simulator import ROOT

NAME = "ianus"
BYTES_PER_MB = 1_000_000
NS_PER_MS = 1_000_000
SEEDS, QUICK_SEEDS = 3, 1
# By name, what is not as usual.
PEERS: dict[str, dict] = {peer: {"peer": peer} for peer in ("one", "raid1", "ianus")}
RESTS = "idle 1 s"
CASES = {**PEERS, RESTS: {"peer": "ianus", "idle_ms": 1000}}
KEPT = ("n", "mean", "p99", "p999", "max")
# Section 5.2 of the paper: twice a member's rate by the time of a turn.  A member of either model writes some 50 MB/s of
# the paper's mix, and a turn takes 10 s.
CACHE_KIB_PER_S = 104_858


@dataclasses.dataclass(frozen=True)
class Run:
    """Streams are as on the command line, but for their quotes."""

    drive: Drive
    peer: str
    streams: tuple[str, ...]
    seed: int
    warm_up_s: int
    runtime_s: int
    switch_s: int = 10
    idle_ms: int = 0

    def mirror(self) -> list[str]:
        if self.peer != "ianus":
            return []
        return ["--mirror", f"switch_ms={1000 * self.switch_s} idle_ms={self.idle_ms} "
                            f"cache_kib={CACHE_KIB_PER_S * self.switch_s}"]

    def words(self) -> list[str]:
        sets = self.drive.arguments.split()
        words = ["mirror", "--drive", self.drive.preset, "--size", str(self.drive.megabytes * BYTES_PER_MB)]
        for key, value in zip(sets[::2], sets[1::2]):
            words += ["--set", f"{key}={value}"]
        words += ["--peer", self.peer, *self.mirror(), "--verify", "off", "--seed", str(self.seed)]
        words += ["--warm-up", f"{self.warm_up_s}s", "--runtime", f"{self.runtime_s}s"]
        for stream in self.streams:
            words += ["--stream", stream]
        return words

    def command(self) -> str:
        return command([word.replace(f"{ROOT.parent}/shared", "../shared") for word in self.words()])


def keep(found: dict, series: Path) -> dict:
    """Latencies of reads and writes, and requests of each stream by window of a second."""
    with series.open(newline="") as file:
        rows = list(csv.DictReader(file))
    mirror = found.get("mirror", {})
    return {
        "latency_ns": {op: {key: found["latency_ns"][op][key] for key in KEPT} for op in ("read", "write")},
        "seconds": found["virtual_s"],
        "windows": found["windows"],
        "streams": {name: {"op": {op: one["latency_ns"][op]["n"] for op in ("read", "write")}, "bytes": one["bytes"],
                           "each": [int(row[f"{name}_n"]) for row in rows]}
                    for name, one in found["streams"].items()},
        "mirror": {key: mirror[key] for key in mirror if key not in ("members", "params")},
    }


class Runs(Kept):
    """Makes runs, or finds them."""

    def __init__(self, simulator: Path, quick: bool, again: bool) -> None:
        super().__init__(NAME, simulator, again)
        self.quick = quick

    def seeds(self) -> range:
        return range(1, 1 + (QUICK_SEEDS if self.quick else SEEDS))

    def run(self, run: Run) -> dict:
        return self.result(run.words(), keep, series=True)

    def each_seed(self, what: str, make: Callable[[int], Run], numbers: Callable[[dict], dict]) -> list[dict]:
        self.say(what)
        return [numbers(self.run(make(seed))) for seed in self.seeds()]


def latencies_ms(found: dict, op: str = "read") -> dict[str, float]:
    return {f"{key}_ms": found["latency_ns"][op][key] / NS_PER_MS for key in KEPT if key != "n"}


def rates(found: dict) -> dict[str, float]:
    return {f"{op}s_s": found["latency_ns"][op]["n"] / found["seconds"] for op in ("read", "write")}


def median(runs: list[dict], key: str) -> float:
    return statistics.median(run[key] for run in runs)


def cell(runs: list[dict], key: str, digits: int = 0) -> str:
    """Median, and the range over seeds."""
    values = [run[key] for run in runs]
    text = f"{statistics.median(values):,.{digits}f}"
    if min(values) == max(values):
        return text
    return f"{text} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"
