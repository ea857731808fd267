# SPDX-License-Identifier: GPL-2.0
"""Power cuts of a mirror, hundreds in one boot: tests/kselftest/84-ianus-cuts.sh has drives that lose what they had
in their caches."""

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
SCRIPT = kernel.TOP_DIR / "tests/kselftest/84-ianus-cuts.sh"
# Of the guest's time; a life takes two seconds at most.
LIMIT_S_PER_CUT = 10
LEAST_LIMIT_S = 120
# Each number of cuts is done without discards, and with them.
HALVES = 2


@dataclasses.dataclass(frozen=True)
class Cut:
    """A line of the guest's: of the life that it has ended, of the moment, and what was found after it.

    `happened` in the life: 0 a member has failed, 1 one has failed and joined, 2 the mirror was suspended.  `unpromised`
    operations of durability strict had ended since the last flush; of volatile, the last `undone` have gone."""

    durability: str
    discards: int
    life: int
    ran_ms: int
    happened: int
    cached_blocks: int
    copied_to: int
    unflushed: int
    lost: int
    stale_regions: int
    sectors: int
    operations: int
    unpromised: int
    undone: int

    @classmethod
    def parse(cls, line: str) -> Cut:
        durability, *numbers = line.split()
        return cls(durability, *map(int, numbers))


def count_each(cuts: int) -> int:
    """Half of them, at least one, is without discards."""
    return max(1, (cuts + 1) // HALVES)


def command(options: argparse.Namespace, out: Path) -> list[str]:
    each = count_each(options.cuts)
    words = [str(kernel.VM_DIR / "vm"), "run", "--kernel", options.kernel, "--virtual", "--out", str(out), "--timeout",
             str(max(LEAST_LIMIT_S, HALVES * (each + 1) * LIMIT_S_PER_CUT)), "--append",
             f"powercut_what={options.what} powercut_cuts={each} powercut_seed={options.seed}"]
    words += ["--module", str(options.module)] if options.module else []
    return [*words, str(SCRIPT)]


def run(options: argparse.Namespace) -> int:
    """The status of the virtual machine's tests, which say all on standard output."""
    out = options.out / options.what
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
        cuts = [dataclasses.asdict(Cut.parse(line)) for line in lines]
        options.json.write_text(json.dumps({"cuts": cuts, "failed": int(status != 0)}, indent=1) + "\n")
    return status
