# SPDX-License-Identifier: GPL-2.0
"""Part `profile`: both drives profiled, and the paper's Figures 6, 7 and 13."""

from __future__ import annotations

from pathlib import Path

from lib import charts, rst
from lib.edf import clients, profiles
from lib.edf.clients import DRIVE_A, DRIVE_B, Drive
from lib.edf.scale import Scale
from lib.machine import Job
from ssdqos.qos.profile_file import CostKey
from ssdqos.qos.request import RequestClass

TITLE = "Profiles (Figures 6, 7, 13)"
NS_PER_S = 1_000_000_000
KIB = 1024
DEPTH = int(profiles.DEPTHS)
# Number, drive, class, size; the confidence is the paper's "bottom 5 %".
PICTURES = (
    (6, DRIVE_A, RequestClass("write", "seq"), 4 * KIB),
    (7, DRIVE_B, RequestClass("write", "seq"), 256 * KIB),
    (13, DRIVE_B, RequestClass("write", "rand"), 4 * KIB),
)
CONFIDENCES = (900, 950, 990)
SHOWN_MS = (1000, 3000, 5000, 10000)


def jobs(scale: Scale) -> list[Job]:
    for drive in (DRIVE_A, DRIVE_B):
        if not profiles.path(drive).exists():
            profiles.make(drive)
    return []


def costs(drive: Drive, request: RequestClass, size: int) -> dict[str, list[int | None]]:
    found = profiles.read(drive).costs
    return {str(confidence): list(found[CostKey(request, size, DEPTH, confidence)])
            for confidence in CONFIDENCES}


def measure(out: dict[str, Path], scale: Scale) -> dict:
    drives = {}
    for drive in (DRIVE_A, DRIVE_B):
        profile = profiles.read(drive)
        drives[drive.title] = {
            "command": profiles.command(drive), "windows_ms": list(profile.windows_ms),
            "mix": {str(pct): factor for pct, factor in profile.mix.items()},
            "fits": [fit.words() for fit in profile.fits],
            "costs_990_ns": {f"{key.request} {key.bytes}": list(row)
                             for key, row in sorted(profile.costs.items())
                             if key.confidence == 990 and key.depth == DEPTH}}
    pictures = {str(number): costs(drive, request, size)
                for number, drive, request, size in PICTURES}
    return {"drives": drives, "pictures": pictures}


def us(ns: int | None) -> str:
    return "none" if ns is None else f"{ns / 1000:,.0f}"


def drive_text(title: str, found: dict) -> str:
    columns = [found["windows_ms"].index(ms) for ms in SHOWN_MS]
    rows = []
    for name, row in found["costs_990_ns"].items():
        op, pattern, size = name.split()
        rows.append([f"{int(size) // KIB} KiB {pattern} {op}", *(us(row[at]) for at in columns)])
    mix = ", ".join(f"{pct} %: {factor / 1000:.2f}" for pct, factor in found["mix"].items())
    return rst.page(
        f"Drive {title}, device time of a request in us that 99 % of windows keep to "
        "(none: some windows\nwere without any request)::\n\n    " + found["command"] + "\n",
        rst.table(["", *(f"{ms / 1000:g} s" for ms in SHOWN_MS)], rows),
        f"Mixtures, time against the sum of both alone, by the part of writes: {mix}.\n")


def section(result: dict) -> str:
    captions = {
        6: "4 KiB sequential writes on drive A (Figure 6): reservable rate by window.",
        7: "256 KiB sequential writes on drive B (Figure 7): reservable rate by window.",
        13: "4 KiB random writes on drive B (Figure 13): cost of a request by window."}
    return rst.page(
        "Measured by the plan of ``ssdqos profile`` with the simulator as the executor: so many cells of "
        f"{profiles.CELL_S} s\nfor each drive are hours in the guest.  The drive's brain is the same "
        "code in simulator and kernel.\n",
        *(drive_text(title, found) for title, found in result["drives"].items()),
        *(rst.figure(f"fig{number}.svg", captions[number]) for number, *_ in PICTURES))


def draw(result: dict, directory: Path) -> None:
    for number, drive, _, _ in PICTURES:
        found = result["pictures"][str(number)]
        windows = result["drives"][drive.title]["windows_ms"]
        draw_picture(number, found, windows, directory / f"fig{number}.svg")


def draw_picture(number: int, found: dict, windows: list[int], path: Path) -> None:
    is_cost = number == 13
    label = "cost of a request, ms" if is_cost else "reservable requests/s"

    def paint(axis):
        for at, (confidence, row) in enumerate(found.items()):
            values = [ns / 1e6 if is_cost else NS_PER_S / ns if ns else 0 for ns in row
                      if ns or not is_cost]
            places = [ms / 1000 for ms, ns in zip(windows, row) if ns or not is_cost]
            axis.plot(places, values, "o-", ms=3, color=f"C{at}",
                      label=f"{int(confidence) / 10:g} % of windows")
    charts.draw(path, paint, "window, s", label)
