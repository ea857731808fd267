# SPDX-License-Identifier: GPL-2.0
"""Runs of `ssdqos-sim qos` on drives that take discards as real ones do, kept by what was run."""

from __future__ import annotations

import dataclasses
import functools
import json
import subprocess
from pathlib import Path

from lib.kept import Kept, command
from lib.simulator import build

NAME = "trim"
SIZE_MIB = 1024
KIB_PER_MIB = 1024
NS_PER_US = 1000
SEEDS, QUICK_SEEDS = 10, 3
PRESETS = ("autossd", "ttflash", "x25e-like", "intel510-like")
# As the paper has them: their numbers are the drive's, see core/flash/config.c.
KINDS = {"E-TRIM": "e-trim", "I-TRIM": "i-trim"}
# Below this, these do nothing.
GRANULE_KIB = 1024
# So that what file systems send, which is smaller, is worth something.
LEAST_GRANULE_KIB = 4
KEPT = ("requests", "latency_ns")


def sets_of(kind: str, granule_kib: int) -> list[tuple[str, object]]:
    """Parameters of a drive of this kind."""
    return [("trim_preset", KINDS[kind]), *([] if granule_kib == GRANULE_KIB else [("trim_granule_kib", granule_kib)])]


@functools.cache
def times_of(kind: str) -> dict[str, int]:
    """trim_ns and trim_step_ns, as the drive says."""
    words = ["run", "--drive", PRESETS[0], "--size", "256m", "--set", f"trim_preset={KINDS[kind]}", "--load",
             "trim bs=4k number_ios=1", "--json", "-"]
    done = subprocess.run([str(build("build")), *words], check=True, capture_output=True, text=True)
    return {key: json.loads(done.stdout)["params"][key] for key in ("trim_ns", "trim_step_ns")}


@dataclasses.dataclass(frozen=True)
class Drive:
    """@kind is one of KINDS."""

    preset: str
    kind: str
    granule_kib: int = GRANULE_KIB
    aged_pct: int = 100

    def sets(self, seed: int) -> list[tuple[str, object]]:
        return [*sets_of(self.kind, self.granule_kib), ("aged_pct", self.aged_pct), ("seed", seed)]


@dataclasses.dataclass(frozen=True)
class Run:
    """Streams by name: their loads; @age_ms of those that are kept is the default if it is 0."""

    drive: Drive
    seed: int
    streams: tuple[tuple[str, str], ...]
    runtime_s: int
    batch: bool = False
    warm_up_s: int = 0
    age_ms: int = 0

    def words(self) -> list[str]:
        words = ["qos", "--drive", self.drive.preset, "--size", f"{SIZE_MIB}m"]
        for key, value in self.drive.sets(self.seed):
            words += ["--set", f"{key}={value}"]
        words += ["--qos", "drive_trim=batch"] if self.batch else []
        words += ["--qos", f"drive_trim_age_ms={self.age_ms}"] if self.age_ms else []
        words += ["--warm-up", f"{self.warm_up_s}s"] if self.warm_up_s else []
        words += ["--runtime", f"{self.runtime_s}s", "--verify", "off"]
        for at, (name, load) in enumerate(self.streams):
            words += ["--stream", f'name={name} load="{load} seed={100 * at + self.seed}"']
        return words

    def command(self) -> str:
        return command(self.words())


def keep(found: dict, _series: Path) -> dict:
    """By stream what KEPT says; "drive" has what became of discards, and the write amplification."""
    kept = {name: {key: one[key] for key in KEPT} for name, one in found["streams"].items()}
    kept["drive"] = {key: value for key, value in found["drive"].items() if key.startswith("trim_")}
    kept["drive"]["waf"] = found["flash"]["waf"]
    return kept


class Runs(Kept):
    """Makes runs, or finds them."""

    def __init__(self, simulator: Path, quick: bool, again: bool) -> None:
        super().__init__(NAME, simulator, again)
        self.quick = quick

    def seeds(self) -> range:
        return range(1, 1 + (QUICK_SEEDS if self.quick else SEEDS))

    def run(self, run: Run) -> dict:
        return self.result(run.words(), keep)
