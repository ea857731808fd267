#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Appends pieces to a zone of an NVMe namespace, one after the other.

  zone-append.py DEVICE ZONE_SECTOR PIECE_BYTES FILE

The namespace is the first one.  Prints the sector of the first piece; fails if
another one is not just behind the one before.
"""

import array
import fcntl
import struct
import sys

NVME_IOCTL_IO_CMD = 0xC0484E43
# struct nvme_passthru_cmd
COMMAND = struct.Struct("=BBHIIIQQIIIIIIIIII")
ZONE_APPEND = 0x7D
NAMESPACE = 1
SECTOR_BYTES = 512


def append(device: int, zone: int, data: bytes) -> int:
    """Returns the sector where the data are now."""
    address, _ = (buffer := array.array("B", data)).buffer_info()
    command = bytearray(COMMAND.pack(ZONE_APPEND, 0, 0, NAMESPACE, 0, 0, 0, address, 0, len(buffer),
                                     zone, 0, len(data) // SECTOR_BYTES - 1, 0, 0, 0, 0, 0))
    status = fcntl.ioctl(device, NVME_IOCTL_IO_CMD, command)
    if status:
        raise SystemExit(f"the drive answers {status:#x}")
    return COMMAND.unpack(command)[-1]


def main() -> None:
    device, zone, piece_bytes, source = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    expected = None
    with open(device, "rb") as drive, open(source, "rb") as data:
        while piece := data.read(piece_bytes):
            sector = append(drive.fileno(), zone, piece)
            if expected is None:
                print(sector)
            elif sector != expected:
                raise SystemExit(f"at {sector}, not {expected}")
            expected = sector + len(piece) // SECTOR_BYTES


if __name__ == "__main__":
    main()
