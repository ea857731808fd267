# SPDX-License-Identifier: GPL-2.0
"""Prints how many regions a member lacks, as the metadata device says: noted.py DEVICE MEMBER"""

import sys
from pathlib import Path

from ssdqos.mirror import block, metadata
from ssdqos.mirror.block import PAYLOAD_BYTES


def noted(device: Path, member: int) -> int:
    with metadata.opened(device) as found:
        whole, _ = found.newest(block.SUPER, None, 0, 0)
        known = metadata.parse_super(whole)
        return sum(mask >> member & 1 for one, _ in found.maps(whole.uuid, known.maps())
                   for mask in one.payload[:known.regions() - one.index * PAYLOAD_BYTES])


if __name__ == "__main__":
    print(noted(Path(sys.argv[1]), int(sys.argv[2])))
