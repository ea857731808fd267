# SPDX-License-Identifier: GPL-2.0
"""Runs of ``ssdqos-sim life``: what they are told, and what is kept of them."""

from __future__ import annotations

import concurrent.futures
import csv
import dataclasses
import io
import json
import os
import shlex
import subprocess
import time
from pathlib import Path

from lib import simulator
from lib.errors import RunError
from lib.ready.work import Work, say

LIMIT_S = 900
YEARS, QUICK_YEARS = "5", "0.25"
MOST_CDF_POINTS = 150
# 99.9 % of the responses of a week.
WEEKS = ("first_week_p999_ns", "worst_week_p999_ns")
BUILD = "build"


@dataclasses.dataclass(frozen=True)
class Life:
    """One run; `shape` and `series` (interval, from, to) are as options want them."""

    name: str
    load: str
    policy: str
    recovery: str = "fitted"
    trace: Path | None = None
    fixed_epochs: bool = False
    short: bool = False
    seed: int | None = None
    shape: str = ""
    series: tuple[str, str, str] | None = None

    def arguments(self, work: Work) -> list[str]:
        words = ["life", "--load", self.load, "--policy", self.policy,
                 "--set", f"drive_recovery={self.recovery}",
                 "--years", QUICK_YEARS if work.quick or self.short else YEARS,
                 "--seed", str(self.seed or work.seed)]
        if work.quick or self.short:  # as much wear in the shorter time
            words += ["--set", "drive_pe_cycles=150"]
        if self.shape:
            words += ["--shape", self.shape]
        if self.trace:
            words += ["--trace", str(self.trace)]
        if self.fixed_epochs:
            words += ["--fixed-epochs"]
        if self.series:
            for option, value in zip(("interval", "from", "to"), self.series):
                words += [f"--series-{option}", value]
        return words


def thinned(points: list, most: int) -> list:
    step = max(1, len(points) // most)
    return points[:-1:step] + points[-1:]


def kept(life: Life, found: dict, series: Path | None) -> dict:
    """What the documents need of a run."""
    nr = found["response_ns"]["n"]
    cdf = [[low_ns / 1000, count / nr] for low_ns, count in found["response_cdf"]]
    result = {key: found[key] for key in ("policy", "target_s", "lifetime_s", "written_bytes",
                                          "spec_bytes", "able_bytes", "epochs", "good_epochs",
                                          "delay_ns", "stop_ns", "response_ns")}
    result |= {"load": life.load, "recovery": life.recovery,
               "epoch_s": found["gauges"]["life_epoch_s"],
               "constant_delay_us": found["constant_delay_ns"] / 1000,
               "cdf": thinned(cdf, MOST_CDF_POINTS)}
    result |= {key: found[key] for key in WEEKS if key in found}
    if life.trace:
        result |= {"trace": life.trace.name, "cycle_s": found["load"]["cycle_s"]}
    if series:
        rows = list(csv.DictReader(io.StringIO(series.read_text())))
        result["series"] = [[float(row["time_s"]), int(row["delay_ns"]), int(row["epoch_s"]),
                             int(row["used_bytes"])] for row in rows]
    return result


def run_one(program: Path, life: Life, work: Work) -> dict:
    """What was there before stays until the run has succeeded."""
    arguments = life.arguments(work)
    place = work.out / "years" / life.name
    place.mkdir(parents=True, exist_ok=True)
    series = place / "series.csv" if life.series else None
    command = [str(program), *arguments, "--json", str(place / "life.json")]
    command += ["--series", str(series)] if series else []
    begun = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise RunError(f"{life.name}: not done in {error.timeout:.0f} s") from error
    if done.returncode:
        raise RunError(f"{life.name}: {done.stderr.strip()}")
    found = kept(life, json.loads((place / "life.json").read_text()), series)
    found["command"] = shlex.join(["./run", "sim", *portable(arguments)])
    found["wall_s"] = round(time.monotonic() - begun, 1)
    (place / "kept.json").write_text(json.dumps(found))
    (place / "arguments").write_text("\n".join(arguments))
    return found


def portable(arguments: list[str]) -> list[str]:
    return [word.replace(f"{simulator.ROOT}/", "").replace(f"{simulator.ROOT.parent}/", "../")
            for word in arguments]


def before(life: Life, work: Work) -> dict | None:
    """The result of a run that was told the same."""
    place = work.out / "years" / life.name
    stamp = place / "arguments"
    if work.again and work.wants(life.name):
        return None
    if not stamp.exists() or stamp.read_text() != "\n".join(life.arguments(work)):
        return None
    return json.loads((place / "kept.json").read_text())


def run_all(lives: list[Life], work: Work) -> dict[str, dict]:
    """One for each CPU at a time; those that were made before are kept."""
    found = {life.name: kept_one for life in lives if (kept_one := before(life, work))}
    missing = [life for life in lives if life.name not in found and work.wants(life.name)]
    if not missing:
        return found
    say(f"years: {len(found)} runs are there, {len(missing)} to go")
    program = simulator.build(BUILD)
    work.fresh = True
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        futures = {pool.submit(run_one, program, life, work): life for life in missing}
        try:
            for nr, future in enumerate(concurrent.futures.as_completed(futures), 1):
                name = futures[future].name
                found[name] = future.result()
                say(f"years: {nr} of {len(missing)}: {name}, {found[name]['wall_s']:.0f} s")
        finally:
            pool.shutdown(cancel_futures=True)
    return {life.name: found[life.name] for life in lives if life.name in found}
