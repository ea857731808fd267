#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# A drive with a name never lies below itself, however many devices are between:
# requests would wait for themselves.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

STACK_MB=32
STACK_SECTORS=$((STACK_MB * SECTORS_PER_MB))

linear() { dm_create "$1" "0 $(sectors "$2") linear $2 0"; }
# $1: name, $2: device
on_x() { dm_create "$1" "$(qos_line "$2" 0 "$(sectors "$2")" drive x)"; }
is_refused() { qos_refused "drive: 'x' already schedules" on_x bad "$1"; }

loop_on() {
	mkdir -p /tmp/mnt && mkfs.ext4 -q -F "$1" && mount "$1" /tmp/mnt && on_exit umount /tmp/mnt &&
		head -c 8388608 /dev/zero >/tmp/mnt/file && LOOP=$(losetup -f) && losetup "$LOOP" /tmp/mnt/file &&
		on_exit "losetup -d $LOOP"
}

null_blk_create "$STACK_MB" memory_backed
check "a stream of drive x" on_x first "$NULL_BLK"
check "not on itself" is_refused /dev/mapper/first
check "linear over it" linear one /dev/mapper/first
check "not on that" is_refused /dev/mapper/one
check "once more" linear two /dev/mapper/one
check "linear over three" linear three /dev/mapper/two
check "nor on that" is_refused /dev/mapper/three
check "another drive may" dm_create other "$(qos_line /dev/mapper/three 0 "$STACK_SECTORS" drive y)"
check "nor through that" is_refused /dev/mapper/other
dm_remove other

# from the other end: what lies below joins the drive later
null_blk_create "$STACK_MB" memory_backed
check "a device" linear low "$NULL_BLK"
check "one over it" linear middle /dev/mapper/low
check "of drive x above both" on_x high /dev/mapper/middle
check "the lowest can't join" qos_refused "drive: 'x' already schedules" dmsetup reload low --table "$(qos_line "$NULL_BLK" 0 "$STACK_SECTORS" drive x)"
check "it may join another drive" flash_reload low "$(qos_line "$NULL_BLK" 0 "$STACK_SECTORS" drive z)"
check "a line that is in force may come again" flash_reload high "$(dmsetup table high)"
check "requests pass both" fio_run --filename=/dev/mapper/high --rw=randrw --bs=4k --iodepth=4 --number_ios=64 --size=8M

# a file in a file system
prepare_ext4
if command -v mkfs.ext4 >/dev/null && modprobe ext4; then
	check "a file on the drive" loop_on /dev/mapper/three
	check "is on the drive" is_refused "$LOOP"
else
	ktap_skip "a file on the drive" "no ext4"
fi
check "no device is left of what was refused" [ ! -e /dev/mapper/bad ]
ktap_done
