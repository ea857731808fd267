# SPDX-License-Identifier: GPL-2.0
"""Runs hostile inputs, judges what came of them, and keeps those that failed."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from random import Random

from lib.fuzz.kinds import DIRECTORY, KINDS, Base, Case
from lib.simulator import ROOT

COUNT = 6_000
SHOW_EVERY = 500
LIMIT_S = 120  # a run takes some hundredths of that, on a machine that does nothing else
GOOD, REFUSED = 0, 2
ADDRESS_SPACE = "allocator_may_return_null=1:detect_leaks=0"
SEEDED_LOAD = "randrw rwmixread=30 number_ios=3000 iodepth=8"
# Drives whose states have all there is in a state: a cached map, parity, ages, a drive that blocks.
STATE_DRIVES = (
    ("--drive", "autossd", "--size", "64m", "--set", "aged_pct=90", "--set", "map_cache_kib=32"),
    ("--drive", "ttflash", "--size", "64m", "--set", "aged_pct=100", "--set", "op_permille=400"),
    ("--drive", "autossd", "--size", "64m", "--set", "allocation=static", "--set", "rain=on", "--set",
     "op_permille=700", "--set", "aged_pct=80", "--set", "cache=volatile"),
    ("--drive", "intel510-like", "--size", "64m", "--set", "aged_pct=100", "--set", "aged_reads=1000"),
)


def simulate(simulator: Path, arguments: list[str]) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "ASAN_OPTIONS": ADDRESS_SPACE, "UBSAN_OPTIONS": "print_stacktrace=1"}
    return subprocess.run([str(simulator), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, timeout=LIMIT_S, env=environment, check=False)


def values_of(range_text: str) -> tuple[str, ...]:
    """Good values: "1 to 64 us" gives both ends and some between, "a, b" gives these."""
    if " to " not in range_text:
        return tuple(range_text.split(", "))
    least, most = int(range_text.split()[0]), int(range_text.split()[2])
    return tuple(str(max(least, most >> shift)) for shift in (0, 1, 2, 4, 8, 16, 64))


def parameters(simulator: Path, table: str) -> dict[str, tuple[str, ...]]:
    """Names, and good values; "params" has a line of name and meaning and one of range and default for each."""
    done = subprocess.run([str(simulator), "params", table], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    return {name.split()[0]: values_of(text.split(";")[0].strip()) for name, text in zip(lines[::2], lines[1::2])}


def make_base(simulator: Path, scratch: Path) -> Base:
    states = []
    for drive in STATE_DRIVES:
        path = scratch / "state"
        done = simulate(simulator, ["run", *drive, "--load", SEEDED_LOAD, "--save-state", str(path)])
        if done.returncode:
            raise SystemExit(f"fuzz: no state of {shlex.join(drive)}: {done.stderr.decode(errors='replace')}")
        states.append((drive, path.read_bytes()))
    tables = {table: parameters(simulator, table) for table in ("flash", "qos", "mirror")}
    return Base(**tables, states=tuple(states))


def make_case(base: Base, seed: int, number: int, kinds: tuple[str, ...]) -> Case:
    random = Random(f"{seed}-{number}")
    return KINDS[kinds[number % len(kinds)]](random, base)


def judge(status: int, told: str) -> str:
    """What is wrong; nothing if it did what it should, or said in one sentence why not."""
    if "Sanitizer" in told or "runtime error" in told:
        return "a sanitizer's report"
    if status not in (GOOD, REFUSED):
        return f"exit status {status}"
    # convert says what it has read before that
    lines = [line for line in told.splitlines() if not line.startswith("convert: ")]
    if status == REFUSED and (len(lines) != 1 or not lines[0].startswith("ssdqos-sim")):
        return "no single sentence"
    return ""


def run_case(simulator: Path, case: Case, directory: Path) -> tuple[str, str]:
    """What is wrong, and what was said."""
    for name, data in case.files.items():
        (directory / name).write_bytes(data)
    try:
        done = simulate(simulator.with_name(case.program), [word.replace(DIRECTORY, str(directory)) for word in case.arguments])
    except subprocess.TimeoutExpired:
        return f"no end in {LIMIT_S} s", ""
    told = done.stderr.decode(errors="replace")
    return judge(done.returncode, told), told


def keep(kept: Path, case: Case, seed: int, number: int, wrong: str, told: str) -> Path:
    directory = kept / f"{seed}-{number}"
    directory.mkdir(parents=True, exist_ok=True)
    for name, data in case.files.items():
        (directory / name).write_bytes(data)
    command = shlex.join(word.replace(DIRECTORY, str(directory)) for word in case.arguments)
    (directory / "command").write_text(f"build/unit/{case.program} {command}\n", errors="replace")
    (directory / "told").write_text(f"{wrong}\n{told}", errors="replace")
    return directory


class Campaign:
    """One seed; counts what came of its inputs."""

    def __init__(self, options: argparse.Namespace, base: Base) -> None:
        self.options = options
        self.base = base
        self.kinds = tuple(options.kind or KINDS)
        self.counts: collections.Counter[tuple[str, str]] = collections.Counter()
        self.failed = 0

    def run_one(self, number: int) -> tuple[Case, str, str]:
        case = make_case(self.base, self.options.seed, number, self.kinds)
        with tempfile.TemporaryDirectory(prefix="ssdqos-fuzz-") as directory:
            return (case, *run_case(self.options.simulator, case, Path(directory)))

    def note(self, number: int, case: Case, wrong: str, told: str) -> None:
        self.counts[case.kind, "failed" if wrong else "refused" if told.startswith("ssdqos-sim") else "done"] += 1
        if not wrong:
            return
        self.failed += 1
        kept = keep(self.options.out, case, self.options.seed, number, wrong, told)
        print(f"fuzz: input {number} ({case.kind}): {wrong}; kept in {kept}", flush=True)

    def run(self) -> int:
        numbers = range(self.options.first, self.options.first + self.options.count)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for at, (number, found) in enumerate(zip(numbers, pool.map(self.run_one, numbers)), 1):
                self.note(number, *found)
                if at % SHOW_EVERY == 0:
                    print(f"fuzz: {at} of {self.options.count} inputs, {self.failed} failed", flush=True)
        for kind in self.kinds:
            told = ", ".join(f"{self.counts[kind, how]} {how}" for how in ("done", "refused", "failed"))
            print(f"fuzz: {kind}: {told}")
        print(f"fuzz: seed {self.options.seed}, {self.options.count} inputs: "
              f"{self.options.count - self.failed} passed, {self.failed} failed, 0 skipped")
        return 1 if self.failed else 0


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    parser.add_argument("--seed", type=int, default=1, help="of all inputs (1)")
    parser.add_argument("--first", type=int, default=0, help="number of the first input (0)")
    parser.add_argument("--count", type=int, default=COUNT, help=f"inputs ({COUNT})")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these; may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at a time")
    parser.add_argument("--simulator", type=Path, help="use this one, don't build")
    parser.add_argument("--out", type=Path, default=ROOT / "out/campaign/fuzz", help="where failed inputs are kept")
    return parser.parse_args()


def main(parser: argparse.ArgumentParser) -> int:
    options = parse(parser)
    if not options.simulator:
        subprocess.run(["make", "-s", "sim-asan"], cwd=ROOT, check=True)
        options.simulator = ROOT / "build/unit/ssdqos-sim"
    with tempfile.TemporaryDirectory(prefix="ssdqos-fuzz-") as scratch:
        base = make_base(options.simulator, Path(scratch))
    return Campaign(options, base).run()
