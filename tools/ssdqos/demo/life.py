# SPDX-License-Identifier: GPL-2.0
"""A drive's life in fast motion, with its writes slowed down and without."""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import subprocess
from pathlib import Path

from ssdqos.demo import life_picture
from ssdqos.demo.build import quietly
from ssdqos.demo.part import Say
from ssdqos.demo.picture import Picture
from ssdqos.demo.table import Table
from ssdqos.errors import ToolError
from ssdqos.paths import BUILD_DIR, SIMULATOR, shown

NAME = "life"
TITLE = "A drive's life, in fast motion"
ABOUT = ("A drive is to last five years, but what is written to it would wear it out in less than half of that. "
         "Slowed down a little all the time, it lasts as long as it shall.")

LOAD, YEARS = "exchange", 5
# The paper's policy, and the one to use.
POLICIES = {"none": "no throttling", "ready_opt": "READY", "horizon": "horizon"}
INTERVAL = "3600s"
YEAR_S = 365 * 86400
TIB, NS_PER_US, NS_PER_MS = 1 << 40, 1e3, 1e6
QUANTILES = ("p50", "p99", "p999", "max")
WRITTEN_AT_LEAST = 0.98
PAGE_US = 600


def set_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing of its own."""


def policies() -> list[str]:
    """Those of the demo that the simulator knows."""
    done = subprocess.run([SIMULATOR, "params", "qos"], capture_output=True, text=True, check=False)
    known = next((line for line in done.stdout.splitlines() if "drive_throttle" in line), "")
    listed = done.stdout[done.stdout.find(known):] if known else ""
    return [policy for policy in POLICIES if policy == "none" or policy in listed]


def command(policy: str, data: Path, seed: int) -> list[str]:
    return [shown(SIMULATOR), "life", "--load", LOAD, "--policy", policy, "--years", str(YEARS),
            "--set", "drive_recovery=fitted", "--seed", str(seed), "--series", shown(data / f"life-{policy}.csv"),
            "--series-interval", INTERVAL, "--json", shown(data / f"life-{policy}.json")]


def run(args: argparse.Namespace, data: Path, say: Say) -> dict:
    found: dict = {"lives": {}, "commands": [], "load": LOAD, "target_s": YEARS * YEAR_S}
    for policy in policies():
        say(f"{YEARS} years, {POLICIES[policy]}")
        words = command(policy, data, args.seed)
        quietly(words, BUILD_DIR / f"log/demo-life-{policy}.log", f"the life with policy {policy}")
        found["lives"][policy] = summary(data / f"life-{policy}.json")
        found["commands"].append(shlex.join(words))
    return found


def summary(path: Path) -> dict:
    made = json.loads(path.read_text())
    lived_s = made["lifetime_s"]
    return {"years": None if lived_s is None else lived_s / YEAR_S, "load_bytes_per_day": load_per_day(made),
            "written_bytes": made["written_bytes"], "able_bytes": made["able_bytes"],
            "response_ns": {name: made["response_ns"][name] for name in ("mean", *QUANTILES)}}


def load_per_day(made: dict) -> float:
    return made["load"]["cycle_bytes"] / made["load"]["cycle_s"] * 86400


def read(policy: str, data: Path) -> list[dict[str, str]]:
    try:
        with (data / f"life-{policy}.csv").open(newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise ToolError(f"the life with policy {policy} has left no series: {error}") from error


def years_text(life: dict) -> str:
    return "over 3 times that" if life["years"] is None else f"{life['years']:.2f}"


def tables(found: dict) -> list[Table]:
    lives = found["lives"].values()

    def row(name: str, key: str, scale: float, digits: int = 0) -> list[str]:
        return [name, *(f"{life['response_ns'][key] / scale:,.{digits}f}" for life in lives)]

    return [Table(f"{TITLE} (simulator)", [POLICIES[policy] for policy in found["lives"]], [
        [f"lasts, years (of {YEARS})", *map(years_text, lives)],
        row("a page of 4 KiB takes, us", "mean", NS_PER_US),
        row("  99 % are faster than", "p99", NS_PER_US),
        row("  99.9 % are faster than", "p999", NS_PER_US),
        row("  the slowest, ms", "max", NS_PER_MS, 1)])]


def notes(found: dict) -> list[str]:
    plain = found["lives"]["none"]
    return [
        f"The load is synthetic, in the volume of a mail server's disk of 128 GiB: "
        f"{plain['load_bytes_per_day'] / TIB:.2f} TiB a day go to flash, mostly in office hours. Without any delay a page "
        f"takes {PAGE_US} us. The drive takes 3,000 cycles, more as far as its cells recover while they rest.",
        "READY, the paper's policy, expects of the next hours what the last ones were. Horizon asks how much of the life so "
        "far was spent: what is spared is used first, and a burst on a young drive does not wait.",
        "Only writes are delayed. A page that has waited makes those behind it as much later, so a drive that is slowed "
        "down gets less to write: that is how it lasts.",
        "Budgets, delays and cells are the kernel's code; years take seconds because the drive itself is left out."]


def pictures(found: dict, data: Path) -> list[Picture]:
    return [life_picture.draw({policy: read(policy, data) for policy in found["lives"]}, found, POLICIES)]


def wrong(found: dict) -> str:
    short = [f"{POLICIES[policy]} lasts {years_text(life)} years instead of {YEARS}" for policy, life in found["lives"].items()
             if policy != "none" and life["years"] is not None and life["years"] < WRITTEN_AT_LEAST * YEARS]
    return ", ".join(short)
