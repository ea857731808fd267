# SPDX-License-Identifier: GPL-2.0
"""A machine with disks that can be pulled out, and whose power can be cut."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from harness import qemu

MEMORY_MB = 1024
CPUS = 2
# For boots and commands: an emulated machine needs a minute, and more where
# others use the processors as well.
LIMIT_S = 600
# To build the module.
BUILD_LIMIT_S = 3600
# Units of an emulated machine may take longer than systemd waits by itself.
KERNEL_ARGS = ("root=/dev/mapper/sys-root", "ro", "quiet", f"systemd.default_timeout_start_sec={LIMIT_S}")
CONNECT_S = 10
POLL_S = 0.05
CHUNK_BYTES = 1 << 16


class MachineError(Exception):
    """The machine does not do what any machine does: it did not come up, or says nothing."""


@dataclass
class Disk:
    """A disk with a serial number; `device` is how QEMU attaches it."""

    name: str
    path: Path
    device: str = "virtio-blk-pci"

    def node(self) -> list[str]:
        """What keeps the data while no disk shows them; the host writes nothing through,
        for what is lost in a power cut is the guest's memory."""
        return ["-blockdev", f"driver=raw,node-name={self.name},discard=unmap,cache.no-flush=on,"
                             f"file.driver=file,file.filename={self.path}"]

    def properties(self) -> dict[str, str]:
        return {"driver": self.device, "id": f"disk-{self.name}", "drive": self.name, "serial": self.name}


class Port:
    """Lines of JSON to and from a socket of QEMU's."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.pending = b""
        deadline = time.monotonic() + CONNECT_S
        while True:
            try:
                self.socket.connect(str(path))
                return
            except OSError as error:
                if time.monotonic() > deadline:
                    raise MachineError(f"{path.name}: {error}") from error
                time.sleep(POLL_S)

    def send(self, message: object) -> None:
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, limit_s: float) -> dict:
        self.socket.settimeout(limit_s)
        while b"\n" not in self.pending:
            try:
                chunk = self.socket.recv(CHUNK_BYTES)
            except OSError as error:
                raise MachineError(f"no answer in {limit_s} s") from error
            if not chunk:
                raise MachineError("the machine has gone")
            self.pending += chunk
        line, self.pending = self.pending.split(b"\n", 1)
        return json.loads(line)


@dataclass
class Answer:
    status: int
    output: str


@dataclass
class Machine:
    """What `kernel`, `initrd` and the first of `disks` boot."""

    kernel: Path
    initrd: Path
    disks: list[Disk]
    out: Path
    sockets: Path
    boots: int = 0
    process: subprocess.Popen[bytes] | None = None
    agent: Port | None = None
    monitor: Port | None = None
    extra: list[str] = field(default_factory=list)

    def command(self, agent: Path, monitor: Path) -> list[str]:
        args = [qemu.QEMU, "-M", "q35", "-nodefaults", "-no-reboot", "-display", "none",
                *self.accelerator(), "-m", str(MEMORY_MB), "-smp", str(CPUS),
                "-kernel", str(self.kernel), "-initrd", str(self.initrd),
                "-append", " ".join([*qemu.KERNEL_ARGS, *KERNEL_ARGS]),
                "-serial", f"file:{self.out / f'console-{self.boots}.log'}",
                "-qmp", f"unix:{monitor},server=on,wait=off",
                "-chardev", f"socket,id=agent,path={agent},server=on,wait=off",
                "-device", "virtio-serial-pci",
                "-device", "virtserialport,chardev=agent,name=boot-test",
                "-device", "virtio-scsi-pci,id=scsi"]
        for disk in self.disks:
            args += [*disk.node(), "-device", json.dumps(disk.properties())]
        return args

    @staticmethod
    def accelerator() -> list[str]:
        if qemu.kvm_works():
            return ["-accel", "kvm", "-cpu", "host"]
        return ["-accel", "tcg,thread=multi", "-cpu", "max,la57=off"]

    def boot(self) -> None:
        """Returns when the last service has started."""
        self.boots += 1
        agent, monitor = (self.sockets / f"{name}-{self.boots}" for name in ("agent", "monitor"))
        with (self.out / f"qemu-{self.boots}.log").open("wb") as log:
            self.process = subprocess.Popen(self.command(agent, monitor), stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)
        self.monitor, self.agent = Port(monitor), Port(agent)
        self.monitor.receive(CONNECT_S)
        self.qmp("qmp_capabilities")
        self.agent.receive(LIMIT_S)

    def run(self, command: str, limit_s: float = LIMIT_S) -> Answer:
        """A command of the shell, as root."""
        self.agent.send(command)
        return Answer(**self.agent.receive(limit_s))

    def qmp(self, name: str, event: str = "", **arguments: object) -> None:
        """Waits for what QEMU answers, and for the event if one is named."""
        self.monitor.send({"execute": name, "arguments": arguments})
        answered, happened = False, not event
        while not (answered and happened):
            message = self.monitor.receive(LIMIT_S)
            if "error" in message:
                raise MachineError(f"{name}: {message['error']['desc']}")
            answered |= "return" in message
            happened |= message.get("event") == event

    def unplug(self, disk: Disk) -> None:
        self.qmp("device_del", event="DEVICE_DELETED", id=disk.properties()["id"])

    def plug(self, disk: Disk) -> None:
        self.qmp("device_add", **disk.properties())

    def shut_down(self) -> None:
        """As an administrator does; QEMU ends where a machine would start again."""
        self.agent.send("systemctl reboot")
        self.wait_end()

    def cut_power(self) -> None:
        self.monitor.send({"execute": "quit"})
        self.wait_end()

    def wait_end(self) -> None:
        try:
            self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired as error:
            raise MachineError("it does not shut down") from error

    def kill(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
