# SPDX-License-Identifier: GPL-2.0
"""What the kernel said about a refusal."""

from __future__ import annotations

import os
import re
from pathlib import Path

DEVICE = Path("/dev/kmsg")
RECORD_BYTES = 8192
# The target's own sentence; then the table's reason for it; then whatever device mapper says.
KINDS = (re.compile(r"device-mapper: ssdqos(?:-flash|-ianus)?: (.+)"),
         re.compile(r"device-mapper: table: .*?: ssdqos(?:-flash|-ianus)?: (.+)"),
         re.compile(r"(.*(?:ssdqos|device-mapper).*)"))


def best(texts: list[str]) -> str:
    """The last of the kind that says most; empty if none is about us."""
    for kind in KINDS:
        for text in reversed(texts):
            if match := kind.search(text):
                return match[1]
    return ""


class KernelLog:
    """From when it was made; empty where the log cannot be read."""

    def __init__(self, device: Path = DEVICE) -> None:
        try:
            self.file = os.open(device, os.O_RDONLY | os.O_NONBLOCK)
            os.lseek(self.file, 0, os.SEEK_END)
        except OSError:
            self.file = -1

    def records(self) -> list[str]:
        """The texts of all that came since then."""
        found: list[str] = []
        while self.file >= 0:
            try:
                record = os.read(self.file, RECORD_BYTES).decode("utf-8", "replace")
            except BrokenPipeError:  # older records were overwritten: go on
                continue
            except OSError:
                break
            if not record:
                break
            found.append(record.partition(";")[2].partition("\n")[0])
        return found

    def last(self) -> str:
        """The sentence since then that says why we were refused."""
        texts = self.records()
        self.close()
        return best(texts)

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1
