# SPDX-License-Identifier: GPL-2.0
"""What an administrator does with dm-ssdqos, from installing it to getting rid of it.

Disks: `shared` has two clients, gold with a promise and a lifetime, and rest;
`below` has a volume group, and the stream over lies on a volume of it; on
`above` lies the stream under, and a volume group on that.
"""

from __future__ import annotations

from machine import BUILD_LIMIT_S, LIMIT_S, Disk, Machine
from report import Report

SOURCE = "/usr/src/dm-ssdqos-0.1.0"
MODULE_SUFFIX = ".ko"
COPIED = "/lib/modules/$(uname -r)/updates/dm-ssdqos.ko"
UNITS = "ssdqos.service ssdqos-life.service ssdqos-save.timer ssdqos-metrics.timer"
PROM = "/var/lib/prometheus/node-exporter"
STREAMS = ["gold", "over", "rest", "under"]
MOUNTS = {"gold": "/data", "over": "/over", "high-volume": "/under"}
# A disk of 512 MB that may be written two million times in five years: so
# much that no write of a test waits for its budget.
LIFE = "drive_endurance_gb=1000000 drive_lifetime_h=43800 drive_throttle=horizon"
PROFILE = "/etc/ssdqos/shared.profile"
# An emulated machine beside others may need longer than systemd's 90 s to find all disks.
MOUNT_OPTIONS = f"defaults,x-systemd.device-timeout={LIMIT_S}"
WAIT_S = 120
# Ours is no part of the kernel, and signed by nobody: the kernel's only words about it.
EXPECTED_WARNINGS = "out-of-tree module|module verification failed"

HELPERS = r"""
stat_of() { cat "/sys/block/$(basename "$(readlink -f "/dev/mapper/$1")")/ssdqos/$2"; }
# $1: seconds, the rest: a command that has to be true by then
within() {
	within_s=$1; shift
	until "$@"; do
		[ "$within_s" -gt 0 ] || return 1
		within_s=$((within_s - 1)); sleep 1
	done
}
streams() { echo $(dmsetup ls --target ssdqos | awk '{ print $1 }' | sort); }
write_mb() { dd if=/dev/urandom of="$1" bs=1M count="$2" conv=fsync 2>&1; }
# $1: name, $2: major:minor; its table is on this device
lies_on() { dmsetup table "$1" | grep -q " ssdqos $2 "; }
number() { echo $(cat "/sys/class/block/$1/dev"); }
is_quiet() { ! systemctl list-units --no-legend 'ssdqos@*' | grep -q activating; }
"""


class Administrator:
    """Commands of one, and what is known of the time before a boot."""

    def __init__(self, machine: Machine, report: Report, shared: Disk, built: str = "") -> None:
        """`built` lies beside the source: what DKMS has built, or a module to be taken in place of that."""
        self.machine = machine
        self.report = report
        self.shared = shared
        self.built = built
        self.links: set[str] = set()

    def check(self, name: str, command: str, says: str = "", status: int = 0) -> None:
        self.report.command(name, HELPERS + command, says, status)

    def none(self, name: str, command: str) -> None:
        self.report.silent(name, HELPERS + command)

    def life(self) -> int:
        """Bytes that were charged to the shared disk in its life."""
        answer = self.machine.run(f"{HELPERS}stat_of gold life_host_bytes")
        if answer.output.strip().isdigit():
            return int(answer.output)
        self.report.result("what was charged can be read", False, answer.output)
        return -1

    # ---- what holds at all times ----

    def is_well(self, when: str) -> None:
        self.check(f"{when}: the machine is up", "systemctl is-system-running --wait", "^running$")
        self.none(f"{when}: no unit has failed", "systemctl --failed --no-legend")

    def log_is_clean(self, when: str, boot: int) -> None:
        """Neither the kernel nor systemd has an error or a warning that names us."""
        self.none(f"{when}: no word of ours in the journal's warnings",
                  f"journalctl -b {boot} -p warning -o short-monotonic --no-pager |"
                  f" grep -i ssdqos | grep -vE '{EXPECTED_WARNINGS}'")

    def all_there(self, when: str, streams: list[str]) -> None:
        self.check(f"{when}: streams are there", "streams", f"^{' '.join(streams)}$")
        for device, where in MOUNTS.items():
            self.check(f"{when}: {where} is mounted", f"findmnt -no SOURCE {where}", f"^/dev/mapper/{device}$")
            self.check(f"{when}: with its files", f"cd {where} && sha256sum -c --quiet sums")
        self.promise_holds(when)

    def promise_holds(self, when: str) -> None:
        self.check(f"{when}: with the promise", "dmsetup status gold", "state=reserved.* promised=100 ")
        self.check(f"{when}: and the profile", "dmsetup status gold", " profile=ok ")

    # ---- steps ----

    def install(self) -> None:
        self.is_well("before")
        self.check("root is LVM's", "findmnt -no SOURCE /", "^/dev/mapper/sys-root$")
        self.check("the source is unpacked", f"mkdir -p {SOURCE} && tar -xf /dev/disk/by-id/virtio-source -C {SOURCE}")
        if self.is_copied():
            self.copy_module()
        else:
            self.dkms()
        self.check("make install-tools", f"make -s -C {SOURCE} install-tools")
        self.check("units are enabled", f"mkdir -p {PROM} && systemctl enable --now {UNITS} 2>&1 &&"
                                        " systemctl is-enabled blk-availability.service")

    def is_copied(self) -> bool:
        return self.built.endswith(MODULE_SUFFIX)

    def copy_module(self) -> None:
        self.report.skip("dkms", "--module was given")
        self.check("the module is copied", f"install -D {SOURCE}/{self.built} {COPIED} && depmod")

    def dkms(self) -> None:
        if self.built:
            self.check("dkms ldtarball", f"dkms ldtarball --force {SOURCE}/{self.built} && dkms status", ": built$")
        else:
            self.report.note("building the module")
            self.check("dkms add", f"dkms add {SOURCE}")
        self.report.command("dkms install", "dkms install dm-ssdqos/0.1.0", limit_s=BUILD_LIMIT_S)
        self.check("it is installed", "dkms status", "dm-ssdqos/0.1.0.*: installed$")
        self.none("no warning of the compiler", "grep -i warning /var/lib/dkms/dm-ssdqos/0.1.0/*/*/log/make.log |"
                                                " grep -v 'compiler differs'")

    def create(self) -> None:
        self.check("a profile", f"mkdir -p /etc/ssdqos && cp {SOURCE}/tests/boot/shared.profile {PROFILE}")
        disk = "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_shared"
        self.check("a stream with a promise and a lifetime",
                   f"ssdqos create gold {disk} --size 256m --profile {PROFILE} min_iops=100 window_ms=1000 {LIFE}")
        self.check("which has loaded the module", "lsmod", "^dm_ssdqos ")
        self.check("the rest of the disk", f"ssdqos create rest {disk} --offset 256m")
        self.check("a stream above LVM",
                   "pvcreate -q /dev/disk/by-id/virtio-below && vgcreate -q low /dev/disk/by-id/virtio-below &&"
                   " lvcreate -q -y -n volume -l 100%FREE low && ssdqos create over /dev/low/volume")
        # With an offset, the disk itself shows no volume group to LVM, whose
        # copy in the initramfs knows of no filter.
        self.check("and one below", "ssdqos create under /dev/disk/by-id/virtio-above --offset 1m &&"
                                    " pvcreate -q /dev/mapper/under && vgcreate -q high /dev/mapper/under &&"
                                    " lvcreate -q -y -n volume -l 100%FREE high")
        for device, where in MOUNTS.items():
            self.check(f"a file system for {where}",
                       f"mkfs.ext4 -q /dev/mapper/{device} && mkdir -p {where} &&"
                       f" echo /dev/mapper/{device} {where} ext4 {MOUNT_OPTIONS} 0 2 >>/etc/fstab &&"
                       f" systemctl daemon-reload && mount {where} &&"
                       f" cd {where} && write_mb file 4 && sha256sum file >sums && sync")
        self.check("they are saved", "ssdqos save")
        self.promise_holds("now")

    def shut_down(self) -> int:
        """Returns what was used of the life; no timer has saved that."""
        self.check("writes without a save", "systemctl stop ssdqos-save.timer && write_mb /data/more 8")
        used = self.life()
        self.report.note("shutting down")
        self.machine.shut_down()
        self.report.note("booting")
        self.machine.boot()
        return used

    def after_reboot(self, used: int) -> None:
        when = "after a reboot"
        self.is_well(when)
        self.all_there(when, STREAMS)
        self.report.not_below("no byte of the life was lost", used, self.life())
        self.check("the file system's name leads to the stream",
                   "readlink -f /dev/disk/by-uuid/$(findmnt -no UUID /data)", "^/dev/dm-")
        self.log_is_clean("the shutdown", -1)
        self.log_is_clean(when, 0)

    def replug(self) -> None:
        """The disk comes back under another number, since the streams still hold the old one."""
        # it would rightly complain of a life that has gone unsaved, if its minute comes right then
        self.check("no timer looks", "systemctl stop ssdqos-save.timer")
        self.check("its file system is unmounted", "umount /data")
        used = self.life()
        old = self.machine.run(f"{HELPERS}number sda").output.strip()
        self.report.note(f"pulling out {old}")
        self.machine.unplug(self.shared)
        self.check("the disk has gone", f"within {WAIT_S} test ! -e /sys/class/block/sda")
        self.machine.plug(self.shared)
        self.check("it comes back", f"within {WAIT_S} test -e /dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_shared")
        new = self.machine.run(f"{HELPERS}number sdb").output.strip()
        self.report.result("under another number", old != new, f"{old}, {new}")
        for stream in ("gold", "rest"):
            self.check(f"{stream} lies on that", f"within {WAIT_S} lies_on {stream} {new}; lies_on {stream} {new} ||"
                                                 f" {{ dmsetup table {stream}; journalctl -b -u 'ssdqos@*' -o cat; false; }}")
        self.promise_holds("after replugging")
        self.check("its file system is mounted again", "mount /data && cd /data && sha256sum -c --quiet sums")
        self.report.not_below("the life goes on where it was", used, self.life())
        self.check("the timer goes on", "systemctl start ssdqos-save.timer")

    def remove(self) -> None:
        self.check("a stream that is removed stays saved, and says so", "ssdqos remove rest 2>&1", "rest.conf")
        self.check("and comes again", "ssdqos restore rest && streams", f"^{' '.join(STREAMS)}$")
        self.check("one that is forgotten", "ssdqos remove --forget rest && test ! -e /etc/ssdqos/rest.conf")
        self.check("does not, whatever its disk tells",
                   f"udevadm trigger --settle --action=change --subsystem-match=block &&"
                   f" within {WAIT_S} is_quiet && streams", "^gold over under$")

    def timers(self) -> int:
        """Returns what was used of the life before it was saved for the last time."""
        self.check("counters are exported each 15 seconds",
                   f"rm -f {PROM}/ssdqos.prom; within {WAIT_S} grep -q '^ssdqos_streams 3$' {PROM}/ssdqos.prom")
        self.check("something is written", "write_mb /data/more 8 && sync /data/more")
        used = self.life()
        self.check("lifetimes are saved each minute",
                   "touch /run/now; saved() { find /var/lib/ssdqos -newer /run/now -name '*.life' | grep -q .; };"
                   " idle() { [ \"$(systemctl is-active ssdqos-save.service)\" = inactive ]; };"
                   f" within {WAIT_S} saved && systemctl stop ssdqos-save.timer && within {WAIT_S} idle")
        return used

    def cut_power(self) -> None:
        self.check("writes without a save", "write_mb /data/more 4")
        self.log_is_clean("until the power cut", 0)
        self.report.note("cutting the power")
        self.machine.cut_power()
        self.machine.boot()

    def after_power_cut(self, used: int) -> None:
        when = "after a power cut"
        self.is_well(when)
        self.all_there(when, ["gold", "over", "under"])
        self.report.not_below("the life is at least what was saved", used, self.life())
        self.log_is_clean(when, 0)

    def uninstall(self) -> None:
        self.check("streams are given up",
                   f"umount {' '.join(MOUNTS.values())} && vgchange -q -an high && ssdqos remove --forget gold &&"
                   " ssdqos remove --forget under && ssdqos remove --forget over &&"
                   " sed -i '/ext4 defaults/d' /etc/fstab && systemctl daemon-reload")
        self.check("make uninstall-tools", f"make -s -C {SOURCE} uninstall-tools")
        remove = f"rm {COPIED} && depmod" if self.is_copied() else "dkms remove dm-ssdqos/0.1.0 --all"
        self.check("the module is removed", f"{remove} && rmmod dm-ssdqos")
        self.nothing_left("uninstalled")
        self.machine.shut_down()
        self.report.note("booting without")
        self.machine.boot()
        self.is_well("without")
        self.nothing_left("without")
        self.log_is_clean("the last shutdown", -1)
        self.none("nobody misses us", "journalctl -b 0 --no-pager | grep -i ssdqos")

    def nothing_left(self, when: str) -> None:
        self.none(f"{when}: no file of ours", "find /usr/local /lib/modules /var/lib/dkms /lib/systemd /lib/udev"
                                              f" /run/systemd {PROM} -name '*ssdqos*'")
        self.none(f"{when}: no link that leads nowhere", "find /etc/systemd -xtype l")
        # What disks have asked for once stays known by name until the next boot.
        self.none(f"{when}: no unit of ours", "systemctl list-units --all --no-legend --plain"
                                              " --type=service,timer '*ssdqos*' | grep -v ' not-found '")
        self.none(f"{when}: no unit has failed", "systemctl --failed --no-legend")
        self.check(f"{when}: no module", "modprobe -n dm-ssdqos", "not found", status=1)


def run_all(admin: Administrator) -> None:
    admin.install()
    admin.create()
    admin.after_reboot(admin.shut_down())
    admin.replug()
    admin.remove()
    saved = admin.timers()
    admin.cut_power()
    admin.after_power_cut(saved)
    admin.uninstall()
