# SPDX-License-Identifier: GPL-2.0
"""A cable between two emulated machines: it carries Ethernet frames, and can be cut, slowed and mended.

Each machine sends its frames to a socket of ours, one datagram each; who sends is blocked while nobody takes them,
as by a real cable.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from collections import deque
from pathlib import Path

BOTH, TO_FAR, TO_NEAR = "both", "to", "from"
CUTS = (BOTH, TO_FAR, TO_NEAR)
LARGEST_FRAME = 1 << 16
# What a switch keeps of frames that come faster than they go; more is lost.
LARGEST_QUEUE = 512
# Nobody takes a frame of a machine that stands still.
SEND_LIMIT_S = 0.2
IDLE_S = 0.2


class Way:
    """One direction."""

    def __init__(self, listens: Path, sends_to: Path) -> None:
        self.listens, self.sends_to = str(listens), str(sends_to)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.listens)
        self.socket.settimeout(SEND_LIMIT_S)
        self.open, self.delay_s, self.ends = True, 0.0, False
        self.carried = self.lost = 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        waiting: deque[tuple[float, bytes]] = deque()
        while not self.ends:
            left_s = max(0.0, waiting[0][0] - time.monotonic()) if waiting else IDLE_S
            if select.select([self.socket], [], [], left_s)[0]:
                self.take(waiting)
            while waiting and waiting[0][0] <= time.monotonic():
                self.carry(waiting.popleft()[1])

    def take(self, waiting: deque[tuple[float, bytes]]) -> None:
        frame = self.socket.recv(LARGEST_FRAME)
        if self.open and len(waiting) < LARGEST_QUEUE:
            waiting.append((time.monotonic() + self.delay_s, frame))
        else:
            self.lost += 1

    def carry(self, frame: bytes) -> None:
        """A machine that is not there takes nothing."""
        if self.open:
            with contextlib.suppress(OSError):
                self.socket.sendto(frame, self.sends_to)
                self.carried += 1

    def end(self) -> None:
        self.ends = True
        self.thread.join()
        self.socket.close()


class Link:
    """Both directions, between sockets in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.ways = {TO_FAR: Way(self.port("near"), self.socket("far")),
                     TO_NEAR: Way(self.port("far"), self.socket("near"))}

    def socket(self, machine: str) -> Path:
        """Where a machine gets frames."""
        return self.directory / f"{machine}.in"

    def port(self, machine: str) -> Path:
        """Where it sends them."""
        return self.directory / f"{machine}.out"

    def cut(self, which: str) -> None:
        """In both directions, or frames of one get lost."""
        for name, way in self.ways.items():
            way.open = which not in (BOTH, name)

    def mend(self) -> None:
        for way in self.ways.values():
            way.open = True

    def slow(self, delay_ms: float) -> None:
        """Each frame takes so long, in each direction."""
        for way in self.ways.values():
            way.delay_s = delay_ms / 1000

    def end(self) -> None:
        for way in self.ways.values():
            way.end()
