#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lets a new machine's initrd make the volume group on its disk.

This machine may have no LVM and no device-mapper.

  make_volume.py KERNEL INITRD DISK EXTENTS LOG
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "vm"))
# pylint: disable=wrong-import-position
from harness import qemu
from harness.cpio import Archive

INIT = Path(__file__).resolve().parent / "guest" / "make-volume"
DONE = "make-volume: done"
LIMIT_S = 300
MEMORY_MB = 512


def write_initrd(path: Path, initrd: Path) -> None:
    archive = Archive()
    archive.add_file(INIT.name, INIT)
    with path.open("wb") as out:
        out.write(initrd.read_bytes())
        archive.write(out)


def command(kernel: str, initrd: Path, disk: str, extents: str, log: str) -> list[str]:
    return [qemu.QEMU, "-M", "q35", "-cpu", "max,la57=off", "-m", str(MEMORY_MB), "-nodefaults",
            "-no-reboot", "-display", "none", "-serial", f"file:{log}",
            *qemu.drive("root", Path(disk), "virtio-blk-pci"),
            "-kernel", kernel, "-initrd", str(initrd),
            "-append", " ".join([*qemu.KERNEL_ARGS, f"rdinit=/{INIT.name}", f"extents={extents}"])]


def main() -> int:
    kernel, initrd, disk, extents, log = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ssdqos-boot.") as scratch:
        ours = Path(scratch) / "initrd"
        write_initrd(ours, Path(initrd))
        subprocess.run(command(kernel, ours, disk, extents, log), timeout=LIMIT_S, check=True)
    told = Path(log).read_text(errors="replace")
    if DONE not in told:
        print(told, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
