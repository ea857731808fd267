# SPDX-License-Identifier: GPL-2.0
"""The state of a drive's life, as the file life_state has it (core/ready/state.c)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ssdqos.errors import ToolError
from ssdqos.life_view import PERMILLE

MAGIC = int.from_bytes(b"DQREADY1", "little")
VERSION = 2
WORD = 8
HEADER_BYTES, HISTORY_BYTES = 4096, 32768
STATE_BYTES = HEADER_BYTES + HISTORY_BYTES
PAGE_BYTES = 4096
HISTORY = 8064
(W_MAGIC, W_CHECKSUM, W_VERSION, W_SEQ, W_WALL_S, W_NR_FIELDS, W_UNIQUE, W_UNIQUE_REST, W_PLACE, W_HISTORY_SEQ,
 W_HISTORY_CHECKSUM, W_FIELDS) = range(12)
H_CHECKSUM, H_RING, H_NR, H_NEXT, H_SEQ = 0, 1, -3, -2, -1
# What version 1 had.
VERSION_1, NR_FIELDS_1, W_FIELDS_1 = 1, 56, 5
HASH_INIT, HASH_PRIME, HASH_MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
CRC_MASK, CRC_POLYNOMIAL = (1 << 32) - 1, 0x82F63B78
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
    "cfg.drive_spare_permille", "cfg.drive_recovery", "plan.start_ns", "plan.start_bytes",
    "plan.since_ns", "clock.birth_s", "clock.powered_ns", "clock.away_ns",
    "plan.seen_ns", "plan.seen_pages", "plan.seen_delay_ns", "clock.passed_ns",
)


class Broken(ToolError):
    """Nothing can be had of it, by nobody: as after a disk's error."""


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
        """What was written and watched only grows in a life: the other is an earlier moment, or another life.

        The age does not: time without power may be found to have been less.  Version 1 knew nothing else.
        """
        known = all(state.fields["clock.birth_s"] for state in (self, other))
        return any(self.fields[key] > other.fields[key]
                   for key in ("clock.powered_ns" if known else "life_ns", "host_bytes"))


def remainder(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ CRC_POLYNOMIAL * (value & 1)
    return value


REMAINDERS = tuple(remainder(value) for value in range(256))


def checksum(data: bytes) -> int:
    """CRC32C."""
    made = CRC_MASK
    for byte in data:
        made = made >> 8 ^ REMAINDERS[(made ^ byte) & 255]
    return made ^ CRC_MASK


def checksum_1(data: bytes) -> int:
    """As version 1 had it: FNV-1a by words."""
    made = HASH_INIT
    for word in struct.unpack(f"<{len(data) // WORD}Q", data):
        made = (made ^ word) * HASH_PRIME & HASH_MASK
    return made


def ring(history: bytes, count: int, end: int) -> tuple[int, ...]:
    pages = struct.unpack_from(f"<{HISTORY}I", history, H_RING * WORD)
    if count > HISTORY or end >= HISTORY:
        return ()
    return tuple(pages[(end - count + number) % HISTORY] for number in range(count))


def windows_of(history: bytes, header: tuple[int, ...]) -> tuple[int, ...]:
    """Empty if the history is broken, or another one: it is not needed to go on."""
    words = struct.unpack(f"<{HISTORY_BYTES // WORD}Q", history)
    if (words[H_CHECKSUM], words[H_SEQ]) != (header[W_HISTORY_CHECKSUM], header[W_HISTORY_SEQ]) \
            or words[H_CHECKSUM] != checksum(history[WORD:]):
        return ()
    return ring(history, words[H_NR], words[H_NEXT])


def windows_of_1(history: bytes, fields: dict[str, int]) -> tuple[int, ...]:
    words = struct.unpack_from("<1Q", history)
    if words[H_CHECKSUM] != checksum_1(history[WORD:]):
        return ()
    return ring(history, fields["nr_history"], fields["next_history"])


def parse_1(raw: bytes, words: tuple[int, ...], where: str) -> State:
    if words[W_CHECKSUM] != checksum_1(raw[W_VERSION * WORD:HEADER_BYTES]):
        raise Broken(f"{where} is broken: its checksum is wrong")
    fields = dict.fromkeys(FIELDS, 0) | dict(zip(FIELDS[:NR_FIELDS_1], words[W_FIELDS_1:]))
    return State(words[W_SEQ], words[W_WALL_S], fields, windows_of_1(raw[HEADER_BYTES:], fields))


def parse(raw: bytes, where: str) -> State:
    """`where` it is from, for errors."""
    if len(raw) != STATE_BYTES:
        raise Broken(f"{where} has {len(raw)} bytes, the state of a lifetime has {STATE_BYTES}")
    words = struct.unpack(f"<{HEADER_BYTES // WORD}Q", raw[:HEADER_BYTES])
    if words[W_MAGIC] != MAGIC:
        raise Broken(f"{where} is no state of a lifetime")
    if words[W_VERSION] not in (VERSION_1, VERSION):
        raise ToolError(f"{where} is of another version")
    if words[W_VERSION] == VERSION_1:
        return parse_1(raw, words, where)
    if words[W_CHECKSUM] != checksum(raw[W_VERSION * WORD:HEADER_BYTES]):
        raise Broken(f"{where} is broken: its checksum is wrong")
    count = words[W_NR_FIELDS]
    if not NR_FIELDS_1 <= count <= len(FIELDS):
        raise ToolError(f"{where} is of a later version: it has {count} numbers, {len(FIELDS)} are known")
    fields = dict.fromkeys(FIELDS, 0) | dict(zip(FIELDS, words[W_FIELDS:W_FIELDS + count]))
    return State(words[W_SEQ], words[W_WALL_S], fields, windows_of(raw[HEADER_BYTES:], words))
