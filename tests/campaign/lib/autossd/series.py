# SPDX-License-Identifier: GPL-2.0
"""What a run wrote every 100 ms."""

from __future__ import annotations

import csv
import dataclasses
import functools
import gzip
import pathlib

import numpy as np

from lib.autossd.section import Found

# Our name of a quantity: its column of --series
COLUMNS = {"time_s": "time_s", "n": "read_small_n", "mean_ns": "read_small_mean_ns",
           "max_ns": "read_small_max_ns", "free_blocks": "free_blocks",
           "read_count_max": "read_count_max", "erases": "erases", "scrub_blocks": "scrub_blocks",
           "share_gc": "share_ppm_gc", "share_scrub": "share_ppm_scrub"}


@dataclasses.dataclass(frozen=True)
class Series:
    """Columns of the same length, by our names."""

    columns: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.columns["time_s"])

    def step_s(self) -> float:
        return float(self["time_s"][1] - self["time_s"][0]) if len(self) > 1 else 0.1

    def part(self, begin: int, end: int) -> Series:
        return Series({name: values[begin:end] for name, values in self.columns.items()})


@functools.lru_cache(maxsize=8)
def read(path: pathlib.Path) -> Series:
    with gzip.open(path, "rt", newline="") as file:
        rows = csv.reader(file)
        head = next(rows)
        at = [head.index(column) for column in COLUMNS.values()]
        values = np.array([[float(row[i] or 0) for i in at] for row in rows]).reshape(-1, len(at))
    return Series(dict(zip(COLUMNS, values.T)))


def load(found: Found) -> Series:
    return read(found.series_path())


def erases_per_active_s(found: Found) -> float:
    """Mean over the seconds in which at least one block was erased."""
    one = load(found)
    per_s = max(1, round(1 / one.step_s()))
    seconds = [one["erases"][at:at + per_s].sum() for at in range(0, len(one), per_s)]
    active = [erases for erases in seconds if erases]
    return float(np.mean(active)) if active else 0.0


def busiest(one: Series, name: str, width_s: float) -> int:
    """Where the window begins in which `name` grows most, whatever readers saw."""
    width = min(len(one), max(1, round(width_s / one.step_s())))
    total = np.cumsum(np.concatenate(([0.0], one[name])))
    return int(np.argmax(total[width:] - total[:-width]))
