# SPDX-License-Identifier: GPL-2.0
"""What was checked, in KTAP."""

from __future__ import annotations

import re
import time

from machine import LIMIT_S, Answer, Machine

DETAIL_LINES = 30
EXIT_FAILED = 1


class Report:
    """Prints a line for each check when it is known, and counts."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.passed = self.failed = self.skipped = 0
        self.started = time.monotonic()
        print("KTAP version 1", flush=True)

    def note(self, text: str) -> None:
        print(f"# {time.monotonic() - self.started:5.0f} s  {text}", flush=True)

    def result(self, name: str, good: bool, detail: str = "") -> bool:
        self.passed += good
        self.failed += not good
        self.line(name, good)
        if not good:
            lines = detail.splitlines()[-DETAIL_LINES:]
            print("".join(f"# {line}\n" for line in lines), end="", flush=True)
        return good

    def line(self, name: str, good: bool = True) -> None:
        print(f"{'ok' if good else 'not ok'} {self.passed + self.failed + self.skipped} - {name}", flush=True)

    def skip(self, name: str, why: str) -> None:
        self.skipped += 1
        self.line(f"{name} # SKIP {why}")

    def command(self, name: str, command: str, says: str = "", status: int = 0,
                limit_s: int = LIMIT_S) -> Answer:
        """It has to end like this, and what it prints to match `says` somewhere."""
        answer = self.machine.run(command, limit_s)
        good = answer.status == status and re.search(says, answer.output, re.M) is not None
        self.result(name, good, f"{command}\nstatus {answer.status}, not {status}, or no /{says}/ in\n{answer.output}"
                    if not good else "")
        return answer

    def silent(self, name: str, command: str) -> Answer:
        """It prints nothing: a list of what should not be there."""
        answer = self.machine.run(command)
        self.result(name, not answer.output.strip(), f"{command}\n{answer.output}")
        return answer

    def not_below(self, name: str, least: int, value: int) -> None:
        self.result(f"{name}: {least}, then {value}", value >= least)

    def finish(self) -> int:
        self.note("done")
        print(f"1..{self.passed + self.failed + self.skipped}")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return EXIT_FAILED if self.failed else 0
