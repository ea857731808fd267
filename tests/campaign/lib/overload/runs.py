# SPDX-License-Identifier: GPL-2.0
"""Runs of the simulator, kept by what was run; and how a run compares with fifo."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

from lib import campaign
from lib.errors import RunError

NAME = "overload"
SIZE = "512m"
SEEDS = 3
MOST_REQUESTS = 120_000

STATIC = {"flush_share_mode": "static", "gc_share_mode": "static", "scrub_share_mode": "static",
          "quiet_ns": 0}
# The shares of the preset autossd, for any drive.
FEEDBACK = {"gc_share_mode": "feedback", "gc_share_permille": 32, "gc_share_p_ppm": 300,
            "gc_share_i_ppm": 950000, "flush_share_mode": "feedback", "flush_share_permille": 64,
            "flush_share_p_ppm": 2000, "flush_share_i_ppm": 900000}
SCHEDULERS = {
    "priority": {"scheduler": "priority"},
    "wfq, static": {**STATIC, "scheduler": "wfq", "gc_share_permille": 100, "flush_share_permille": 500},
    "wfq, feedback": {**FEEDBACK, "scheduler": "wfq"},
    "debit, static": {**STATIC, "scheduler": "debit", "gc_share_permille": 50,
                      "flush_share_permille": 500},
    "debit, a tenth each": {**STATIC, "scheduler": "debit", "gc_share_permille": 100,
                            "flush_share_permille": 100},
    "debit, feedback": {**FEEDBACK, "scheduler": "debit", "quiet_ns": 4000000},
}
FIFO = {"scheduler": "fifo"}
PAPERS = {"share_lend": "off", "bypass_max": 0}
# What is compared: name, operation, figure, and how many times that of fifo it may be.
FIGURES = (("reads, mean", "read", "mean", 2), ("reads, p99.9", "read", "p999", 3),
           ("writes, mean", "write", "mean", 1.5))


class Runs:
    """Makes runs, or finds them."""

    def __init__(self, simulator: Path, quick: bool, again: bool, seed: int) -> None:
        self.simulator, self.quick, self.again = simulator, quick, again
        self.seeds = range(seed, seed + (1 if quick else SEEDS))
        self.fresh = False
        self._digest = hashlib.sha256(simulator.read_bytes()).hexdigest()
        self._place = campaign.runs_of(NAME)
        self.say = campaign.teller(NAME)

    def run(self, preset: str, sets: dict, load: str, seed: int) -> dict:
        """Mean, p99, p99.9 in ns of reads and writes, and IOPS."""
        words = ["run", "--drive", preset, "--size", SIZE]
        for key, value in {"aged_pct": 100, "seed": seed, **sets}.items():
            words += ["--set", f"{key}={value}"]
        words += ["--load", f"{load} seed={seed}", "--json"]
        name = hashlib.sha256("\0".join([self._digest, *words]).encode()).hexdigest()[:24]
        path = self._place / f"{name}.json"
        if self.again or not path.exists():
            self._make(words, path)
        return json.loads(path.read_text())

    def saturation(self, preset: str, mix: str) -> float:
        """What the drive takes with fifo and 256 requests under way."""
        return self.run(preset, FIFO, f"{mix} iodepth=256 number_ios=30000", self.seeds[0])["iops"]

    def _make(self, words: list[str], path: Path) -> None:
        self._place.mkdir(parents=True, exist_ok=True)
        result = path.with_suffix(".new")
        done = subprocess.run([str(self.simulator), *words, str(result)], capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise RunError(f"{' '.join(words)}: {done.stderr.strip()}")
        found = json.loads(result.read_text())
        latency = {op: {key: found["latency_ns"][op][key] for key in ("n", "mean", "p99", "p999")}
                   for op in ("read", "write") if op in found["latency_ns"]}
        result.write_text(json.dumps({"iops": found["iops"], **latency}))
        result.rename(path)
        self.fresh = True


def open_loop(mix: str, rate: float, seconds: float) -> str:
    """As long as it should be, or as many requests as are worth it."""
    seconds = min(seconds, MOST_REQUESTS / rate)
    return f"{mix} rate_iops={max(1, int(rate))} arrival=poisson runtime={max(1, int(1000 * seconds))}ms"


def ratios(found: dict, fifo: dict) -> dict[str, float]:
    """By the names of FIGURES."""
    return {name: found[op][key] / fifo[op][key] for name, op, key, _ in FIGURES
            if fifo.get(op, {}).get("n") and fifo[op][key]}
