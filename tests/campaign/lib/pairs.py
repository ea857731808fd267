# SPDX-License-Identifier: GPL-2.0
"""Two commits beside each other: what their simulators and their modules take for the same work."""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import shlex
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

from lib.errors import RunError
from lib.simulator import ROOT, Simulator, spread

BEFORE, AFTER = "before", "after"
SIDES = (BEFORE, AFTER)
VM_LIMIT_S = 1200


@dataclasses.dataclass(frozen=True)
class Load:
    """`counted` are numbers of requests for two runs under valgrind, `timed` for one on the clock."""

    name: str
    title: str
    drive: str
    load: str
    counted: tuple[int, int]
    timed: int

    def arguments(self, number: int) -> list[str]:
        return ["run", *shlex.split(self.drive), "--load", f"{self.load} iodepth=32 number_ios={number}"]


LOADS = (
    Load("reads", "random reads", "--drive autossd --size 1g --set aged_pct=100",
         "randread bs=4k", (50_000, 150_000), 6_000_000),
    Load("mixed", "70/30 with collection", "--drive autossd --size 1g --set aged_pct=100",
         "randrw rwmixread=70 bs=4k", (50_000, 150_000), 4_000_000),
    Load("writes", "random writes, 7 % spare", "--drive x25e-like --size 1g --set op_permille=70 --set aged_pct=100",
         "randwrite bs=4k", (50_000, 100_000), 3_000_000),
    Load("everything", "everything on: stripes, a small map cache, scrubbing, wear levelling, small blocks",
         "--drive autossd --size 256m --set aged_pct=100 --set allocation=static --set rain=on --set map_cache_kib=64 "
         "--set cache=volatile --set aged_reads=1000 --set scrub_start_reads=990 --set scrub_stop_reads=950 "
         "--set aged_pe_cycles=20 --set wear_start_cycles=1 --set pages_per_block=16",
         "randrw rwmixread=50 bs=4k,16k", (20_000, 60_000), 750_000),
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Tree:
    """The sources of a commit, and what is built of them."""

    commit: str
    path: Path

    def simulator(self) -> Simulator:
        return Simulator(self.path / "build/sim/ssdqos-sim")

    def module(self, kernel: str) -> Path:
        return self.path / f"build/module/{kernel}/dm-ssdqos.ko"


def git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    if done.returncode:
        raise RunError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def commit_of(name: str) -> str:
    return git("rev-parse", "--short=12", f"{name}^{{commit}}")


def checked_out(commit: str, directory: Path) -> Tree:
    """What was checked out before is used again: a commit does not change."""
    tree = Tree(commit, directory / commit)
    if not tree.path.exists():
        fresh = directory / f"{commit}.new"
        fresh.mkdir(parents=True, exist_ok=True)
        archive = subprocess.Popen(["git", "-C", str(ROOT), "archive", commit], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", str(fresh)], stdin=archive.stdout, check=True)
        if archive.wait():
            raise RunError(f"git archive {commit}: exit {archive.returncode}")
        fresh.rename(tree.path)
    return tree


def build_simulator(tree: Tree) -> None:
    subprocess.run(["make", "-s", "sim"], cwd=tree.path, check=True)


def build_module(tree: Tree, kernel: str) -> None:
    places = {"SSDQOS_SOURCE": str(tree.path), "SSDQOS_BUILD": str(tree.path / "build")}
    subprocess.run([str(ROOT / "tests/vm/build-module"), kernel], env={**os.environ, **places}, check=True)


# ---- simulator ----

def counted(load: Load, sim: Simulator) -> dict:
    """Instructions of a request: a longer run less a shorter one, which leaves out making the drive."""
    short, long = load.counted
    found = [sim.instructions(load.arguments(number)) for number in (short, long)]
    if None in found:
        raise RunError("instructions: valgrind is missing")
    return {"whole": found[1], "per_request": round((found[1] - found[0]) / (long - short), 1)}


def instructions(sims: dict[str, Simulator], say: Callable[[str], None]) -> dict:
    made = {}
    for load in LOADS:
        say(f"instructions: {load.title}")
        made[load.name] = {side: counted(load, sims[side]) for side in SIDES}
    return made


def results_of(load: Load, sim: Simulator) -> dict:
    """What the drive did, which has to be the same on both sides."""
    path = sim.file("pair.json")
    subprocess.run([str(sim.path), *load.arguments(load.counted[0]), "--json", str(path)], check=True,
                   capture_output=True)
    result = json.loads(path.read_text())
    return {key: result[key] for key in ("requests", "virtual_s", "latency_ns", "counters")} | {
        "memory_bytes": result["flash"]["memory_bytes"]}


def behaviour(sims: dict[str, Simulator]) -> dict:
    made = {}
    for load in LOADS:
        found = {side: results_of(load, sims[side]) for side in SIDES}
        memory = {side: one.pop("memory_bytes") for side, one in found.items()}
        made[load.name] = {"same": found[BEFORE] == found[AFTER], "memory_bytes": memory}
    return made


def cpu_s(sim: Simulator, arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([str(sim.path), *arguments], check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def times(sims: dict[str, Simulator], turns: int, say: Callable[[str], None]) -> dict:
    """Who goes first changes from turn to turn, so that slow moments of the machine hit both alike."""
    made = {}
    for load in LOADS:
        say(f"times: {load.title}")
        found: dict[str, list[float]] = {side: [] for side in SIDES}
        for turn in range(turns):
            for side in SIDES if turn % 2 else reversed(SIDES):
                found[side].append(cpu_s(sims[side], load.arguments(load.timed)))
        ratios = [before / after for before, after in zip(found[BEFORE], found[AFTER])]
        made[load.name] = {side: spread(values) for side, values in found.items()} | {"speed": spread(ratios)}
    return made


# ---- kernel ----

def overhead(tree: Tree, kernel: str, out: Path) -> dict[str, dict]:
    """Instructions of a 4 KiB read, by system: fio's rounds of guest/overhead.sh."""
    out.mkdir(parents=True, exist_ok=True)
    script = ROOT / "tests/campaign/guest/overhead.sh"
    command = [str(ROOT / "tests/vm/vm"), "run", "--kernel", kernel, "--virtual", "--mem", "2048", "--timeout", str(VM_LIMIT_S),
               "--module", str(tree.module(kernel)), "--out", str(out),
               *(word for name in ("lib.sh", "lib-flash.sh")
                 for word in ("--include", f"{ROOT}/tests/kselftest/{name}:/tests/{name}")), str(script)]  # fmt: skip
    with (out / "vm.log").open("w") as log:
        if subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode:
            raise RunError(f"overhead of {tree.commit} failed, log in {out}")
    groups: dict[str, list[float]] = {}
    for path in sorted(out.rglob("overhead/*.json")):
        read = json.loads(path.read_text())["jobs"][0]["read"]
        groups.setdefault(path.name.split(".")[0], []).append(1e9 / read["iops"])
    return {system: {"median": round(statistics.median(values)), "least": round(min(values)), "most": round(max(values))}
            for system, values in groups.items()}
