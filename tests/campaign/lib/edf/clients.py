# SPDX-License-Identifier: GPL-2.0
"""The clients of the paper's experiments, and the drives they share."""

from __future__ import annotations

import dataclasses

KIB = 1024
FIO_LOADS = {("read", "seq"): "read", ("read", "rand"): "randread",
             ("write", "seq"): "write", ("write", "rand"): "randwrite"}
DEPTH = 31


@dataclasses.dataclass(frozen=True)
class Drive:
    """An emulated drive: preset, size, state at the start."""

    title: str
    preset: str
    megabytes: int
    arguments: str = ""

    def settings(self) -> dict[str, object]:
        return {"DRIVE_PRESET": self.preset, "DRIVE_MB": self.megabytes,
                "DRIVE_ARGUMENTS": self.arguments}


@dataclasses.dataclass(frozen=True)
class Client:
    """What a client asks for, and what it is promised (before scaling)."""

    name: str
    op: str
    pattern: str
    kib: int
    iops: int
    # Sequential clients begin at different places of the drive.
    offset_pct: int = 0
    depth: int = DEPTH

    def line(self) -> str:
        """As the guest reads it."""
        return (f"{self.name} {FIO_LOADS[self.op, self.pattern]} {self.op} {self.pattern} "
                f"{self.kib * KIB} {self.iops} {self.offset_pct} {self.depth}")

    def title(self) -> str:
        kinds = {"seq": "sequential", "rand": "random"}
        return f"{self.kib} KiB {kinds[self.pattern]} {self.op}"


def lines(clients: tuple[Client, ...]) -> str:
    return "".join(client.line() + "\n" for client in clients)


DRIVE_A = Drive("A (X25-E like)", "x25e-like", 62_000, "aged_pct 100")
DRIVE_B = Drive("B (Intel 510 like)", "intel510-like", 238_000, "aged_pct 100")

# Section 4.3, Figures 8 and 10: large requests, drive B.
LARGE = (
    Client("seqread", "read", "seq", 256, 275),
    Client("randread", "read", "rand", 256, 250),
    Client("seqwrite", "write", "seq", 256, 50, offset_pct=50),
    Client("randwrite", "write", "rand", 256, 50),
)
# Figure 11: drive A with small sequential writes.  The text gives neither the
# clients nor their targets: these are ours.
SMALL_WRITES = (
    Client("seqread", "read", "seq", 64, 1000),
    Client("randread", "read", "rand", 64, 800),
    Client("seqwrite", "write", "seq", 4, 3000, offset_pct=50),
    Client("randwrite", "write", "rand", 64, 100),
)
# Figure 12: drive B, as Figure 13 with its cost of 400 us is.
MIXED_SIZES = (
    Client("seqread", "read", "seq", 64, 1500),
    Client("randread", "read", "rand", 16, 1000),
    Client("seqwrite", "write", "seq", 256, 50, offset_pct=50),
    Client("randwrite", "write", "rand", 4, 500),
)
