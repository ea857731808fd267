# SPDX-License-Identifier: GPL-2.0
"""Runs a guest script in the virtual machine and keeps what it brings back."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from lib.errors import RunError
from lib.simulator import ROOT

GUEST = ROOT / "tests/campaign/guest"
HELPERS = ("tests/kselftest/lib.sh", "tests/kselftest/lib-flash.sh")
MEMORY_MB = 2048
KEY_DIGITS = 16
LOG_TAIL = 3000
# A program in C that a script asks for; what it counts is the result.
PROGRAM_LINE = re.compile(r"^# program: *([^\s:]+):", re.MULTILINE)
# What a script says that can't do anything on this machine.
KTAP_LOG, SKIPPED = "ktap.log", "1..0 # SKIP"


def run_to_end(command: list[str], log: IO[str], limit_s: float) -> int:
    """The status of the command.  Whatever ends the wait ends the machine, too:
    it is asked to, since only the harness knows its emulator."""
    with subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT) as process:
        try:
            return process.wait(limit_s)
        except BaseException:
            process.terminate()
            raise


def refuse_skipped(name: str, out: Path) -> None:
    """A script that was skipped has measured nothing, though nothing failed."""
    log = out / KTAP_LOG
    skipped = [line for line in log.read_text().splitlines() if line.startswith(SKIPPED)] if log.exists() else []
    if skipped:
        raise RunError(f"{name}: skipped, {skipped[0].removeprefix(SKIPPED).strip()}; logs in {out}")


@dataclasses.dataclass(frozen=True)
class Job:
    """One boot: a script, what it is told, and the kind of machine."""

    name: str
    script: str
    settings: Mapping[str, object]
    files: Mapping[str, str] = dataclasses.field(default_factory=dict)
    kernel: str = "6.1"
    machine: tuple[str, ...] = ("--virtual",)
    limit_s: int = 3000
    wall_limit_s: int = 1500

    def text(self) -> str:
        """Shell variables for the guest."""
        return "".join(f"{key}='{value}'\n" for key, value in self.settings.items())


class Machine:
    """The virtual machine with one module, and a directory of results.

    A campaign's scripts find NAME-settings.sh and the files that they share
    beside themselves."""

    def __init__(self, campaign: str, shared: tuple[str, ...], directory: Path,
                 module: Path | None, seed: int) -> None:
        self.settings = f"{campaign}-settings.sh"
        self.shared = tuple(GUEST / name for name in shared)
        self.directory = directory
        self.module = module
        self.seed = seed

    def key(self, job: Job) -> str:
        """Of all that decides the result, but for the module and what tests
        share: what was measured stays until it is asked for again."""
        script = GUEST / job.script
        programs = [ROOT / path for path in PROGRAM_LINE.findall(script.read_text())]
        digest = hashlib.sha256()
        for path in (script, *self.shared, *programs):
            digest.update(path.read_bytes())
        words = [job.text(), *job.files.values(), job.kernel, *job.machine, str(self.seed)]
        digest.update("\n".join(words).encode())
        return digest.hexdigest()[:KEY_DIGITS]

    def find(self, job: Job) -> Path | None:
        """Where the results are, if there are any."""
        out = self.directory / job.name
        stamp = out / "key"
        same = stamp.exists() and stamp.read_text() == self.key(job)
        return out / "results" if same else None

    def run(self, job: Job) -> Path:
        """What was there before stays until the run has succeeded."""
        out = self.directory / f"{job.name}.new"
        shutil.rmtree(out, ignore_errors=True)
        key = self.key(job)  # of the scripts as they are now
        inputs = out / "inputs"
        inputs.mkdir(parents=True)
        (inputs / self.settings).write_text(job.text())
        for name, text in job.files.items():
            (inputs / name).write_text(text)
        with (out / "vm.log").open("w") as log:
            try:
                status = run_to_end(self._command(job, out, inputs), log, job.wall_limit_s)
            except subprocess.TimeoutExpired as error:
                raise RunError(f"{job.name}: not done in {error.timeout:.0f} s") from error
        if status:
            print((out / "vm.log").read_text()[-LOG_TAIL:])
            raise RunError(f"{job.name}: failed, logs in {out}")
        refuse_skipped(job.name, out)
        (out / "key").write_text(key)
        kept = self.directory / job.name
        shutil.rmtree(kept, ignore_errors=True)
        out.rename(kept)
        return kept / "results"

    def _command(self, job: Job, out: Path, inputs: Path) -> list[str]:
        words = [str(ROOT / "tests/vm/vm"), "run", "--kernel", job.kernel, "--mem", str(MEMORY_MB), *job.machine,
                 "--timeout", str(job.limit_s), "--out", str(out), "--seed", str(self.seed)]
        helpers = [ROOT / helper for helper in HELPERS]
        for path in (*helpers, *self.shared, *sorted(inputs.iterdir())):
            words += ["--include", f"{path}:/tests/{path.name}"]
        if self.module:
            words += ["--module", str(self.module)]
        return [*words, str(GUEST / job.script)]
