# SPDX-License-Identifier: GPL-2.0
"""Starts QEMU on an initramfs, in real or in virtual time."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from harness.kernel import HarnessError, Kernel

QEMU = "qemu-system-x86_64"
NVME, VIRTIO_BLK = "nvme", "virtio-blk-pci"
MIB = 1 << 20
# Room for everything that tests put into /results.
RESULTS_DISK_BYTES = 256 * MIB
# A fixed date: files made in the guest carry it, and it is part of what makes
# two runs in virtual time equal.
GUEST_DATE = "2026-01-01T00:00:00"
# Few large frames: each costs an emulated machine as much as a small one.
NETWORK_MTU = 9000
SIZE_UNITS = {"K": 1 << 10, "M": MIB, "G": 1 << 30}

KERNEL_ARGS = ("console=ttyS0,115200", "loglevel=7", "panic=-1", "oops=panic", "mitigations=off",
               "random.trust_cpu=on", "tsc=reliable", "no_timer_check",
               # What lies at the same address each time is translated once, not once more for each process.
               "norandmaps")
# An emulated "rep movsb" is a step for each byte, for the emulator and for a clock that counts instructions; without
# erms and fsrm kernel and libc move words.  smap ends a block of translated code twice for each copy from or to a user.
EMULATED_CPU = "max,la57=off,erms=off,fsrm=off,smap=off"
# Saves the debug kernel two seconds of finding out how fast it may spin.
DEBUG_KERNEL_ARGS = ("lpj=2300000",)


@dataclass
class Network:
    """A network card; its frames go to one socket, and come by another, a datagram each."""

    sends_to: Path
    listens: Path
    address: str

    def arguments(self) -> list[str]:
        # QEMU makes its own anew
        self.listens.unlink(missing_ok=True)
        return ["-netdev", f"dgram,id=net,local.type=unix,local.path={self.listens},remote.type=unix,"
                           f"remote.path={self.sends_to}",
                "-device", f"virtio-net-pci,netdev=net,mac={self.address},host_mtu={NETWORK_MTU}"]


@dataclass
class Machine:
    """One virtual machine; `virtual` means one CPU whose clock counts instructions.

    Two virtual runs with equal input are equal bit by bit, as long as no test
    touches a disk of the host's (--disk): that one answers in real time.
    """

    kernel: Kernel
    initrd: Path
    memory_mb: int
    cpus: int = 1
    virtual: bool = False
    seed: int = 1
    append: list[str] = field(default_factory=list)
    results: Path | None = None
    disks: list[Path] = field(default_factory=list)
    disk_device: str = NVME
    network: Network | None = None

    def accelerator(self) -> list[str]:
        if self.virtual:
            return ["-accel", "tcg", "-icount", "shift=0,sleep=off", "-cpu", EMULATED_CPU]
        if kvm_works():
            return ["-accel", "kvm", "-cpu", "host"]
        return ["-accel", "tcg,thread=multi", "-cpu", EMULATED_CPU]

    def kernel_args(self) -> tuple[str, ...]:
        return KERNEL_ARGS + (DEBUG_KERNEL_ARGS if self.kernel.name == "debug" else ())

    def command(self, serial: list[str]) -> list[str]:
        args = [QEMU, "-M", "q35", "-nodefaults", "-no-reboot", "-display", "none",
                *self.accelerator(), "-m", str(self.memory_mb), "-smp", str(self.cpus),
                "-seed", str(self.seed), "-rtc", f"clock=vm,base={GUEST_DATE}",
                "-kernel", str(self.kernel.image), "-initrd", str(self.initrd),
                "-append", " ".join([*self.kernel_args(), *self.append])]
        if self.results:
            args += drive("results", self.results, VIRTIO_BLK)
        for number, disk in enumerate(self.disks):
            args += drive(f"disk{number}", disk, self.disk_device)
        if self.network:
            args += self.network.arguments()
        for backend in serial:
            args += ["-serial", backend]
        return args


def drive(name: str, path: Path, device: str) -> list[str]:
    return ["-drive", f"file={path},if=none,format=raw,cache=unsafe,discard=unmap,id={name}",
            "-device", f"{device},drive={name},serial=ssdqos-{name}"]


def make_disk(path: Path, size_bytes: int) -> Path:
    """A sparse file; one left by an earlier run is emptied."""
    with path.open("wb") as file:
        file.truncate(size_bytes)
    return path


def parse_size(text: str) -> int:
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if not number.isdigit() or (unit and unit not in SIZE_UNITS):
        raise HarnessError(f"size {text!r} is not a number with K, M or G")
    return int(number) * SIZE_UNITS.get(unit, 1)


def kvm_works() -> bool:
    """Whether hardware virtualisation is usable: SSDQOS_KVM=1 says so.

    The device may be there and yet not run a stock kernel, which then spins
    in early boot; run finds out by booting one with a time limit.
    """
    return os.environ.get("SSDQOS_KVM") == "1" and os.access("/dev/kvm", os.R_OK | os.W_OK)


def check_installed() -> None:
    if not shutil.which(QEMU):
        raise HarnessError(f"{QEMU} is not installed")


def start(machine: Machine, serial: list[str], log: Path) -> subprocess.Popen[bytes]:
    check_installed()
    with log.open("wb") as errors:
        return subprocess.Popen(machine.command(serial), stdin=subprocess.DEVNULL,
                                stdout=errors, stderr=errors)


def shell(machine: Machine) -> int:
    """Connects this terminal to the guest's console."""
    check_installed()
    serial = ["mon:stdio"]
    return subprocess.run(machine.command(serial), check=False).returncode


def scratch_dir() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="ssdqos-vm.")
