# SPDX-License-Identifier: GPL-2.0
"""Two clients on one drive: alone, together, together with a promise."""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import shutil
import sys
from pathlib import Path

import numpy as np

from ssdqos.demo import kernel, promise_picture
from ssdqos.demo.build import quietly
from ssdqos.demo.picture import Picture
from ssdqos.demo.part import Say
from ssdqos.demo.table import Table
from ssdqos.errors import ToolError
from ssdqos.paths import BUILD_DIR, SIMULATOR, shown

NAME = "promise"
TITLE = "Two clients on one drive"
ABOUT = ("A shop reads small pieces of its database, as fast as it can. After a while a backup begins to write "
         "beside it. Then the shop is promised 10,000 reads a second, with one command and while both go on.")

PRESET, SIZE_MB, AGED = "x25e-like", 1024, "aged_pct=100"
SHOP_DEPTH, BACKUP_DEPTH = 8, 64
PROMISED_IOPS, WINDOW_MS = 10_000, 1000
# More than the drive can do.
TOO_MUCH_IOPS = 40_000
PROMISE = f"min_iops {PROMISED_IOPS} block_bytes 4096 window_ms {WINDOW_MS}"
TOO_MUCH = f"min_iops {TOO_MUCH_IOPS} block_bytes 4096 window_ms {WINDOW_MS}"
# The phases; the least is a second that counts behind the one that does not.
ALONE_S, TOGETHER_S, PROMISED_S = 2, 3, 5
SETTLE_S = 1
PHASES = {"alone": (0, ALONE_S), "together": (ALONE_S, ALONE_S + TOGETHER_S),
          "promised": (ALONE_S + TOGETHER_S, ALONE_S + TOGETHER_S + PROMISED_S)}
CLIENTS = ("shop", "backup")
STEP_S = 0.25
MEMORY_MB = 1024
# A first look, as with --quick, but with a depth and sizes of these clients.
PROFILE_CELLS = "read-rand-*,write-rand-*,mix-rand-*"
PROFILE_OPTIONS = ["--sizes", "4k,64k", "--depths", "32", "--seconds", "20", "--cell-most", "20s", "--warm-up", "5",
                   "--no-fill"]
NS_PER_MS, MS_PER_S, BYTES_PER_MB, PPM_PER_PCT = 1e6, 1000, 1e6, 10_000
FIO_COLUMNS = 2


def set_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing of its own."""


# ---- making it ----

def profile_command(profile: Path) -> list[str]:
    return ["python3", "-m", "ssdqos", "profile", "--sim", PRESET, "--size-mb", str(SIZE_MB),
            *PROFILE_OPTIONS, "--cells", PROFILE_CELLS, "--out", shown(profile)]


def conf(seed: int) -> str:
    """What the guest's script is told."""
    settings = {"SIZE_MB": SIZE_MB, "DRIVE_ARGS": f"preset {PRESET} {AGED.replace('=', ' ')} seed {seed}",
                "ALONE_S": ALONE_S, "TOGETHER_S": TOGETHER_S, "PROMISED_S": PROMISED_S,
                "SHOP_LOAD": f"--rw=randread --bs=4k --iodepth={SHOP_DEPTH}",
                "BACKUP_LOAD": f"--rw=randwrite --bs=64k --iodepth={BACKUP_DEPTH}",
                "PROMISE": PROMISE, "TOO_MUCH": TOO_MUCH}
    return "".join(f'{key}="{value}"\n' for key, value in settings.items())


def simulator_command(profile: Path, seed: int, series: Path) -> list[str]:
    """The same two clients, at the same times."""
    return [shown(SIMULATOR), "qos", "--drive", PRESET, "--size", f"{SIZE_MB}m", "--set", AGED,
            "--set", f"seed={seed}", "--profile", shown(profile), "--runtime", f"{PHASES['promised'][1]}s",
            "--stream", f'name=shop load="randread bs=4k iodepth={SHOP_DEPTH} size=50%"',
            "--stream", f'name=backup load="randwrite bs=64k iodepth={BACKUP_DEPTH} offset=50% size=50% '
                        f'start={PHASES["together"][0]}s"',
            "--at", f"{PHASES['promised'][0]}s shop min_iops={PROMISED_IOPS}",
            "--series", shown(series), "--series-interval", f"{STEP_S * MS_PER_S:g}ms"]


def make_profile(data: Path) -> list[str]:
    profile = data / "ssd.profile"
    # measured now, not what somebody has left
    profile.unlink(missing_ok=True)
    shutil.rmtree(data / "ssd.profile.cells", ignore_errors=True)
    words = profile_command(profile)
    quietly([sys.executable, *words[1:]], BUILD_DIR / "log/demo-profile.log", "measuring the drive's profile")
    return words


def run(args: argparse.Namespace, data: Path, say: Say) -> dict:
    say("measuring what requests cost on the drive, in the simulator")
    profile_words = make_profile(data)
    settings, series = data / "promise.conf", data / "promise-sim.csv"
    settings.write_text(conf(args.seed))
    work = BUILD_DIR / "demo/promise"
    words = kernel.command(args.kernel, args.seed, MEMORY_MB, work,
                           {"/demo.conf": settings, "/demo.profile": data / "ssd.profile"}, ["promise"])
    say(f"booting Linux {args.kernel}: {PHASES['promised'][1]} s of two clients, a promise on the way")
    kernel.boot(words, BUILD_DIR / "log/demo-promise.log")
    for name in CLIENTS:
        shutil.copyfile(work / f"results/{name}_lat.1.log", data / f"{name}_lat.1.log")
    say("the same in the simulator")
    sim_words = simulator_command(data / "ssd.profile", args.seed, series)
    quietly(sim_words, BUILD_DIR / "log/demo-promise-sim.log", "the simulator")
    found = read_guest(work / "results")
    found["commands"] = ["PYTHONPATH=tools " + shlex.join(profile_words), shlex.join(words), shlex.join(sim_words)]
    found["kernel"], found["seed"] = args.kernel, args.seed
    found["phases"] = figures(found, data)
    (data / "promise-series.json").write_text(json.dumps(series_of(found, data)) + "\n")
    return found


# ---- what was recorded ----

def read_guest(results: Path) -> dict:
    """Times are in seconds since the shop has begun."""
    begin_ms = float(results.joinpath("shop_lat.1.log").read_text().partition(",")[0])
    starts = {name: (float(results.joinpath(name).read_text()) - begin_ms) / MS_PER_S for name in ("together", "promised")}
    return {"begin_ms": begin_ms, "starts_s": {"alone": 0.0} | starts,
            "status": {name: words_of(results / f"{name}.status") for name in CLIENTS},
            "admit": words_of(results / "admit"), "refused": words_of(results / "refused"),
            "tables": results.joinpath("tables").read_text().splitlines()}


def words_of(path: Path) -> dict[str, str]:
    """key=value, as the kernel answers."""
    made = dict(word.split("=", 1) for word in path.read_text().split() if "=" in word)
    if not made:
        raise ToolError(f"{shown(path)}: the kernel has answered nothing")
    return made


def read_log(client: str, begin_ms: float, data: Path) -> tuple[np.ndarray, np.ndarray]:
    """Of every request, when it completed (s since the shop has begun) and its latency in ns."""
    rows = np.loadtxt(data / f"{client}_lat.1.log", delimiter=",", usecols=range(FIO_COLUMNS), ndmin=2)
    return (rows[:, 0] - begin_ms) / MS_PER_S, rows[:, 1]


def p99_ns(latency_ns: np.ndarray) -> float:
    return float(np.quantile(latency_ns, 0.99, method="inverted_cdf")) if len(latency_ns) else 0.0


def bounds(found: dict) -> dict[str, tuple[float, float]]:
    """Of each phase, what counts: not its first second, in which it is not yet what it will be."""
    starts = found["starts_s"]
    ends = {"alone": starts["together"], "together": starts["promised"], "promised": PHASES["promised"][1]}
    return {name: (starts[name] + SETTLE_S, ends[name]) for name in PHASES}


def figures(found: dict, data: Path) -> dict:
    simulated = read_simulated(data)
    made = {}
    for phase, (begin, end) in bounds(found).items():
        made[phase] = {}
        for client in CLIENTS:
            at, latency_ns = read_log(client, found["begin_ms"], data)
            inside = latency_ns[(at >= begin) & (at < end)]
            row = {"per_s": len(inside) / (end - begin), "p99_ns": p99_ns(inside)}
            first, last = PHASES[phase]
            sim = [n for time_s, n in simulated[client] if first + SETTLE_S < time_s <= last]
            made[phase][client] = row | {"simulated_per_s": sum(sim) / len(sim) / STEP_S}
    return made


def read_simulated(data: Path) -> dict[str, list[tuple[float, int]]]:
    """Of each client, end of an interval and requests that completed in it."""
    with (data / "promise-sim.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {client: [(float(row["time_s"]), int(row[f"{client}_n"])) for row in rows] for client in CLIENTS}


def series_of(found: dict, data: Path) -> dict:
    """What the picture shows, in steps."""
    simulated = read_simulated(data)
    steps = np.arange(0, PHASES["promised"][1], STEP_S)
    made = {"step_s": STEP_S, "time_s": [float(step) for step in steps]}
    for client in CLIENTS:
        at, latency_ns = read_log(client, found["begin_ms"], data)
        parts = [latency_ns[(at >= step) & (at < step + STEP_S)] for step in steps]
        made[client] = {"per_s": [len(part) / STEP_S for part in parts],
                        "p99_ns": [p99_ns(part) or None for part in parts],
                        "simulated_per_s": [n / STEP_S for _, n in simulated[client]]}
    return made


# ---- telling it ----

def tables(found: dict) -> list[Table]:
    phases = found["phases"]

    def row(name: str, client: str, key: str, scale: float, digits: int) -> list[str]:
        values = [phases[phase][client][key] / scale for phase in PHASES]
        return [name, *(f"{value:,.{digits}f}" if value else "-" for value in values)]

    mb = BYTES_PER_MB / (64 << 10)
    return [Table(f"{TITLE} (Linux {found['kernel']})", ["alone", "together", "with a promise"], [
        row("shop, reads/s", "shop", "per_s", 1, 0),
        row("  the same in the simulator", "shop", "simulated_per_s", 1, 0),
        row("shop, 99 % are faster than, ms", "shop", "p99_ns", NS_PER_MS, 2),
        row("backup, MB/s", "backup", "per_s", mb, 1),
        row("  the same in the simulator", "backup", "simulated_per_s", mb, 1)], answers(found))]


def answers(found: dict) -> list[str]:
    """Of the kernel, before and after."""
    admit, refused, shop = found["admit"], found["refused"], found["status"]["shop"]
    return [
        f"Asked before, the kernel said: {PROMISED_IOPS:,} reads a second fit, they take "
        f"{int(admit['util_ppm']) / PPM_PER_PCT:.1f} % of the drive's time; {TOO_MUCH_IOPS:,} don't, "
        f"{int(refused['fit_iops']):,} would be the most.",
        f"Of the promise's windows of a second {shop['windows_met']} were met, {shop['windows_missed']} missed."]


def notes(found: dict) -> list[str]:
    return [
        "The drive is an emulated SSD, full and aged, that stands still when it has to erase. Nothing was tuned for this "
        "neighbour: the profile is what the tool measures on any drive. What the shop gets beyond its promise is time that "
        "nobody was owed. The backup pays for it: it writes more slowly, and each of its requests waits longer.",
        "Simulator and kernel run the same scheduler and the same drive, but the simulator has no processor that costs time. "
        f"Figures are without the first {SETTLE_S} s of each phase, the picture has everything: the promise begins to be felt "
        "when the writes that the drive had taken before are done."]


def pictures(found: dict, data: Path) -> list[Picture]:
    series = json.loads((data / "promise-series.json").read_text())
    return [promise_picture.draw(series, found["starts_s"], PHASES["promised"][1], PROMISED_IOPS)]


def wrong(found: dict) -> str:
    missed = int(found["status"]["shop"]["windows_missed"])
    if found["admit"]["fits"] != "1" or found["refused"]["fits"] != "0":
        return "the kernel did not admit what fits, or admitted what doesn't"
    return f"{missed} windows of the promise were missed" if missed else ""
