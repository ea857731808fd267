# SPDX-License-Identifier: GPL-2.0
"""Files as sources have them, in an archive that is unpacked several times."""

from __future__ import annotations

import io
import random
import tarfile
from pathlib import Path

# Of the kernel's sources: half of the files have less than 5 KiB, a directory has 15.  The few that are large are cut
# off, so that 100,000 files fit into the machine's memory.
MEDIAN_BYTES, SPREAD, MOST_BYTES = 5 << 10, 1.2, 32 << 10
FILES_OF_DIRECTORY = 15


def sizes(files: int, seed: int) -> list[int]:
    chance = random.Random(seed)
    return [min(round(MEDIAN_BYTES * chance.lognormvariate(0, SPREAD)), MOST_BYTES) for _ in range(files)]


def write(path: Path, files: int, seed: int) -> None:
    """The same archive for the same numbers."""
    contents = random.Random(seed)
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for number, size in enumerate(sizes(files, seed)):
            member = tarfile.TarInfo(f"{number // FILES_OF_DIRECTORY}/{number}.c")
            member.size = size
            archive.addfile(member, io.BytesIO(contents.randbytes(size)))
