# SPDX-License-Identifier: GPL-2.0
"""What is run: systems, loads, and one run of the simulator as a value."""

from __future__ import annotations

import dataclasses
import hashlib
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from lib.autossd import paper
from lib.simulator import ROOT

PRESET = "autossd"
FULL_BYTES = 200_000_000_000  # of 256 GB, as op_permille is 280
SERIES_INTERVAL = "100ms"

AGED = {"aged_pct": 100}
# Section 4.3: blocks were read at random, fewer times than scrubbing starts at.
AGED_READS = {"aged_reads": 100_000}
STATIC = {"flush_share_mode": "static", "gc_share_mode": "static", "scrub_share_mode": "static",
          "wear_share_mode": "static"}
# Ours against overload, which the paper's systems don't have.
NO_LENDING = {"share_lend": "off", "bypass_max": 0}
# The paper controls GC and scrubbing only, and knows no quiet times.
PAPER_RULES = {"flush_share_mode": "static", "flush_share_permille": 1000, "quiet_ns": 0,
               **NO_LENDING}

# Its reads go around internal work by ttFlash's rules, unless it is told not to.
RAIN = {"scheduler": "priority", "allocation": "static", "rain": "on", **NO_LENDING}

# One row per system: what it changes against the preset.  The paper gives no
# weights for QoSFC: GC and scrubbing get the middle one of its static shares
# of Figure 9.
SYSTEMS = {
    "vanilla": {"scheduler": "fifo"},
    "rain": RAIN,
    "parity": {**RAIN, "rain_reconstruct": "off"},
    "qosfc": {"scheduler": "wfq", **STATIC, **NO_LENDING, "gc_share_permille": 100,
              "scrub_share_permille": 100, "flush_share_permille": 500},
    "paper": PAPER_RULES,
    "autossd": {},
}
TITLES = {"vanilla": "Vanilla", "rain": "RAIN", "parity": "RAIN, parity only", "qosfc": "QoSFC",
          "paper": "AutoSSD, paper's rules", "autossd": "AutoSSD"}
LOADS = tuple(paper.TABLE_2)

# How much of a load is run, where it is not all of it: so much that five seeds have ten million
# reads up to 64 KiB together, which six nines need.  RAD-BE never has them, and takes long.
PARTS = {"DTRS": 0.22, "LM-TBE": 0.1, "MSN-CFS": 0.7, "MSN-BEFS": 0.15, "RAD-BE": 0.5}
# At 2x less of those that take longest: they have no six nines there.
PARTS_2X = {**PARTS, "DAP-PS": 0.25, "DTRS": 0.055, "LM-TBE": 0.025, "RAD-AS": 0.5, "RAD-BE": 0.25}


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of the simulator; equal values are one run, whoever needs them."""

    sets: tuple[tuple[str, object], ...]
    load: str | None = None
    trace: Path | None = None
    trace_options: tuple[str, ...] = ()
    size: int = FULL_BYTES
    series: bool = False
    cdf: bool = False
    before: Run | None = None  # starts with the state that this one leaves
    repeat: int = 0
    # For the order and the time to go only, never part of what it is.
    requests: int = dataclasses.field(default=0, compare=False)
    kib: float = dataclasses.field(default=4, compare=False)
    alone: bool = dataclasses.field(default=False, compare=False)

    def arguments(self) -> list[str]:
        """All that decides what happens, and nothing else."""
        words = ["--drive", PRESET, "--size", str(self.size)]
        for key, value in self.sets:
            words += ["--set", f"{key}={value}"]
        if self.load:
            return [*words, "--load", self.load]
        return [*words, "--trace", str(self.trace), *self.trace_options]

    def outputs(self, directory: Path, name: str = "") -> list[str]:
        """Options for the files that this run writes."""
        words = []
        if self.series:
            words += ["--series", str(directory / f"{name}series.csv"),
                      "--series-interval", SERIES_INTERVAL]
        if self.cdf:
            words += ["--cdf", str(directory / f"{name}cdf.csv")]
        return words

    def identity(self) -> list[object]:
        """What a stored result depends on, besides the simulator."""
        return [self.arguments(), self.series, self.cdf, self.repeat,
                digest(self.trace) if self.trace else None,
                self.before.identity() if self.before else None]

    def command(self) -> str:
        """What a user types; a state that is needed comes from another run."""
        words = [word.replace(f"{ROOT}/", "") for word in self.arguments()]
        words += self.outputs(Path("/tmp"))
        text = f"./run sim run {shlex.join(words)}"
        if self.before:
            save = f"{self.before.command()} --save-state /tmp/state"
            return f"{save} && {text} --load-state /tmp/state"
        return text

    def effort(self) -> float:
        """In page operations or so: enough to tell long runs from short ones."""
        return self.requests * (1 + self.kib / 16) + (self.before.effort() if self.before else 0)


def digest(path: Path) -> str:
    """Of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclasses.dataclass(frozen=True)
class Scale:
    """How much of each load is run, and from which seeds."""

    fraction: float = 1.0
    seed: int = 1   # the first of them
    seeds: int = 1  # how many
    whole: bool = False  # loads to their end
    # Least op_permille that the simulator takes for a run, asked when planning.
    least_op: Callable[[Run], int] = lambda run: dict(run.sets)["op_permille"]

    def each(self) -> Iterator[Scale]:
        """The same with one seed, for each of them."""
        for seed in range(self.seed, self.seed + self.seeds):
            yield dataclasses.replace(self, seed=seed, seeds=1)

    def count(self, requests: int) -> int:
        """As many requests of a load that is written as a job."""
        return max(1000, int(requests * self.fraction))

    def part(self, load: str, intensity: int = 1) -> float:
        parts = PARTS_2X if intensity == 2 else PARTS
        return self.fraction * (1 if self.whole else parts.get(load, 1))

    def text(self) -> str:
        return percent(self.fraction)

    def sets(self, *changes: dict[str, object]) -> tuple[tuple[str, object], ...]:
        """Parameters of an aged drive, the later changes on top."""
        merged: dict[str, object] = {**AGED, "seed": self.seed}
        for change in changes:
            merged.update(change)
        return tuple(merged.items())


def percent(fraction: float) -> str:
    return f"{100 * fraction:g}%"


def synthetic(scale: Scale, name: str, sets: dict[str, object], intensity: int = 1, words: str = "",
              **more: object) -> Run:
    """A load made after a row of Table 2; words replace some of its keys."""
    _, writes, reads, write_kb, read_kb, _, _ = paper.TABLE_2[name]
    part = scale.part(name, intensity)
    load = f"synthetic-{name} seed={scale.seed}"
    load += f" intensity={intensity}" if intensity != 1 else ""
    load += f" fraction={percent(part)}" if part != 1 else ""
    load += f" {words}" if words else ""
    kib = (writes * write_kb + reads * read_kb) / (writes + reads)
    return Run(scale.sets(sets), load, cdf=True, kib=kib,
               requests=int(1e6 * (writes + reads) * part), **more)


def job(scale: Scale, line: str, requests: int, sets: dict[str, object], **more: object) -> Run:
    """A load written as a job, of about so many requests."""
    count = scale.count(requests)
    return Run(scale.sets(sets), f"{line} number_ios={count} seed={scale.seed}", requests=count,
               **more)
