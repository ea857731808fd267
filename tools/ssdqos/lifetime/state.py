# SPDX-License-Identifier: GPL-2.0
"""The state of a drive's life, as the file life_state has it (core/qos/ready_state.c)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ssdqos.errors import ToolError
from ssdqos.life_view import PERMILLE

MAGIC = int.from_bytes(b"DQREADY1", "little")
VERSION = 1
WORD = 8
HEADER_BYTES, HISTORY_BYTES = 4096, 32768
STATE_BYTES = HEADER_BYTES + HISTORY_BYTES
PAGE_BYTES = 4096
HISTORY = 8064
HASH_INIT, HASH_PRIME, HASH_MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
W_MAGIC, W_CHECKSUM, W_VERSION, W_SEQ, W_WALL_S, W_FIELDS = range(6)
# STATE_FIELDS of the kernel, in its order (a test compares).
FIELDS = (
    "endurance_bytes", "cfg.drive_window_s", "life_ns", "host_bytes", "used_bytes", "charge_rest", "waf_permille",
    "recovery.cycles_fp", "recovery.trap_fp", "recovery.vth_fp", "recovery.idle_ns", "recovery.mean_idle_ns",
    "source.known", "source.lost", "source.flash_bytes", "source.host_bytes", "source.own_bytes",
    "source.charged_bytes", "source.waf_flash_bytes", "source.waf_own_bytes", "epoch.windows",
    "epoch.done_windows", "epoch.start_ns", "epoch.length_ns", "epoch.left_bytes", "epoch.capacity_bytes",
    "epoch.spare_bytes", "epoch.used_bytes", "epoch.expected_bytes", "epoch.fair_bytes", "epoch.fair_ns",
    "epoch.period_end_ns", "epoch.period_bytes", "epoch.delay_ns", "epoch.wrong", "delay_ns", "why",
    "window_bytes", "window_host_bytes", "window_burst_bytes", "burst_bytes", "window_end_ns", "nr_history",
    "next_history", "held_permille", "epochs", "good_epochs",
    "cfg.drive_throttle", "cfg.drive_lifetime_h", "cfg.drive_endurance_gb", "cfg.drive_pe_cycles",
    "cfg.drive_spare_permille", "cfg.drive_recovery", "plan.start_ns", "plan.start_bytes", "recovery.long_idle_ns",
)


@dataclass(frozen=True)
class State:
    """`fields` by the kernel's names; `windows` are the pages that hosts wrote in each, the oldest first."""

    seq: int
    wall_s: int
    fields: dict[str, int]
    windows: tuple[int, ...]

    @property
    def window_s(self) -> int:
        return self.fields["cfg.drive_window_s"]

    @property
    def charges(self) -> list[int]:
        """Bytes of the endurance that each window took, in the mean if that is in what flash writes."""
        permille = PERMILLE if self.fields["cfg.drive_endurance_gb"] else self.fields["waf_permille"]
        return [pages * PAGE_BYTES * permille // PERMILLE for pages in self.windows]

    def is_further_than(self, other: State) -> bool:
        """Neither age nor writes go back in a life: the other is an earlier moment, or another life."""
        return any(self.fields[key] > other.fields[key] for key in ("life_ns", "host_bytes"))


def checksum(words: tuple[int, ...]) -> int:
    made = HASH_INIT
    for word in words:
        made = (made ^ word) * HASH_PRIME & HASH_MASK
    return made


def windows_of(history: bytes, fields: dict[str, int]) -> tuple[int, ...]:
    """Empty if the history is broken: it is not needed to go on."""
    words = struct.unpack(f"<{HISTORY_BYTES // WORD}Q", history)
    pages = struct.unpack_from(f"<{HISTORY}I", history, WORD)
    count, end = fields["nr_history"], fields["next_history"]
    if words[0] != checksum(words[1:]) or count > HISTORY or end >= HISTORY:
        return ()
    return tuple(pages[(end - count + number) % HISTORY] for number in range(count))


def parse(raw: bytes, where: str) -> State:
    """`where` it is from, for errors."""
    if len(raw) != STATE_BYTES:
        raise ToolError(f"{where} has {len(raw)} bytes, the state of a lifetime has {STATE_BYTES}")
    words = struct.unpack(f"<{HEADER_BYTES // WORD}Q", raw[:HEADER_BYTES])
    if words[W_MAGIC] != MAGIC or words[W_VERSION] != VERSION:
        raise ToolError(f"{where} is no state of a lifetime, or of another version")
    if words[W_CHECKSUM] != checksum(words[W_VERSION:]):
        raise ToolError(f"{where} is broken: its checksum is wrong")
    fields = dict(zip(FIELDS, words[W_FIELDS:]))
    return State(words[W_SEQ], words[W_WALL_S], fields, windows_of(raw[HEADER_BYTES:], fields))
