# SPDX-License-Identifier: GPL-2.0
"""What fio does, step by step: conditioning and cells.

As a file a plan has one line for each step, the step's name and then fio's
options without the device:

    fill --name=fill --rw=write ...
    read-rand-4k-d32 --name=read-rand-4k-d32 --rw=randread ... --write_hist_log=read-rand-4k-d32

Run in a directory of its own, fio leaves the log of each cell there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ssdqos.errors import ToolError
from ssdqos.profiler import cell as cells
from ssdqos.profiler.cell import Cell
from ssdqos.qos.units import size_text

# The begin and the end of a step are not counted: queues fill, logs begin, and
# fio keeps the rows of the end to itself.  Reads begin later: the drive may have
# to tidy up yet after the writes before.
LEAD_S, READ_LEAD_S, TAIL_S = 1, 5, 1
LOG_MS = 100
# Only the sum of a row's bins is of interest: as few of them as there can be.
LOG_COARSENESS = 6
# How many times as long a cell gets that has not settled.
LONGER = 2
# Reads beside the fewest writes are counted so many times as long as others, if they may be: what writes leave behind
# comes seldom (seldom.py).
FEWEST_LONGER = 4
FILL, OVERWRITE, WARM, PROBE = "fill", "overwrite", "warm", "probe"
# The second job of reads beside writes.
WRITES = "writes"
# Before a drive is filled, so much of it: how long the rest takes.
PROBE_BYTES = 512 << 20
PROBE_PART = 8
HEADER = """\
# Each line: a step's name, then options for fio.  In an empty directory, in this order:
#   grep -v '^#' PLAN | while read -r name options; do
#       fio --filename=DEV --output="$name.json" $options; done
# then: ssdqos profile --logs DIRECTORY --out FILE
"""
COMMON = {"ioengine": "libaio", "direct": "1", "eta": "never", "output-format": "json"}


@dataclass(frozen=True)
class Conditioning:
    """What is done to the drive before; `again_s` are the random writes before each load in order."""

    fill: bool = True
    warm_s: int = 120
    again_s: int = 10
    overwrite_bytes: int = 16 << 10


@dataclass(frozen=True)
class Step:
    """A run of fio; `cell` is None where the drive is only prepared.

    `writes` are the options of the second job that reads beside writes have; empty until the rate is known.
    """

    name: str
    options: dict[str, str]
    cell: Cell | None = None
    writes: dict[str, str] = field(default_factory=dict)

    def words(self) -> list[str]:
        second = self.options | self.writes if self.writes else {}
        return [f"--{key}={value}" for options in (self.options, second) for key, value in options.items()]

    def lead_s(self) -> int:
        if self.cell and self.cell.is_stop():
            return 0  # what is written before the first stop counts
        return READ_LEAD_S if self.cell and self.cell.op in ("read", cells.BESIDE) else LEAD_S

    def counted_s(self) -> int:
        """Of a step with a runtime: without its begin and its end."""
        return int(self.options["runtime"]) - self.lead_s() - TAIL_S

    def is_logged(self) -> bool:
        return "write_hist_log" in self.options

    def told(self) -> str:
        """For people."""
        size = size_text(int(self.options["bs"]))
        if self.name == FILL:
            return f"all of it is written in order, {size} each"
        if self.name == OVERWRITE:
            return f"as much is written at random, {size} each"
        if self.name == WARM:
            return f"random writes of {size} until the throughput settles"
        kinds = {"read": "reads", "write": "writes", "mix": f"{self.cell.pct} % reads, rest writes",
                 "fsync": "writes with an fsync each", "beside": "reads", "stop": "writes"}
        order = {"seq": "in order", "rand": "at random"}[self.cell.pattern]
        beside = f", beside {self.cell.pct} % of what writes alone get" if self.cell.is_beside() else ""
        return f"{kinds[self.cell.op]} of {size} {order}, {self.cell.depth} at a time{beside}"

    def line(self) -> str:
        return " ".join([self.name, *self.words()])


def base(name: str, rw: str, size: int, depth: int, span: str) -> dict[str, str]:
    options = {"name": name, "rw": rw, "bs": str(size), "iodepth": str(depth), "size": span, **COMMON}
    if rw.startswith("rand"):
        options["norandommap"] = "1"
    return options


def logged(name: str) -> dict[str, str]:
    return {"write_hist_log": name, "log_hist_msec": str(LOG_MS), "log_hist_coarseness": str(LOG_COARSENESS)}


def cell_step(cell: Cell, seconds: int, span: str) -> Step:
    options = base(cell.name, cell.rw(), cell.bytes, cell.depth, span)
    if cell.is_mix():
        options["rwmixread"] = str(cell.pct)
    if cell.is_fsync():
        options["fsync"] = "1"
    return counted(Step(cell.name, options | logged(cell.name), cell), seconds)


def beside(step: Step, writes: Cell, iops: float) -> Step:
    """Reads beside writes such as a cell that alone got so many."""
    options = {"name": WRITES, "rw": writes.rw(), "bs": str(writes.bytes), "iodepth": str(writes.depth)}
    if step.cell.pct < cells.PCT_MAX:
        options["rate_iops"] = str(max(int(iops * step.cell.pct / cells.PCT_MAX), 1))
    return replace(step, writes=options)


def counted(step: Step, seconds: int) -> Step:
    """The step, running long enough to have so many seconds counted."""
    runtime = str(step.lead_s() + seconds + TAIL_S)
    return replace(step, options=step.options | {"time_based": "1", "runtime": runtime})


def fill_steps(how: Conditioning, span: str) -> list[Step]:
    if not how.fill:
        return []
    return [Step(FILL, base(FILL, "write", 1 << 20, 32, span)),
            Step(OVERWRITE, base(OVERWRITE, "randwrite", how.overwrite_bytes, 32, span))]


def probe_step(span: str) -> Step | None:
    """None where filling the drive takes no time, or its size is not known."""
    if not span.isdecimal() or int(span) < PROBE_PART * PROBE_BYTES:
        return None
    return Step(PROBE, base(PROBE, "write", 1 << 20, 32, span) | {"io_size": str(PROBE_BYTES)})


def warm_step(seconds: int, span: str) -> Step:
    return counted(Step(WARM, base(WARM, "randwrite", 4096, 32, span) | logged(WARM)), seconds)


def steps(grid: list[Cell], seconds: int, how: Conditioning, span: str = "100%", most_s: int = 0) -> list[Step]:
    """All of it, in the order in which it has to be done."""
    made, longer_s = fill_steps(how, span), max(seconds, min(seconds * FEWEST_LONGER, most_s))
    if how.warm_s:
        made.append(warm_step(how.warm_s, span))
    for cell in cells.in_order(grid):
        if cell.leaves_order() and how.again_s:
            made.append(warm_step(how.again_s, span))
        made.append(cell_step(cell, longer_s if cell.has_fewest_writes(grid) else seconds, span))
    return made


def text(plan: list[Step]) -> str:
    """Without reads beside writes: their rate is known only when writes alone were measured."""
    return HEADER + "".join(step.line() + "\n" for step in plan if not step.cell or not step.cell.is_beside())


def parse(written: str) -> list[Step]:
    made = []
    for number, line in enumerate(written.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, *words = line.split()
        pairs = [word.removeprefix("--").partition("=") for word in words]
        if any(not word.startswith("--") for word in words):
            raise ToolError(f"plan:{number}: not an option of fio")
        cell = None if name in (FILL, OVERWRITE, WARM) else cells.parse(name)
        made.append(Step(name, {key: value for key, _, value in pairs}, cell))
    return made
