# SPDX-License-Identifier: GPL-2.0
"""What one run on one drive has recorded: requests, decisions, counters."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

NS_PER_US = 1000
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
OPERATIONS = {"read": "R", "write": "WU"}


@dataclass(frozen=True)
class Request:
    """One request, in the order of arrival; U is a write with FUA, F a flush."""

    arrival_ns: int
    op: str
    offset: int
    size: int
    complete_ns: int

    def csv(self) -> str:
        return f"{self.arrival_ns},{self.op},{self.offset},{self.size},{self.complete_ns}"


@dataclass(frozen=True)
class Decision:
    """A decision of garbage collection; `free` is the plane's free blocks."""

    time_ns: int
    name: str
    plane: int
    block: int
    free: int

    def csv(self) -> str:
        return f"{self.time_ns},{self.name},{self.plane},{self.block},{self.free}"


@dataclass
class Run:
    """`world` is kernel or sim, `drive` fresh or aged."""

    world: str
    drive: str
    requests: list[Request]
    decisions: list[Decision]
    counters: dict[str, float]
    extra: dict[str, object] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.world}-{self.drive}"

    def start_ns(self) -> int:
        return self.requests[0].arrival_ns

    def end_ns(self) -> int:
        return max(request.complete_ns for request in self.requests)

    def latency_ns(self, operation: str) -> np.ndarray:
        letters = OPERATIONS[operation]
        return np.array([r.complete_ns - r.arrival_ns for r in self.requests if r.op in letters],
                        dtype=np.int64)

    def gc_blocked_read_pct(self) -> float:
        reads = self.counters["reads"]
        return 100 * self.counters["gc_blocked_reads"] / reads if reads else 0.0

    def gc_blocks(self) -> int:
        """Collected until the last request ended: the kernel's drive goes on when it is idle."""
        end_ns = self.end_ns()
        return sum(decision.name == "gc_victim_chosen" and decision.time_ns < end_ns for decision in self.decisions)


def quantile_ns(latency_ns: np.ndarray, share: float) -> int:
    """The smallest latency that at least `share` of the requests do not exceed."""
    if not len(latency_ns):
        return 0
    return int(np.quantile(latency_ns, share, method="inverted_cdf"))


def quantiles_ns(run: Run, operation: str) -> dict[str, int]:
    latency_ns = np.sort(run.latency_ns(operation))
    return {name: quantile_ns(latency_ns, share) for name, share in QUANTILES.items()}


def write_arrivals(requests: list[Request], path: Path) -> None:
    """The recorded arrivals as a trace, to the nanosecond."""
    with path.open("w") as out:
        out.write("time_us,op,offset_bytes,size_bytes\n")
        for r in requests:
            out.write(f"{r.arrival_ns // NS_PER_US}.{r.arrival_ns % NS_PER_US:03d},"
                      f"{r.op},{r.offset},{r.size}\n")


def save(run: Run, directory: Path) -> None:
    for suffix, header, rows in (
            ("requests", "arrival_ns,op,offset_bytes,size_bytes,complete_ns", run.requests),
            ("decisions", "time_ns,decision,plane,block,free_blocks", run.decisions)):
        with (directory / f"{run.name}.{suffix}.csv").open("w") as out:
            out.write(header + "\n")
            out.writelines(row.csv() + "\n" for row in rows)


def load(world: str, drive: str, counters: dict[str, float], directory: Path) -> Run:
    def rows(suffix: str) -> list[list[str]]:
        text = (directory / f"{world}-{drive}.{suffix}.csv").read_text()
        return [line.split(",") for line in text.splitlines()[1:]]

    requests = [Request(int(a), op, int(o), int(s), int(c)) for a, op, o, s, c in rows("requests")]
    decisions = [Decision(int(t), n, int(p), int(b), int(f)) for t, n, p, b, f in rows("decisions")]
    return Run(world, drive, requests, decisions, counters)
