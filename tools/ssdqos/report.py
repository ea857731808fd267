# SPDX-License-Identifier: GPL-2.0
"""Write report.html with pictures from the results of a replay."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from matplotlib.figure import Figure

from ssdqos import figures, page, runs
from ssdqos.errors import ToolError

PNG_DPI = 110


def set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", type=Path, help="directory that replay has written")
    parser.add_argument("--png", action="store_true", help="also write the pictures as files")


def load(out: Path) -> tuple[dict, list[runs.Run]]:
    try:
        result = json.loads((out / "result.json").read_text())
        loaded = [runs.load(*name.split("-"), run["counters"], out / "data")
                  for name, run in result["runs"].items()]
    except OSError as error:
        raise ToolError(f"{out} has no results of a replay: {error}") from error
    return result, loaded


def draw(result: dict, loaded: list[runs.Run]) -> list[tuple[str, Figure, str, str]]:
    """Name, figure, alternative text and caption of every picture."""
    planes = result["runs"]["sim-aged"]["geometry"]["planes"]
    aged = next(run for run in loaded if run.name == "kernel-aged")
    return [
        ("cdf", figures.latency_cdf(loaded), "Distribution of read and write latency",
         "How many requests are answered within a latency. The axis of shares stretches the slow "
         "end: each line of the grid leaves out nine of ten. Wide pale lines are the kernel, "
         "dashed ones the simulator."),
        ("time", figures.latency_over_time(loaded, planes), "Read latency over time",
         "The darker the grey, the more planes collect garbage at that time."),
        ("zoom", figures.zoom(aged, planes), "Read latency and garbage collection, in detail",
         "The moment with most reads slower than 1 ms. A read that needs a plane which is "
         "collecting has to wait for it."),
    ]


def main(args: argparse.Namespace) -> int:
    result, loaded = load(args.out)
    print("ssdqos: drawing", file=sys.stderr)
    images = []
    for name, figure, alt, caption in draw(result, loaded):
        if args.png:
            figure.savefig(args.out / f"{name}.png", dpi=PNG_DPI)
        images.append(page.image(figure, alt, caption))
    path = args.out / "report.html"
    path.write_text(page.write(result, images))
    print(f"report: {path}")
    return 0
