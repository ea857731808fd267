# SPDX-License-Identifier: GPL-2.0
"""What somebody says of a figure, and whether it was found so."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

MET, ABOVE, BELOW = "met", "above", "below"
Row = tuple[str, str, str, str]


@dataclasses.dataclass(frozen=True)
class Claim:
    """A number and how far off it may be, to either side, and why that far.

    Better than claimed is not as claimed: who was wrong by a factor of two in his favour has not
    understood what he measured."""

    says: str
    wanted: float
    tolerance: float
    why: str
    measured: float
    unit: str = ""
    digits: int = 1

    def verdict(self) -> str:
        if self.measured > self.wanted + self.tolerance:
            return ABOVE
        return BELOW if self.measured < self.wanted - self.tolerance else MET

    @property
    def holds(self) -> bool:
        return self.verdict() == MET

    def number(self, value: float) -> str:
        return f"{value:.{self.digits}f}{' ' if self.unit else ''}{self.unit}"

    def wanted_text(self) -> str:
        return f"{self.wanted:.{self.digits}f} +- {self.number(self.tolerance)}"

    def row(self) -> Row:
        """As tables of goals have it: goal, wanted, measured, verdict."""
        return self.says, f"{self.wanted_text()} ({self.why})", self.number(self.measured), self.verdict()

    def as_json(self) -> dict:
        return {**dataclasses.asdict(self), "verdict": self.verdict()}


@dataclasses.dataclass(frozen=True)
class Bound:
    """A promise to one side, such as a budget: less, or more, is no surprise."""

    says: str
    measured: float
    least: float | None = None
    most: float | None = None
    unit: str = ""
    digits: int = 1

    def verdict(self) -> str:
        if self.most is not None and self.measured > self.most:
            return ABOVE
        return BELOW if self.least is not None and self.measured < self.least else MET

    @property
    def holds(self) -> bool:
        return self.verdict() == MET

    def number(self, value: float) -> str:
        return f"{value:.{self.digits}f}{' ' if self.unit else ''}{self.unit}"

    def row(self) -> Row:
        sides = [f"at least {self.number(self.least)}"] if self.least is not None else []
        sides += [f"at most {self.number(self.most)}"] if self.most is not None else []
        return self.says, ", ".join(sides), self.number(self.measured), self.verdict()


def both_ends(says: str, measured: Iterable[float], **limits: object) -> list[Row]:
    """Of a promise that many keep: the one with the least, and the one with the most."""
    seen = list(measured)
    ends = (("least", min(seen)), ("most", max(seen))) if seen else ()
    return [Bound(f"{says}, {which}", value, **limits).row() for which, value in ends]
