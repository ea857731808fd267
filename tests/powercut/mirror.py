# SPDX-License-Identifier: GPL-2.0
"""Power cuts of a mirror, hundreds in one boot: tests/kselftest/lib-cuts.sh has drives that lose what they had in their
caches; what is written to them says the script."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import subprocess
from pathlib import Path

from harness import kernel

# As the kernel's arguments have them, which may list several.
DURABILITIES = ("strict", "journal", "volatile")
# Of the guest's time; a life takes two seconds at most.
LIMIT_S_PER_CUT = 10
LEAST_LIMIT_S = 120


@dataclasses.dataclass(frozen=True)
class Cut:
    """A line of the guest's: of the life that it has ended, of the moment, and what was found after it.

    `happened` in the life: 0 a member has failed, 1 one has failed and joined, 2 the mirror was suspended."""

    durability: str
    life: int
    ran_ms: int
    happened: int
    cached_blocks: int
    copied_to: int
    unflushed: int
    lost: int
    stale_regions: int

    @classmethod
    def parse(cls, line: str) -> Cut:
        durability, *numbers = line.split()
        return cls(durability, *map(int, numbers))


@dataclasses.dataclass(frozen=True)
class Writes(Cut):
    """`unpromised` operations of durability strict had ended since the last flush; of volatile, the last `undone` have
    gone."""

    discards: int
    sectors: int
    operations: int
    unpromised: int
    undone: int


@dataclasses.dataclass(frozen=True)
class Transactions(Cut):
    """When the life began, there were `begun` of them; somebody was `told` of so many, and so many were `found`."""

    wal: int
    begun: int
    told: int
    found: int


@dataclasses.dataclass(frozen=True)
class Test:
    """Its script does each number of cuts so many `times`."""

    script: Path
    cut: type[Cut]
    times: int


GUEST_DIR = kernel.TOP_DIR / "tests/kselftest"
# Without discards, and with them.
WRITES = Test(GUEST_DIR / "84-ianus-cuts.sh", Writes, 2)
DATABASE = Test(GUEST_DIR / "89-ianus-database.sh", Transactions, 1)


def test_of(options: argparse.Namespace) -> Test:
    return DATABASE if options.database else WRITES


def count_each(test: Test, cuts: int) -> int:
    """Each time as many, at least one."""
    return max(1, (cuts + test.times - 1) // test.times)


def command(options: argparse.Namespace, out: Path) -> list[str]:
    test = test_of(options)
    each = count_each(test, options.cuts)
    words = [str(kernel.VM_DIR / "vm"), "run", "--kernel", options.kernel, "--virtual", "--out", str(out), "--timeout",
             str(max(LEAST_LIMIT_S, test.times * (each + 1) * LIMIT_S_PER_CUT)), "--append",
             f"powercut_what={options.what} powercut_cuts={each} powercut_seed={options.seed}"]
    words += ["--module", str(options.module)] if options.module else []
    return [*words, str(test.script)]


def run(options: argparse.Namespace) -> int:
    """The status of the virtual machine's tests, which say all on standard output."""
    out = options.out / (f"database-{options.what}" if options.database else options.what)
    shutil.rmtree(out, ignore_errors=True)
    with subprocess.Popen(command(options, out)) as process:
        try:
            status = process.wait()
        except BaseException:
            # it ends its emulator
            process.terminate()
            raise
    lines = (out / "results/cuts").read_text().splitlines() if (out / "results/cuts").exists() else []
    if options.json:
        cuts = [dataclasses.asdict(test_of(options).cut.parse(line)) for line in lines]
        options.json.write_text(json.dumps({"cuts": cuts, "failed": int(status != 0)}, indent=1) + "\n")
    return status
