# SPDX-License-Identifier: GPL-2.0
"""What lies where in a saved state of the emulated drive: the layout of core/flash/life/life.h."""

from __future__ import annotations

import array
import collections
import struct
from pathlib import Path

HEADER = struct.Struct("<3Q16I")
HEADER_BYTES, CHIP_BYTES, BLOCK_BYTES, PLANE_BYTES, STATE_OFFSET = 216, 48, 24, 48, 20
FREE, CLOSED, TENTHS = 0, 2, 10
IN_BUFFER = 1 << 31

Counts = dict[str, int]


def look(path: Path) -> dict[str, Counts]:
    """Planes by their free blocks, and closed blocks by the tenth of valid units that they have."""
    data = path.read_bytes()
    _, _, _, _, _, _, nr_blocks, nr_planes, shift, _, _, _, nr_all, nr_chips, *_ = HEADER.unpack_from(data)
    at = HEADER_BYTES + nr_chips * CHIP_BYTES
    states = [struct.unpack_from("<I", data, at + i * BLOCK_BYTES + STATE_OFFSET)[0] for i in range(nr_blocks)]
    at += nr_blocks * BLOCK_BYTES + nr_planes * PLANE_BYTES + 4 * nr_blocks
    valid = collections.Counter(psn >> shift for psn in array.array("I", data[at:at + 4 * nr_all])
                                if psn < IN_BUFFER)
    per_plane = nr_blocks // nr_planes
    free = collections.Counter(states[p * per_plane:(p + 1) * per_plane].count(FREE) for p in range(nr_planes))
    tenths = collections.Counter(min(valid[b] * TENTHS >> shift, TENTHS - 1)
                                 for b in range(nr_blocks) if states[b] == CLOSED)
    return {"free": {str(key): free[key] for key in sorted(free)},
            "tenths": {str(key): tenths[key] for key in sorted(tenths)}}


def add(looks: list[dict[str, Counts]], what: str) -> dict[int, float]:
    """Per cent of all that was seen."""
    total: collections.Counter = collections.Counter()
    for one in looks:
        total.update({int(key): number for key, number in one[what].items()})
    return {key: 100 * total[key] / sum(total.values()) for key in sorted(total)}
