# SPDX-License-Identifier: GPL-2.0
"""Checksum by the polynomial of Castagnoli, which Python's library does not have."""

from __future__ import annotations

POLYNOMIAL = 0x82F63B78  # bits in reverse order
MASK = 0xFFFFFFFF
BYTE_BITS = 8


def remainder(byte: int) -> int:
    for _ in range(BYTE_BITS):
        byte = byte >> 1 ^ (POLYNOMIAL if byte & 1 else 0)
    return byte


TABLE = tuple(remainder(byte) for byte in range(1 << BYTE_BITS))


def crc32c(data: bytes) -> int:
    crc = MASK
    for byte in data:
        crc = crc >> BYTE_BITS ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ MASK
