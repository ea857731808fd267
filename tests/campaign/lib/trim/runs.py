# SPDX-License-Identifier: GPL-2.0
"""Runs of `ssdqos-sim qos` on drives that take discards as real ones do, kept by what was run."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from lib.kept import Kept, command

NAME = "trim"
SIZE_MIB = 1024
KIB_PER_MIB = 1024
NS_PER_US = 1000
SEEDS, QUICK_SEEDS = 10, 3
PRESETS = ("autossd", "ttflash", "x25e-like", "intel510-like")
# "Revisiting Widely Held SSD Expectations", section 6.2: a drive that erases at once (E-TRIM) is busy for 754 ms with
# 2 GiB, in proportion to the size; one that marks (I-TRIM) for 0.4 to 10 ms.  Steps are of 4 MiB: 512 in 2 GiB.
STEPS_OF_2_GIB = 512
E_TRIM_NS = 754_000_000 // STEPS_OF_2_GIB
I_TRIM_NS, I_TRIM_LAST_NS = 400_000, 10_000_000
KINDS = {
    "E-TRIM": (("trim_mode", "erase"), ("trim_ns", E_TRIM_NS), ("trim_step_ns", E_TRIM_NS)),
    "I-TRIM": (("trim_mode", "invalidate"), ("trim_ns", I_TRIM_NS),
               ("trim_step_ns", (I_TRIM_LAST_NS - I_TRIM_NS) // (STEPS_OF_2_GIB - 1))),
}
# The paper's drives had nothing of discards in random order.  Ours: they do nothing with less than this.
GRANULE_KIB = 1024
# TRIM of SATA can't be queued.
COMMON = (("trim_command", "on"),)
KEPT = ("requests", "latency_ns")


@dataclasses.dataclass(frozen=True)
class Drive:
    """@kind is one of KINDS."""

    preset: str
    kind: str
    granule_kib: int = GRANULE_KIB
    aged_pct: int = 100

    def sets(self, seed: int) -> list[tuple[str, object]]:
        return [*COMMON, *KINDS[self.kind], ("trim_granule_kib", self.granule_kib), ("aged_pct", self.aged_pct),
                ("seed", seed)]


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
