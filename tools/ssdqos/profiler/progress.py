# SPDX-License-Identifier: GPL-2.0
"""Shows how far a measurement is: a bar where rich is installed, else lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ssdqos.profiler.measurement import Report
from ssdqos.qos.units import duration_text


def sentence(report: Report) -> str:
    rate = f" {report.rate:,.0f} IOPS" if report.rate else ""
    return f"{report.step.name}{rate}"


@contextmanager
def shown(cells: int, estimate_s: float) -> Iterator:
    """A function that takes a Report."""
    try:
        from rich.progress import Progress
        if not sys.stderr.isatty():
            raise ImportError
    except ImportError:
        yield lines(cells, estimate_s)
        return
    from rich.console import Console
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("preparing", total=cells)

        def tell(report: Report) -> None:
            progress.update(task, description=sentence(report), completed=cells - report.left)
        yield tell


def lines(cells: int, estimate_s: float):
    """One line a step; what is left is the part of the estimate that no cell has used up."""
    begun = time.monotonic()

    def tell(report: Report) -> None:
        done = cells - report.left
        gone = time.monotonic() - begun
        left = gone / done * report.left if done else max(estimate_s - gone, 0)
        print(f"ssdqos: {done} of {cells} cells, {sentence(report)}, {duration_text(left)} left",
              file=sys.stderr, flush=True)
    return tell
