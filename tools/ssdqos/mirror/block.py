# SPDX-License-Identifier: GPL-2.0
"""A block of a mirror's metadata device, as core/mirror/disk.c has it (a test compares).

Each lies in two places; a write has the next number and goes to the place of the older
copy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ssdqos.errors import ToolError
from ssdqos.mirror.crc32c import crc32c

BLOCK_BYTES, HEADER_BYTES, SLOTS = 4096, 64, 2
PAYLOAD_BYTES = BLOCK_BYTES - HEADER_BYTES
MAGIC, VERSION = 0x524F5252494D5144, 1
SUPER, REGIONS, IDENTITIES = 1, 2, 6
# Places of the header.
AT = {"MAGIC": 0, "CHECKSUM": 8, "VERSION": 12, "KIND": 16, "UUID": 24, "INDEX": 40, "SEQ": 48}
UUID_BYTES, WORD, LONG = 16, 4, 8


def number(raw: bytes, at: int, size: int = WORD) -> int:
    return int.from_bytes(raw[at:at + size], "little")


@dataclass(frozen=True)
class Block:
    """One that is good."""

    kind: int
    uuid: bytes
    index: int
    seq: int
    payload: bytes

    def raw(self) -> bytes:
        made = bytearray(HEADER_BYTES) + self.payload
        for name, size, value in (("MAGIC", LONG, MAGIC), ("VERSION", WORD, VERSION), ("KIND", WORD, self.kind),
                                  ("INDEX", LONG, self.index), ("SEQ", LONG, self.seq)):
            made[AT[name]:AT[name] + size] = value.to_bytes(size, "little")
        made[AT["UUID"]:AT["UUID"] + UUID_BYTES] = self.uuid
        made[AT["CHECKSUM"]:AT["VERSION"]] = crc32c(bytes(made[AT["VERSION"]:])).to_bytes(WORD, "little")
        return bytes(made)

    def after(self, payload: bytes) -> Block:
        """What is written next in its place."""
        return replace(self, seq=self.seq + 1, payload=payload)


def parse(raw: bytes, kind: int, uuid: bytes | None = None, index: int = 0) -> Block | None:
    """None if it is not that."""
    if number(raw, AT["MAGIC"], LONG) != MAGIC or number(raw, AT["CHECKSUM"]) != crc32c(raw[AT["VERSION"]:]):
        return None
    if number(raw, AT["VERSION"]) != VERSION:
        raise ToolError(f"the metadata are of version {number(raw, AT['VERSION'])}, this tool knows {VERSION} only")
    found = Block(number(raw, AT["KIND"]), raw[AT["UUID"]:AT["UUID"] + UUID_BYTES], number(raw, AT["INDEX"], LONG),
                  number(raw, AT["SEQ"], LONG), raw[HEADER_BYTES:])
    is_it = found.kind == kind and found.index == index and uuid in (None, found.uuid)
    return found if is_it else None


def newest(copies: list[Block | None]) -> tuple[Block, int]:
    """And the slot that the next one goes to."""
    good = [(one.seq, slot) for slot, one in enumerate(copies) if one]
    if not good:
        raise ToolError("the metadata are damaged: neither of two copies of a block is good")
    found = copies[max(good)[1]]
    assert found
    return found, SLOTS - 1 - max(good)[1]
