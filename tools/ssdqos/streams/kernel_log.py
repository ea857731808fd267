# SPDX-License-Identifier: GPL-2.0
"""What the kernel said about a refusal."""

from __future__ import annotations

import os
from pathlib import Path

DEVICE = Path("/dev/kmsg")
RECORD_BYTES = 8192
SUBJECTS = ("ssdqos", "device-mapper")


class KernelLog:
    """From when it was made; empty where the log cannot be read."""

    def __init__(self, device: Path = DEVICE) -> None:
        try:
            self.file = os.open(device, os.O_RDONLY | os.O_NONBLOCK)
            os.lseek(self.file, 0, os.SEEK_END)
        except OSError:
            self.file = -1

    def last(self) -> str:
        """The last sentence since then that is about us."""
        found = ""
        while self.file >= 0:
            try:
                record = os.read(self.file, RECORD_BYTES).decode("utf-8", "replace")
            except BrokenPipeError:  # older records were overwritten: go on
                continue
            except OSError:
                break
            if not record:
                break
            text = record.partition(";")[2].partition("\n")[0]
            if any(subject in text for subject in SUBJECTS):
                found = text
        self.close()
        return found

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1
