# SPDX-License-Identifier: GPL-2.0
"""Shows how far a measurement is: a bar where rich is installed, else lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ssdqos.profiler.estimate import Remaining
from ssdqos.profiler.measurement import Report
from ssdqos.qos.units import duration_text


def sentence(report: Report) -> str:
    rate = f" {report.rate:,.0f} IOPS" if report.rate else ""
    more = f", not settled yet: {report.more.counted_s()} s more" if report.more else ""
    return f"{report.step.name}{rate}{more}"


@contextmanager
def shown(cells: int, remaining: Remaining) -> Iterator:
    """A function that takes a Report."""
    try:
        from rich.progress import Progress
        if not sys.stderr.isatty():
            raise ImportError
    except ImportError:
        yield lines(cells, remaining)
        return
    from rich.console import Console
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("preparing", total=cells)

        def tell(report: Report) -> None:
            remaining.passed(report.step, report.took_s, report.more)
            progress.update(task, description=f"{sentence(report)}, {duration_text(remaining.seconds())} left",
                            completed=cells - report.left)
        yield tell


def lines(cells: int, remaining: Remaining):
    """One line a step."""
    def tell(report: Report) -> None:
        remaining.passed(report.step, report.took_s, report.more)
        print(f"ssdqos: {cells - report.left} of {cells} cells, {sentence(report)}, "
              f"{duration_text(remaining.seconds())} left", file=sys.stderr, flush=True)
    return tell
