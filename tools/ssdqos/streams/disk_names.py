# SPDX-License-Identifier: GPL-2.0
"""Names of disks that stay when disks are found in another order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ssdqos.device import Device, System

# In the order of preference; a directory has links to devices.
# Where a disk says nothing of itself, the place where it is plugged in is more than its number.
STABLE = ("mapper", "disk/by-partuuid", "disk/by-id", "disk/by-path")
# Numbers that nobody knows by heart come after names with a model in them.
UNREADABLE = ("wwn-", "nvme-eui.", "nvme-uuid.", "dm-uuid-", "dm-name-")


@dataclass(frozen=True)
class DiskNames:
    """`dev` is /dev."""

    dev: Path = Path("/dev")
    system: System = System()

    def node(self, device: str) -> Path:
        """The device's node, from a path or from major:minor."""
        if ":" in device and not device.startswith("/"):
            return self.dev / (self.system.sys / "dev" / "block" / device).resolve().name
        return Path(device)

    def number(self, device: str) -> str:
        """major:minor of a path, or of itself; empty if there is no such path."""
        if ":" in device and not device.startswith("/"):
            return device
        try:
            return Device(Path(device), self.system).number()
        except OSError:
            return ""

    def in_status(self, device: str) -> set[str]:
        """What streams on it may call their drive: what was said, and of a disk its number, that of the whole disk, and
        the name that streams on its volumes have."""
        disk = Device(self.node(device), self.system)
        if not disk.is_block():
            return {device}
        whole = disk.disk_directory()
        lowest = Device.lowest(whole)
        numbers = {disk.number(), *((place / "dev").read_text().strip() for place in (lowest, whole))}
        return {device, Path(device).name, lowest.name} | numbers

    def mapped_name(self, device: str) -> str:
        """Of a mapped device, from its path or from itself."""
        path = Path(device)
        return path.name if path.parent == self.dev / "mapper" else device

    def is_there(self, device: str, name: str) -> bool:
        """Whether mapped device `name` has this disk.

        It keeps the number of one that was unplugged, which another disk may have got since; that one is not
        held by it.
        """
        number, node = self.number(device), self.mapped(name)
        holders = self.system.sys / "dev" / "block" / number / "holders"
        return self.is_known(device) and (not node or (holders / node).exists())

    def is_known(self, device: str) -> bool:
        """Whether there is a disk of that name or number; the target's own devices, such as drive_meta, are held by
        nobody that sysfs knows of.
        """
        number = self.number(device)
        return bool(number) and (self.system.sys / "dev" / "block" / number).exists()

    def mapped(self, name: str) -> str:
        """dm-N; empty if there is none."""
        for path in (self.system.sys / "block").glob("dm-*/dm/name"):
            try:
                if path.read_text().strip() == name:
                    return path.parents[1].name
            except OSError:  # it has gone meanwhile
                continue
        return ""

    def is_lasting(self, name: str) -> bool:
        """Not the kernel's own name for it, which another disk may have when this one is gone."""
        path = Path(name)
        return path.is_symlink() or path.parent != self.dev

    def stable(self, device: str) -> str:
        """The best of the links to it; the node itself where there is none."""
        real = self.node(device).resolve()
        for directory in STABLE:
            links = [link for link in (self.dev / directory).glob("*") if link.resolve() == real]
            if links:
                return str(min(links, key=lambda link: (link.name.startswith(UNREADABLE), len(link.name), link.name)))
        return str(real)

    def drive_of(self, path: Path) -> str:
        """The disk below a mapped device of one disk; empty for others, which the kernel knows itself."""
        target = Device(path, self.system)
        if not target.is_block() or not (target.directory() / "dm").is_dir():
            return ""
        lowest = Device.lowest(target.directory())
        return lowest.name if lowest != target.directory() else ""
