# SPDX-License-Identifier: GPL-2.0
"""Runs of ssdqos-sim, and numbers about them."""

import fcntl
import hashlib
import json
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]

# The foundation's figures are about the hardware: the controller takes no time, has all of the
# map, serves in order of arrival and leaves blocks alone.
PLAIN_CONTROLLER = {
    "scheduler": "fifo", "gc_scope": "plane", "quiet_ns": 0, "map_cache_kib": 0,
    "scrub_start_reads": 0, "scrub_stop_reads": 0, "lookup_min_ns": 0, "lookup_max_ns": 0,
    "host_delay_min_ns": 0, "host_delay_max_ns": 0, "internal_delay_min_ns": 0,
    "internal_delay_max_ns": 0, "read_command_ns": 0, "write_command_ns": 0, "link_mb_s": 0,
}


class Simulator:
    """The program, and a directory for what a run leaves behind."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        self.scratch = tempfile.TemporaryDirectory(prefix="ssdqos-campaign-")

    def file(self, name):
        return pathlib.Path(self.scratch.name, name)

    def run(self, drive, load=None, trace=None, size=None, sets=None, **options):
        """Returns the JSON of one run, with the command that makes it again."""
        arguments = ["run", "--drive", drive]
        arguments += ["--size", str(size)] if size else []
        if drive == "autossd":
            sets = {**PLAIN_CONTROLLER, **(sets or {})}
        for key, value in (sets or {}).items():
            arguments += ["--set", f"{key}={value}"]
        arguments += ["--load", load] if load else ["--trace", str(trace)]
        for key, value in options.items():
            if value is not None:
                arguments += ["--" + key.replace("_", "-"), str(value)]
        result = self.file("result.json")
        self._execute([str(self.path), *arguments, "--json", str(result)])
        found = json.loads(result.read_text())
        found["command"] = "./run sim " + shlex.join(self._portable(arguments))
        return found

    def instructions(self, arguments):
        """User-space instructions of a run; None without valgrind."""
        if not shutil.which("valgrind"):
            return None
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=no",
                   "--cachegrind-out-file=/dev/null", str(self.path), *arguments]
        done = self._execute(command)
        counted = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
        return int(counted.group(1).replace(",", ""))

    def _portable(self, arguments):
        places = ((self.scratch.name, "/tmp"), (str(ROOT.parent) + "/shared", "../shared"))
        for place, name in places:
            arguments = [a.replace(place, name) for a in arguments]
        return arguments

    @staticmethod
    def _execute(command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{shlex.join(command)}: exit {done.returncode}: {done.stderr[-500:]}")
        return done


def _make(directory, target, *made):
    """One after the other: two that begin at once would each remove what the other has just compiled."""
    place = pathlib.Path(ROOT, directory)
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "campaign.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", f"BUILD={directory}", target], cwd=ROOT, check=True)
    return place.joinpath(*made)


def build(directory):
    """Makes the simulator; returns its path."""
    return _make(directory, "sim", "sim", "ssdqos-sim")


def build_trained(directory):
    """The same as `build`, for hours of runs: it takes two minutes to make, and a fifth to a third less time for each."""
    return _make(directory, "sim-trained", "trained", "sim", "ssdqos-sim")


# What the simulator is made of, and what it and the module are.
SIMULATED = ("dm-ssdqos/core", "tools/sim")
SOURCES = ("dm-ssdqos", "tools/sim")
COMPILED = (".c", ".h", ".S", ".mk", "Kbuild", "Makefile")
DIGITS = 12
# Of a checkout without its history.
UNKNOWN = "unknown"


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True).stdout.strip()


def is_changed(sources=SOURCES):
    """Whether a source that matters differs from the commit's: two such programs can't be told apart."""
    return bool(git("status", "--short", "--", *sources))


def with_changes(name, sources=SOURCES):
    return name + (" with changes" if is_changed(sources) else "")


def version():
    """The commit, and whether the sources that matter differ from it."""
    return with_changes(git("rev-parse", f"--short={DIGITS}", "HEAD") or UNKNOWN)


def commit_of(module):
    """What is measured: of a module that was given nobody knows it."""
    return f"unknown, module {module}" if module else version()


def program(sources=SOURCES):
    """The same at all commits between which no source that matters was changed: what is compiled, and how."""
    files = git("ls-tree", "-r", "HEAD", "--", *sources).splitlines()
    compiled = "\n".join(line for line in files if line.endswith(COMPILED))
    return with_changes(hashlib.sha256(compiled.encode()).hexdigest()[:DIGITS], sources)


def cpu_model():
    info = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*:\s*(.*)", info)
    return f"{name.group(1) if name else 'unknown CPU'}, {info.count('processor')} CPUs"


def spread(values):
    """Median, least and most; and the half width of the range in percent."""
    middle = statistics.median(values)
    return {"median": middle, "min": min(values), "max": max(values), "runs": len(values),
            "spread_pct": round(50 * (max(values) - min(values)) / middle, 1)}


def in_turns(cases, rounds, measure, say):
    """Measures every case once in each round, so that slow moments of the
    machine hit all alike; returns the list of results of each case."""
    results = [[] for _ in cases]
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for case, found in zip(cases, results):
            found.append(measure(case))
    return results
