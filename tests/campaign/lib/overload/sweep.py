# SPDX-License-Identifier: GPL-2.0
"""All schedulers, presets, mixes and intensities: the worst of each against fifo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lib import charts, rst
from lib.overload.runs import FIFO, FIGURES, SCHEDULERS, Runs, open_loop, ratios

TITLE = "All schedulers and presets against fifo"
PRESETS = ("autossd", "ttflash", "x25e-like", "intel510-like")
MIXES = {"70/30": "randrw rwmixread=70 bs=4k", "90/10": "randrw rwmixread=90 bs=4k",
         "50/50": "randrw rwmixread=50 bs=4k", "30/70": "randrw rwmixread=30 bs=4k,16k",
         "writes": "randwrite bs=4k", "runs": "rw rwmixread=30 bs=16k"}
QUICK_MIXES = ("70/30", "90/10", "writes")
INTENSITIES = (0.1, 0.3, 0.6, 0.9, 1.2, 2, 4)
# A fresh burst, and one that lasts.
SECONDS = (0.1, 1)


def loads(runs: Runs, preset: str) -> Iterator[tuple[str, float, float, str]]:
    """Mix, intensity, seconds, job."""
    for name in QUICK_MIXES if runs.quick else MIXES:
        rate = runs.saturation(preset, MIXES[name])
        for intensity in INTENSITIES:
            for seconds in SECONDS:
                yield name, intensity, seconds, open_loop(MIXES[name], rate * intensity, seconds)


def measure(runs: Runs) -> dict:
    rows = []
    for preset in PRESETS:
        for mix, intensity, seconds, job in loads(runs, preset):
            for seed in runs.seeds:
                fifo = runs.run(preset, FIFO, job, seed)
                for name, sets in SCHEDULERS.items():
                    found = runs.run(preset, sets, job, seed)
                    rows.append([preset, name, mix, intensity, seconds, seed,
                                 {key: round(value, 3) for key, value in ratios(found, fifo).items()},
                                 job])
        runs.say(f"{preset}: {len(rows)} comparisons so far")
    return {"rows": rows}


def limits(result: dict) -> list[list[object]]:
    """Of each preset and scheduler: the worst ratio of each figure, and how many are above its limit."""
    table = []
    for preset in PRESETS:
        for name in SCHEDULERS:
            cells: list[object] = [f"{preset}, {name}"]
            for figure, _, _, most in FIGURES:
                of = [row[6][figure] for row in result["rows"]
                      if row[0] == preset and row[1] == name and figure in row[6]]
                cells += [f"{max(of):.2f}", f"{sum(one > most for one in of)}/{len(of)}"]
            table.append(cells)
    return table


def worst(result: dict) -> list[list[object]]:
    """Those above a limit, farthest first."""
    found = [(row[6][figure] / most, figure, row) for row in result["rows"]
             for figure, _, _, most in FIGURES if row[6].get(figure, 0) > most]
    found.sort(key=lambda one: -one[0])
    return [[figure, f"{row[6][figure]:.2f}", f"{row[0]}, {row[1]}", row[2], f"{row[3]:g}", f"{row[4]:g} s",
             row[5]] for _, figure, row in found[:20]]


def section(result: dict) -> str:
    head = ["preset, scheduler"]
    for figure, _, _, most in FIGURES:
        head += [figure, f"> {most:g}"]
    above = worst(result)
    return rst.page(
        "Worst latency relative to that of fifo, and how many of the runs are above the limit:\n",
        rst.table(head, limits(result)),
        "The farthest above a limit:\n" if above else "None is above a limit.\n",
        rst.table(["figure", "ratio", "drive", "mix", "intensity", "for", "seed"], above) if above else "")


def goals(result: dict) -> list[list[str]]:
    rows = []
    for figure, _, _, most in FIGURES:
        of = [row[6][figure] for row in result["rows"] if figure in row[6]]
        rows.append([f"{figure} against fifo", f"at most {most:g}",
                     f"{max(of):.2f}, {sum(one > most for one in of)} of {len(of)} above",
                     "holds" if max(of) <= most else "does not hold"])
    return rows


def draw(result: dict, directory: Path) -> None:
    for preset in PRESETS:
        def paint(*axes: object, preset: str = preset) -> None:
            for panel, (figure, *_) in zip(axes, FIGURES):
                for name in SCHEDULERS:
                    of = [max((row[6].get(figure, 0) for row in result["rows"]
                               if row[:2] == [preset, name] and row[3] == one), default=0)
                          for one in INTENSITIES]
                    panel.plot([str(one) for one in INTENSITIES], of, marker=".", label=name)
                panel.set_title(figure)
        charts.draw(directory / f"{preset}.svg", paint, "of what the drive can take",
                    "worst, relative to fifo", panels=len(FIGURES))
