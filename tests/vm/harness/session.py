# SPDX-License-Identifier: GPL-2.0
"""One run: boot, watch, judge, bring the files back."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from harness import ktap, qemu

POLL_S = 0.05
STOP_GRACE_S = 5
# Wall-clock allowance for booting and for sending the results.
BOOT_LIMIT_S = 120
# A busy second of virtual time takes two to three on the wall, more on a
# machine that does other things as well.
VIRTUAL_SLOWDOWN = 6
# What the guest needs to notice and report a late script by itself.
GUEST_GRACE_S = 30
# What a result is called that says that a run was made once more.
SANE_MACHINE = "a sane machine"


@dataclass
class Outputs:
    """Where a run leaves its files."""

    directory: Path

    def __post_init__(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.console = self.directory / "console.log"
        self.ktap = self.directory / "ktap.log"
        self.qemu = self.directory / "qemu.log"
        self.disk = self.directory / "results.img"
        self.results = self.directory / "results"
        for log in (self.console, self.ktap):
            log.write_bytes(b"")


class Progress:
    """Tells on stderr which test runs; one moving line on a terminal."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.started = time.monotonic()
        self.current = ""
        self.live = sys.stderr.isatty()

    def show(self, current: str) -> None:
        if self.live:
            print(f"\r\033[K{self.title} {self.elapsed_s():6.1f} s  {current}", end="",
                  file=sys.stderr, flush=True)
        elif current != self.current:
            print(f"{self.title} {self.elapsed_s():6.1f} s  {current}", file=sys.stderr, flush=True)
        self.current = current

    def finish(self) -> None:
        if self.live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def elapsed_s(self) -> float:
        return time.monotonic() - self.started


class Watch:
    """Follows the guest's port: which script runs, and since when."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("rb")
        self.pending = b""
        self.script = "booting"
        self.since = time.monotonic()

    def poll(self) -> None:
        self.pending += self.file.read()
        *lines, self.pending = self.pending.split(b"\n")
        for line in lines:
            words = line.decode(errors="replace").split()
            if words[:2] == ["@@", "begin"]:
                self.enter(words[2])
            elif words[:2] == ["@@", "end"]:
                self.enter("between tests")

    def enter(self, script: str) -> None:
        self.script = script
        self.since = time.monotonic()

    def seconds(self) -> float:
        return time.monotonic() - self.since


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def follow(process: subprocess.Popen[bytes], outputs: Outputs, progress: Progress,
           script_limit_s: float) -> None:
    """Waits for the machine to end; ends it when nothing has moved for too long."""
    watch = Watch(outputs.ktap)
    try:
        while process.poll() is None:
            watch.poll()
            progress.show(watch.script)
            limit = max(BOOT_LIMIT_S, script_limit_s)
            if watch.seconds() > limit:
                with outputs.ktap.open("ab") as port:
                    port.write(f"\n@@ late {watch.script}\n".encode())
                break
            time.sleep(POLL_S)
    finally:
        if process.poll() is None:
            stop(process)
        watch.file.close()
        progress.finish()


def unpack_results(outputs: Outputs) -> None:
    """The guest wrote a tar archive to the start of the raw disk."""
    outputs.results.mkdir(exist_ok=True)
    try:
        with tarfile.open(outputs.disk) as archive:
            for member in archive:
                if member.isfile() or member.isdir():
                    archive.extract(member, outputs.results)
    except tarfile.ReadError:
        print("the machine sent no files", file=sys.stderr)
    outputs.disk.unlink()


def run(machine: qemu.Machine, tests: list[str], outputs: Outputs, limit_s: int) -> list[ktap.Result]:
    machine.results = qemu.make_disk(outputs.disk, qemu.RESULTS_DISK_BYTES)
    clock = "virtual" if machine.virtual else f"{machine.cpus} CPU"
    progress = Progress(f"[{machine.kernel.name} {clock}]")
    process = qemu.start(machine, [f"file:{outputs.console}", f"file:{outputs.ktap}"], outputs.qemu)
    wall_limit_s = limit_s * (VIRTUAL_SLOWDOWN if machine.virtual else 1) + GUEST_GRACE_S
    follow(process, outputs, progress, wall_limit_s)
    unpack_results(outputs)
    results, scripts = ktap.judge(tests, outputs.ktap.read_text(errors="replace"),
                                  outputs.console.read_text(errors="replace"))
    report(results, scripts, outputs, progress.elapsed_s())
    return results


def console_fault(console: str) -> str | None:
    """What a console shows that only a wrong emulator does."""
    flags = ktap.impossible_flags(console)
    if flags is not None:
        return f"the emulator lost its processor's flags (EFLAGS: {flags})"
    stale = ktap.stale_breakpoint(console)
    if stale is not None:
        return f"the emulator ran a breakpoint where memory has {stale}"
    return None


def emulator_fault(outputs: Outputs) -> str | None:
    """What went wrong with the emulator in a failed run, if anything did."""
    fault = console_fault(outputs.console.read_text(errors="replace"))
    if fault is None and ktap.late_booting(outputs.ktap.read_text(errors="replace")):
        return "it did not get to the first script in time"
    return fault


def run_on_sane_machine(once: Callable[[], list[ktap.Result]], outputs: Outputs) -> list[ktap.Result]:
    """A failed run whose emulator was at fault says nothing, and is made once more."""
    results = once()
    fault = emulator_fault(outputs)
    if fault is None or not count(results)[1]:
        return results
    lost = ktap.Result("boot", SANE_MACHINE, ktap.SKIP, f"{fault}; all of it is run once more")
    print(lost.line(len(results) + 1))
    shutil.copy(outputs.console, outputs.directory / "console.lost.log")
    return [*once(), lost]


def report(results: list[ktap.Result], scripts: list[ktap.Script], outputs: Outputs,
           wall_s: float) -> None:
    print("KTAP version 1")
    print(f"1..{len(results)}")
    for number, result in enumerate(results, start=1):
        print(result.line(number))
        if result.outcome == ktap.FAIL:
            print("".join(f"# {line}\n" for line in result.detail.splitlines()), end="")
            print_failing_output(result, scripts)
    for script in scripts:
        print(f"# {script.name}: {script.duration_s():.2f} s in the guest")
    print(f"# {wall_s:.1f} s, logs in {outputs.directory}")


def print_failing_output(result: ktap.Result, scripts: list[ktap.Script]) -> None:
    """What a failing script printed just before and after the failing line."""
    for script in scripts:
        if script.name != result.script:
            continue
        for number, line in enumerate(script.lines):
            if line.lstrip().startswith("not ok") and line.rstrip().endswith(result.name):
                near = script.lines[max(0, number - ktap.LOG_TAIL_LINES):number]
                near = [text for text in near if text.startswith("#")]
                print("".join(f"{text}\n" for text in near), end="")


def count(results: list[ktap.Result]) -> tuple[int, int, int]:
    outcomes = [result.outcome for result in results]
    return outcomes.count(ktap.PASS), outcomes.count(ktap.FAIL), outcomes.count(ktap.SKIP)


def write_json(path: Path, results: list[ktap.Result]) -> None:
    passed, failed, skipped = count(results)
    summary = {"passed": passed, "failed": failed, "skipped": skipped,
               "results": [asdict(result) for result in results]}
    path.write_text(json.dumps(summary, indent=1) + "\n")
