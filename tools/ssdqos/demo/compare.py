# SPDX-License-Identifier: GPL-2.0
"""Is a repeated run the same, to the nanosecond?"""

from __future__ import annotations

from dataclasses import dataclass

from ssdqos.demo.runs import Run


@dataclass(frozen=True)
class Sameness:
    """How many records are alike, and the first pair that is not."""

    requests: int
    same_requests: int
    decisions: int
    same_decisions: int
    first_difference: str

    def holds(self) -> bool:
        return self.same_requests == self.requests and self.same_decisions == self.decisions


def count_same(wanted: list, seen: list) -> tuple[int, str]:
    same = sum(one == other for one, other in zip(wanted, seen))
    different = ((one, other) for one, other in zip(wanted, seen) if one != other)
    first = next(different, None)
    if first:
        return same, f"{first[0].csv()} became {first[1].csv()}"
    if len(wanted) != len(seen):
        return same, f"{len(wanted)} records became {len(seen)}"
    return same, ""


def same(recorded: Run, repeated: Run) -> Sameness:
    """The simulator ends with the last request, the recording goes on a little."""
    end_ns = recorded.end_ns()
    wanted = [d for d in recorded.decisions if d.time_ns < end_ns]
    seen = [d for d in repeated.decisions if d.time_ns < end_ns]
    same_requests, why_request = count_same(recorded.requests, repeated.requests)
    same_decisions, why_decision = count_same(wanted, seen)
    return Sameness(max(len(recorded.requests), len(repeated.requests)), same_requests,
                    max(len(wanted), len(seen)), same_decisions, why_request or why_decision)
