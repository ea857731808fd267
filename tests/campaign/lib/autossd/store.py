# SPDX-License-Identifier: GPL-2.0
"""Results of runs on disk, and how runs become results.

A result is kept under a key made of everything that decides it: arguments,
content of a trace, content of the simulator.  So an interrupted campaign goes
on where it was, and a changed simulator begins anew.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from lib.autossd.runs import Run, digest
from lib.autossd.section import Found
from lib.errors import RunError
from lib.least_op import least_permille
from lib.side_by_side import Programs

KEY_DIGITS = 20
EXIT_BROKEN = 1  # the run was made and broke a promise; it has a result
PATIENCE_S = 900
LEAST_EFFORT_PER_S = 5000


def patience_s(run: Run) -> float:
    """How long a run may take: many times what is usual.  One that makes no
    progress in virtual time would never end."""
    return PATIENCE_S + run.effort() / LEAST_EFFORT_PER_S


class Store:
    """A directory of results of one simulator.

    The simulator is copied, so that building another one meanwhile does not
    mix two of them in a campaign.
    """

    def __init__(self, directory: Path, simulator: Path) -> None:
        self.directory = directory
        self.hash = digest(simulator)
        self.simulator = directory / "bin" / f"ssdqos-sim-{self.hash[:KEY_DIGITS]}"
        self.programs = Programs()
        if not self.simulator.exists():
            self.simulator.parent.mkdir(parents=True, exist_ok=True)
            partial = self.simulator.with_suffix(".new")
            shutil.copy2(simulator, partial)
            partial.rename(self.simulator)

    def key(self, run: Run) -> str:
        text = json.dumps([self.hash, run.identity()])
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]

    def find(self, run: Run) -> Found | None:
        key = self.key(run)
        files = self.directory / key
        try:
            stored = json.loads(files.with_suffix(".json").read_text())
        except FileNotFoundError:
            return None
        return Found(key, run, stored["result"], stored["command"], files, stored["failed"])

    # ---- making results ----

    def make(self, run: Run) -> Found:
        """Runs what is missing."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="run-", dir=self.directory) as scratch:
            if run.before:
                self._execute(run.before, Path(scratch), "before-", ["--save-state", "state"])
                self._execute(run, Path(scratch), "", ["--load-state", "state"])
            else:
                self._execute(run, Path(scratch), "", [])
        return self.find(run)

    def _execute(self, run: Run, scratch: Path, name: str, state: list[str]) -> None:
        words = [str(self.simulator), "run", *run.arguments(), *run.outputs(scratch, name),
                 "--json", str(scratch / f"{name}result.json"), *state]
        try:
            done = self.programs.run(words, scratch, patience_s(run))
        except subprocess.TimeoutExpired as error:
            raise RunError(f"{run.command()}: did not end in {error.timeout:.0f} s") from error
        failed = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        if done.returncode not in (0, EXIT_BROKEN):
            raise RunError(f"{run.command()}: {failed}")
        self._keep(run, scratch, name, failed if done.returncode else "")

    def _keep(self, run: Run, scratch: Path, name: str, failed: str) -> None:
        """The result comes last: what has one is complete."""
        try:
            result = json.loads((scratch / f"{name}result.json").read_text())
        except (OSError, ValueError) as error:
            raise RunError(f"{run.command()}: no result: {failed or error}") from error
        files = self.directory / self.key(run)
        if run.cdf:
            (scratch / f"{name}cdf.csv").rename(files.with_name(files.name + ".cdf.csv"))
        if run.series:
            with (scratch / f"{name}series.csv").open("rb") as plain, \
                    gzip.open(files.with_name(files.name + ".series.csv.gz"), "wb", 6) as packed:
                shutil.copyfileobj(plain, packed)
        stored = {"command": run.command(), "simulator": self.hash, "failed": failed,
                  "result": result}
        partial = files.with_suffix(".new")
        partial.write_text(json.dumps(stored) + "\n")
        partial.rename(files.with_suffix(".json"))

    def stop(self) -> None:
        """Ends what is under way."""
        self.programs.end()

    # ---- asking the simulator ----

    def least_op(self, run: Run) -> int:
        """The least over-provisioning with which a drive is created."""
        known = self.directory / f"{self.key(run)}.op"
        if not known.exists():
            known.write_text(f"{least_permille(lambda permille: self._creates(run, permille))}\n")
        return int(known.read_text())

    def loads(self) -> list[str]:
        """The simulator's own words about its synthetic loads."""
        done = subprocess.run([str(self.simulator), "loads"], capture_output=True, text=True,
                              check=False)
        _, mark, text = done.stdout.partition("Named loads")
        return (mark + text).splitlines()

    def _creates(self, run: Run, permille: int) -> bool:
        words = [str(self.simulator), "run", *run.arguments(), "--set", f"op_permille={permille}"]
        words[words.index("--load") + 1] = "read number_ios=1"
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
