# SPDX-License-Identifier: GPL-2.0
"""What can happen to bytes and to words."""

from __future__ import annotations

import gzip
from random import Random

# Numbers at whose borders code goes wrong.
NUMBERS = (0, 1, 2, 3, 7, 255, 256, 511, 4095, 4096, 65535, (1 << 20) + 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
           1 << 32, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 10**30)
ODD_WORDS = ("", "-1", "+5", "0x10", "1e9", "1.5", "1.", ".5", "nan", "inf", "%s%n", "\u00fc", "'", '"', "=", "==", ",",
             "/", "#", "on", "off", "none", "4k", "4kk", "100%", "101%", "geometric:", "zipf:0", "hot:0/0", "a" * 600)
LONG_BYTES = 70_000
MOST_DAMAGE = 6


def number(random: Random) -> str:
    return str(random.choice(NUMBERS) + random.choice((0, 0, 0, 1, -1)))


def word(random: Random) -> str:
    return number(random) if random.random() < 0.5 else random.choice(ODD_WORDS)


def flip(random: Random, data: bytearray) -> None:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def overwrite(random: Random, data: bytearray) -> None:
    data[random.randrange(len(data))] = random.choice(b"\0\n\r\t ,=#'\"-0129:/\x7f\xff")


def cut(random: Random, data: bytearray) -> None:
    del data[random.randrange(len(data)):]


def remove(random: Random, data: bytearray) -> None:
    at = random.randrange(len(data))
    del data[at:at + random.randrange(1, 20)]


def repeat(random: Random, data: bytearray) -> None:
    at = random.randrange(len(data))
    piece = data[at:at + random.randrange(1, 40)]
    data[at:at] = piece * random.choice((1, 2, 30))


def lengthen(random: Random, data: bytearray) -> None:
    at = random.randrange(len(data))
    data[at:at] = bytes([data[at]]) * random.choice((300, 5_000, LONG_BYTES))


def put_number(random: Random, data: bytearray) -> None:
    at = random.randrange(len(data))
    data[at:at + random.randrange(3)] = number(random).encode()


WAYS = (flip, overwrite, cut, remove, repeat, lengthen, put_number, put_number)


def damaged(random: Random, data: bytes) -> bytes:
    """A little of it is wrong, or nothing."""
    changed = bytearray(data)
    for _ in range(random.randrange(MOST_DAMAGE)):
        if changed:
            random.choice(WAYS)(random, changed)
    return bytes(changed)


def compressed(random: Random, data: bytes) -> bytes:
    """Now and then gzip, some of it damaged."""
    if random.random() < 0.8:
        return data
    packed = gzip.compress(data, mtime=0)
    return damaged(random, packed) if random.random() < 0.5 else packed
