# SPDX-License-Identifier: GPL-2.0
"""Who uses a disk and what it is, from files as the kernel has them."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from ssdqos.device import Device, System
from ssdqos.errors import ToolError
from ssdqos.profiler import contents
from ssdqos.streams.disk_names import DiskNames


class Kernel(unittest.TestCase):
    """A disk sdb (8:16) with a partition sdb1 (8:17), and a mapped device dm-0 (253:0) on it."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.system = System(self.path / "proc", self.path / "sys")
        disk = self.path / "sys/devices/pci/block/sdb"
        for name, text in {"dev": "8:16", "size": "2048", "device/model": "INTEL SSDSC2MH25 \n",
                           "device/rev": "PPG4", "device/vpd_pg80": "\x00\x80\x00\x0cCVTD1234",
                           "device/hwmon/hwmon3/temp1_input": "31000", "sdb1/dev": "8:17", "sdb1/size": "1024",
                           "sdb1/partition": "1"}.items():
            self.write(disk / name, text)
        self.write(self.path / "sys/devices/virtual/block/dm-0/dm/name", "data")
        self.write(self.path / "sys/devices/virtual/block/dm-0/dev", "253:0")
        self.write(self.path / "sys/devices/virtual/block/dm-0/size", "512")
        for directory in (disk, disk / "sdb1"):
            (directory / "holders").mkdir()
        self.link("sys/dev/block/8:16", disk)
        self.link("sys/dev/block/8:17", disk / "sdb1")
        self.link("sys/dev/block/253:0", self.path / "sys/devices/virtual/block/dm-0")
        self.link("sys/devices/virtual/block/dm-0/slaves/sdb1", disk / "sdb1")
        for name in ("self/mountinfo", "mounts", "swaps"):
            self.write(self.path / "proc" / name, "")
        self.opened: list[str] = []
        for patch in (mock.patch.object(Device, "is_block", lambda device: device.path.name in self.numbers),
                      mock.patch.object(Device, "number", lambda device: self.numbers[device.path.name]),
                      mock.patch.object(Device, "number_of", staticmethod(
                          lambda source: self.numbers.get(Path(source).name, ""))),
                      mock.patch.object(Device, "open_exclusively",
                                        lambda device: self.opened.append(device.path.name))):
            patch.start()
            self.addCleanup(patch.stop)

    numbers = {"sdb": "8:16", "sdb1": "8:17", "dm-0": "253:0"}

    @staticmethod
    def write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def link(self, name: str, to: Path) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).symlink_to(to)

    def device(self, name: str) -> Device:
        return Device(Path("/dev") / name, self.system)

    def refused(self, name: str, why: str) -> None:
        with self.assertRaisesRegex(ToolError, why):
            self.device(name).check_unused()
        self.assertEqual([], self.opened)


class Use(Kernel):
    def test_nobody(self) -> None:
        self.device("sdb").check_unused()
        self.assertEqual(["sdb"], self.opened)

    def test_mounted(self) -> None:
        self.write(self.path / "proc/self/mountinfo", "21 1 8:16 / /srv rw - ext4 /dev/sdb rw\n")
        self.refused("sdb", "sdb is mounted on /srv")

    def test_mounted_partition_of_it(self) -> None:
        self.write(self.path / "proc/self/mountinfo", "21 1 8:17 / /srv rw - ext4 /dev/sdb1 rw\n")
        self.refused("sdb", "sdb1 is mounted on /srv")

    def test_mounted_under_a_number_of_its_own(self) -> None:
        self.write(self.path / "proc/self/mountinfo", "21 1 0:33 / /pool rw - btrfs /dev/sdb1 rw\n")
        self.write(self.path / "proc/mounts", "/dev/sdb1 /pool btrfs rw 0 0\n")
        self.refused("sdb1", "sdb1 is mounted on /pool")

    def test_mounted_elsewhere(self) -> None:
        self.write(self.path / "proc/self/mountinfo", "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n")
        self.write(self.path / "proc/mounts", "/dev/sda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\n")
        self.device("sdb").check_unused()

    def test_holder_of_a_partition(self) -> None:
        (self.path / "sys/devices/pci/block/sdb/sdb1/holders/dm-0").touch()
        self.refused("sdb", "sdb1 is in use by dm-0")

    def test_swap(self) -> None:
        self.write(self.path / "proc/swaps", "Filename Type Size Used Priority\n/dev/sdb1 partition 1 0 -2\n")
        self.refused("sdb", "/dev/sdb1 is in use as swap space")

    def test_file_behind_a_loop_device(self) -> None:
        file = self.path / "image"
        file.touch()
        self.write(self.path / "sys/block/loop7/loop/backing_file", f"{file}\n")
        with self.assertRaisesRegex(ToolError, "in use by loop7"):
            Device(file, self.system).check_unused()

    def test_file_that_is_swap(self) -> None:
        file = self.path / "image"
        file.touch()
        self.write(self.path / "proc/swaps", f"Filename Type Size Used Priority\n{file} file 1 0 -2\n")
        with self.assertRaisesRegex(ToolError, "swap"):
            Device(file, self.system).check_unused()

    def test_directory(self) -> None:
        with self.assertRaisesRegex(ToolError, "neither"):
            Device(self.path, self.system).check_unused()


class Exclusive(unittest.TestCase):
    def test_says_why_it_cannot_be_had(self) -> None:
        with self.assertRaisesRegex(ToolError, "cannot be had alone: No such file"):
            Device(Path("/dev/nothing")).open_exclusively()

    def test_asks_the_kernel_to_be_alone(self) -> None:
        with mock.patch("os.open", return_value=7) as opened, mock.patch("os.close"):
            Device(Path("/dev/sdb")).open_exclusively()
        self.assertTrue(opened.call_args.args[1] & 0o200)


    def test_nobody_has_it_meanwhile(self) -> None:
        with mock.patch.object(Device, "is_block", lambda _: True), mock.patch("os.open", return_value=7) as opened, \
                mock.patch("os.close") as closed:
            with Device(Path("/dev/sdb")).held():
                closed.assert_not_called()
        self.assertTrue(opened.call_args.args[1] & os.O_EXCL)
        closed.assert_called_once_with(7)


class Identity(Kernel):
    def test_which_drive_it_is(self) -> None:
        self.assertEqual("INTEL SSDSC2MH25 CVTD1234 1048576", self.device("sdb").unique())

    def test_what_is_on_it_by_a_link(self) -> None:
        nodes = self.path / "dev"
        (nodes / "disk/by-id").mkdir(parents=True)
        (nodes / "sdb").touch()
        (nodes / "disk/by-id/ata-X").symlink_to(nodes / "sdb")
        found = {nodes / "sdb1": "ext4 'data'"}
        with mock.patch.dict(self.numbers, {"ata-X": "8:16"}), \
                mock.patch("ssdqos.profiler.contents.signature", lambda node: found.get(node, "")):
            self.assertTrue(contents.described(Device(nodes / "disk/by-id/ata-X", self.system))
                            .endswith("on it: ext4 'data' on sdb1"))

    def test_of_a_disk(self) -> None:
        self.assertEqual({"model": "INTEL SSDSC2MH25", "firmware": "PPG4", "serial": "CVTD1234",
                          "capacity_bytes": "1048576", "temperature_c": "31"}, self.device("sdb").identity())

    def test_of_a_partition_is_its_disks(self) -> None:
        made = self.device("sdb1").identity()
        self.assertEqual(("INTEL SSDSC2MH25", "524288"), (made["model"], made["capacity_bytes"]))

    def test_of_a_mapped_device_is_the_disks_below(self) -> None:
        made = self.device("dm-0").identity()
        self.assertEqual(("INTEL SSDSC2MH25", "262144"), (made["model"], made["capacity_bytes"]))


class Names(Kernel):
    def setUp(self) -> None:
        super().setUp()
        self.names = DiskNames(self.path / "dev", self.system)
        for node in ("sdb", "sdb1", "dm-0"):
            self.write(self.path / "dev" / node, "")

    def test_model_before_number(self) -> None:
        for link in ("wwn-0x5", "ata-INTEL_SSD_1234", "ata-INTEL_SSD_1234-and-more"):
            self.link(f"dev/disk/by-id/{link}", self.path / "dev/sdb")
        self.assertEqual(f"{self.path}/dev/disk/by-id/ata-INTEL_SSD_1234", self.names.stable("8:16"))

    def test_partition_by_its_uuid(self) -> None:
        self.link("dev/disk/by-id/ata-x-part1", self.path / "dev/sdb1")
        self.link("dev/disk/by-partuuid/1234-5", self.path / "dev/sdb1")
        self.assertEqual(f"{self.path}/dev/disk/by-partuuid/1234-5", self.names.stable(f"{self.path}/dev/sdb1"))

    def test_volume_by_its_name(self) -> None:
        self.link("dev/mapper/vg-lv", self.path / "dev/dm-0")
        self.link("dev/disk/by-id/dm-name-vg-lv", self.path / "dev/dm-0")
        self.assertEqual(f"{self.path}/dev/mapper/vg-lv", self.names.stable("253:0"))

    def test_the_node_where_there_is_no_link(self) -> None:
        self.assertEqual(f"{self.path}/dev/sdb", self.names.stable("8:16"))

    def test_drive_below_a_volume(self) -> None:
        self.assertEqual("sdb", self.names.drive_of(self.path / "dev/dm-0"))
        self.assertEqual("", self.names.drive_of(self.path / "dev/sdb1"))

    def test_what_streams_on_it_may_call_their_drive(self) -> None:
        for node, numbers in (("sdb", {"8:16"}), ("sdb1", {"8:17", "8:16"}), ("dm-0", {"253:0", "8:16"})):
            path = f"{self.path}/dev/{node}"
            self.assertEqual({path, node, "sdb"} | numbers, self.names.in_status(path))

    def test_a_drive_that_is_none(self) -> None:
        self.assertEqual({"/dev/rack/shelf"}, self.names.in_status("/dev/rack/shelf"))


if __name__ == "__main__":
    unittest.main()
