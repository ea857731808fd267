# SPDX-License-Identifier: GPL-2.0
"""Saved states with something wrong in them, and a checksum that says it is right.

The format is that of dm-ssdqos/core/flash/life/life.h: words of 64 bits, of which the second is the
length in bytes and the third the checksum of all behind it.
"""

from __future__ import annotations

import struct
from random import Random

from lib.fuzz import damage

WORD = 8
LENGTH_AT, CHECKSUM_AT, SUMMED_FROM = 8, 16, 24
HEADER_BYTES = 320
HASH_START, HASH_PRIME = 0xCBF29CE484222325, 0x100000001B3
MOST_CHANGES = 8
U32_MAX = (1 << 32) - 1


def checksum(data: bytes) -> int:
    found = HASH_START
    for (value,) in struct.iter_unpack("<Q", data[SUMMED_FROM:len(data) // WORD * WORD]):
        found = (found ^ value) * HASH_PRIME & (1 << 64) - 1
    return found


def put_u32(random: Random, data: bytearray, end: int) -> None:
    at = random.randrange(SUMMED_FROM, end - 4) // 4 * 4
    old, = struct.unpack_from("<I", data, at)
    value = random.choice((random.choice(damage.NUMBERS) & U32_MAX, old + 1 & U32_MAX, old - 1 & U32_MAX,
                           old ^ 1 << random.randrange(32)))
    struct.pack_into("<I", data, at, value)


def swap_u32(random: Random, data: bytearray) -> None:
    one, other = (random.randrange(SUMMED_FROM, len(data) - 4) // 4 * 4 for _ in range(2))
    data[one:one + 4], data[other:other + 4] = data[other:other + 4], data[one:one + 4]


def changed(random: Random, state: bytes) -> bytes:
    data = bytearray(state)
    for _ in range(random.randrange(1, MOST_CHANGES)):
        if random.random() < 0.2:
            swap_u32(random, data)
        else:
            put_u32(random, data, random.choice((HEADER_BYTES, len(data))))
    if random.random() < 0.1:
        del data[random.randrange(WORD, len(data)) // WORD * WORD:]
    if len(data) < HEADER_BYTES:
        return bytes(data)
    if random.random() < 0.8:
        struct.pack_into("<Q", data, LENGTH_AT, len(data))
    if random.random() < 0.95:
        struct.pack_into("<Q", data, CHECKSUM_AT, checksum(data))
    return bytes(data)
