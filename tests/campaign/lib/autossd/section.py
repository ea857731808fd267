# SPDX-License-Identifier: GPL-2.0
"""What an experiment shows: the same content for the page and for the tables."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable

from matplotlib.figure import Figure

from lib.autossd.runs import Run, Scale
from lib.claim import Claim

NS_PER_US = 1e3
NS_PER_MS = 1e6
QUANTILES = {"mean": "mean", "p50": "p50", "p99": "p99", "p999": "p99.9", "p9999": "p99.99",
             "p99999": "p99.999", "p999999": "p99.9999"}


@dataclasses.dataclass
class Table:
    """Rows of text below a head."""

    title: str
    head: list[str]
    rows: list[list[str]]


@dataclasses.dataclass
class Trend:
    """A sentence of the paper that has no number, what was measured, and whether that agrees."""

    says: str
    measured: str
    holds: bool

    def __post_init__(self) -> None:
        self.holds = bool(self.holds)  # numpy's own is no JSON

    def row(self) -> tuple[str, str, str, str]:
        """As that of a claim with a number: says, wanted, measured, verdict."""
        return self.says, "", self.measured, "yes" if self.holds else "no"

    def as_json(self) -> dict:
        return dataclasses.asdict(self)


@dataclasses.dataclass
class Section:
    """One experiment's part of the page."""

    caption: str
    tables: list[Table] = dataclasses.field(default_factory=list)
    figures: list[tuple[str, Figure, str]] = dataclasses.field(default_factory=list)
    claims: list[Claim | Trend] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    summary: dict = dataclasses.field(default_factory=dict)  # for scripts


@dataclasses.dataclass(frozen=True)
class Found:
    """A stored result, and the files beside it."""

    key: str
    run: Run
    result: dict
    command: str
    files: pathlib.Path  # with ".series.csv.gz" or ".cdf.csv" behind it
    failed: str = ""

    def latency(self, kind: str = "read_small") -> dict:
        return self.result["latency_ns"][kind]

    def cdf_path(self) -> pathlib.Path:
        return self.files.with_name(self.files.name + ".cdf.csv")

    def series_path(self) -> pathlib.Path:
        return self.files.with_name(self.files.name + ".series.csv.gz")


Plan = dict[tuple, Run]
Results = dict[tuple, Found]


@dataclasses.dataclass(frozen=True)
class Experiment:
    """One figure: which runs it needs, and what is made of them."""

    name: str
    title: str
    fields: tuple[str, ...]  # names of the parts of a label; the last is the seed where there are several
    plan: Callable[[Scale], Plan]
    section: Callable[[Results], Section]
