# SPDX-License-Identifier: GPL-2.0
"""The only place that calls dmsetup."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from ssdqos.errors import ToolError
from ssdqos.streams import hints
from ssdqos.streams.kernel_log import KernelLog

TARGET = "ssdqos"
UUID_PREFIX = "SSDQOS-"
NO_DEVICES = "No devices found"


class Dmsetup:
    """Raises ToolError with the kernel's reason, where it gave one."""

    def run(self, *words: str, text: str | None = None) -> str:
        log = KernelLog()
        try:
            done = subprocess.run(["dmsetup", *words], input=text, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise ToolError("dmsetup is not installed (package dmsetup)") from error
        if done.returncode:
            raise ToolError(hints.reason(log.last(), done.stderr))
        log.close()
        return done.stdout

    def names(self, target: str = TARGET) -> list[str]:
        """Of all devices with a stream, or of another target."""
        return list(self.numbers(target).values())

    def numbers(self, target: str = TARGET) -> dict[str, str]:
        """Names by number, 253:0."""
        text = self.run("ls", "--target", target)
        if text.startswith(NO_DEVICES):
            return {}
        pairs = (line.split("\t") for line in text.splitlines() if line.strip())
        return {number.strip().strip("()"): name.strip() for name, number in pairs}

    def exists(self, name: str) -> bool:
        try:
            self.run("info", name)
        except ToolError:
            return False
        return True

    def is_ours(self, name: str) -> bool:
        """Whatever its table is now."""
        return self.run("info", "-c", "--noheadings", "-o", "uuid", name).strip() == UUID_PREFIX + name

    def table(self, name: str) -> list[str]:
        return self.run("table", name).splitlines()

    def all_tables(self) -> dict[str, list[str]]:
        """Of all devices with a stream, by name; one that goes while we look is none."""
        found = {}
        for name in sorted(self.names()):
            try:
                found[name] = self.table(name)
            except ToolError:
                if self.exists(name):
                    raise
        return found

    def status(self, name: str) -> list[str]:
        return self.run("status", name).splitlines()

    def create(self, name: str, lines: list[str], prefix: str = UUID_PREFIX) -> None:
        self.run("create", name, "--uuid", prefix + name, text="\n".join(lines) + "\n")

    def replace(self, name: str, lines: list[str], between: Callable[[], None] | None = None,
                before: list[str] | None = None) -> None:
        """The device's table, while it is in use; what is refused changes nothing.

        `between` is called while nothing is under way; if it raises ToolError, the old table goes on.  So it does with
        `before`, its lines, if the new table cannot begin.
        """
        self.run("reload", name, text="\n".join(lines) + "\n")
        try:
            # A file system above a disk that has gone could not be frozen.
            self.run("suspend", "--nolockfs", name)
        except ToolError:
            self.run("clear", name)
            raise
        try:
            if between:
                between()
        except ToolError:
            self.run("clear", name)
            self.run("resume", name)
            raise
        try:
            self.run("resume", name)
        except ToolError as error:
            if before:
                self.go_back(name, before, error)
            raise

    def go_back(self, name: str, lines: list[str], why: ToolError) -> None:
        """From a table that could not begin: the kernel has forgotten the one before."""
        try:
            self.run("reload", name, text="\n".join(lines) + "\n")
            self.run("resume", name)
        except ToolError as error:
            raise ToolError(f"{why}; and its old table cannot begin either ({error}): {name} is suspended, "
                            "until a table is loaded that can") from error

    def remove(self, name: str) -> None:
        self.run("remove", name)

    def message(self, name: str, sector: int, *words: str) -> str:
        return self.run("message", name, str(sector), *words)
