#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# What was written reads back, over every kind of device, and lies at the same
# address when the target is gone: it has no format of its own.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck source=tests/kselftest/lib-trace.sh
. "${0%/*}/lib-trace.sh"

DISK_MB=80
WRITE_BYTES=6M
COMPARE_MB=8
MB=1048576
MAX_UNMAP_MB=64
DRIVE=/dev/mapper/drive

# Sizes and places are multiples of a sector, not of the 4 KiB of the flash.
# $1: device, the rest: options
verify() {
	verify_dev=$1
	shift
	fio_run --filename="$verify_dev" --rw=randrw --rwmixread=30 --bsrange=512-256k \
		--iodepth=8 --size="$WRITE_BYTES" --verify=crc32c --do_verify=1 --verify_fatal=1 "$@"
}

verify_rewritten() { verify "$DRIVE" --randseed=2 && verify "$DRIVE" --randseed=3 --offset=4608; }

# Writes in one part of the drive, discards in another, at the same time.
verify_with_trim() {
	fio_run --filename="$DRIVE" --rw=randtrim --bsrange=4k-1m --iodepth=4 --offset=40M --size=24M &
	trim_pid=$!
	verify "$DRIVE" && wait "$trim_pid"
}

# The device below reads zeroes where it was discarded.
discarded_zeroes() {
	random_data 20 && discard -o $((21 * MB)) -l $((2 * MB)) "$DRIVE" && is_zero 21 2 && ! is_zero 20 1 &&
		! is_zero 23 1
}

is_zero() { ! dd if="$DRIVE" bs="$MB" skip="$1" count="$2" iflag=direct 2>/dev/null | tr -d '\0' | grep -q .; }

random_data() {
	[ -e /tmp/random ] || dd if=/dev/urandom of=/tmp/random bs="$MB" count=4 2>/dev/null
	dd if=/tmp/random of="$DRIVE" bs="$MB" seek="$1" oflag=direct
}

write_zeroes() {
	random_data 20 && discard -z -o $((21 * MB)) -l $((2 * MB)) "$DRIVE" && is_zero 21 2 &&
		! is_zero 20 1 && ! is_zero 23 1
}

# A request that unmaps keeps the model busy for its length.  $1: queue limit
is_short() { [ "$(cat "/sys/block/$(dm_kernel_name drive)/queue/$1")" -le $((MAX_UNMAP_MB * MB)) ]; }

discard_all() {
	random_data 30 && units=$(gauge drive mapped_units) && [ "$units" -gt 200 ] &&
		discard "$DRIVE" && [ "$(gauge drive mapped_units)" = 0 ]
}

# Half a unit at each end is not unmapped.
discard_parts() {
	random_data 30 && sync && before=$(gauge drive trimmed_units) &&
		discard -o $((30 * MB + 512)) -l 16384 "$DRIVE" &&
		[ $(($(gauge drive trimmed_units) - before)) = 3 ]
}

# $1: fio's option, $2: counter that has to grow
durable() {
	before=$(gauge drive "$2")
	verify "$DRIVE" --rw=write --bsrange=4k-4k --size=512k "$1" && [ "$(gauge drive "$2")" -ge $((before + 50)) ]
}

# Of the part that is written here.
checksum() { dd if="$1" bs="$MB" count="$COMPARE_MB" iflag=direct 2>/dev/null | md5sum -; }

# The target goes; the device has the same bytes.  $1: device
same_without() {
	seen=$(checksum "$DRIVE")
	dm_remove drive
	[ "$seen" = "$(checksum "$1")" ]
}

# Written to the bare device, read through the drive.
same_before() {
	fio_run --filename="$1" --rw=randwrite --bs=64k --size=4M --offset=1M --verify=crc32c --do_verify=0 &&
		flash_create drive "$1" &&
		fio_run --filename="$DRIVE" --rw=randwrite --bs=64k --size=4M --offset=1M --verify=crc32c --verify_only
}

loop_on() {
	dd if=/dev/zero of="$1" bs="$MB" count=0 seek="$DISK_MB" 2>/dev/null && LOOP=$(losetup -f) &&
		losetup "$LOOP" "$1" && on_exit "losetup -d $LOOP"
}

# $1: kind, $2: device, the rest: keys and values of the drive
basics() {
	kind=$1
	basics_dev=$2
	shift 2
	check "$kind: a drive appears" flash_create drive "$basics_dev" "$@"
	check "$kind: sectors read back" verify "$DRIVE"
	check "$kind: the device has the same bytes" same_without "$basics_dev"
}

# Events read what requests are made of: their memory is looked at, too.
events_on() { trace_prepare && put "$EVENTS/enable" 1; }
events_came() { put "$EVENTS/enable" 0 && grep -m 1 ssdqos_flash_request_completed "$TRACING/trace"; }

! is_debug_kernel || check "events are on" events_on
check "null_blk appears" null_blk_create "$DISK_MB" memory_backed discard=1
NULL=$NULL_BLK
check "what is on the device shows in a drive" same_before "$NULL"
check "data read back after rewriting parts" verify_rewritten
check "writes of parts of a unit read the rest first" test "$(gauge drive rmw_reads)" -gt 20
check "data read back while others discard" verify_with_trim
check "discards were served" test "$(gauge drive discards)" -gt 20
check "discarded data read as zeroes" discarded_zeroes
check "zeroes are written where asked" write_zeroes
check "discards are cut into pieces" is_short discard_max_bytes
check "and so are writes of zeroes" is_short write_zeroes_max_bytes
check "discarding all unmaps all" discard_all
check "parts of units are not discarded" discard_parts
check "fdatasync flushes" durable --fdatasync=2 flushes
check "data read back with sync=dsync" verify "$DRIVE" --bsrange=4k-4k --size=512k --sync=dsync
check "the device has the same bytes" same_without "$NULL"

for cache in none volatile plp; do
	basics "cache $cache" "$NULL" cache "$cache"
done
basics "ttflash" "$NULL" preset ttflash
null_blk_create "$DISK_MB" memory_backed blocksize=4096
check "4 KiB sectors: a drive appears" flash_create drive "$NULL_BLK"
check "4 KiB sectors: data read back" verify "$DRIVE" --bsrange=4k-256k
check "4 KiB sectors: the device has the same bytes" same_without "$NULL_BLK"
null_blk_create "$DISK_MB" memory_backed
check "no discards below: a drive appears" flash_create drive "$NULL_BLK"
check "no discards below: discarding all unmaps all" discard_all
check "no discards below: data read back" verify "$DRIVE"
dm_remove drive

check "a loop device over tmpfs appears" loop_on /tmp/disk.img
basics "loop over tmpfs" "$LOOP"
rm -f /tmp/disk.img
null_blk_create 128 memory_backed
prepare_ext4
mkfs.ext4 -q -O ^has_journal "$NULL_BLK"
mkdir -p /mnt/below && mount -t ext4 "$NULL_BLK" /mnt/below && on_exit "umount /mnt/below"
check "a loop device over ext4 appears" loop_on /mnt/below/disk.img
basics "loop over ext4" "$LOOP"
losetup -d "$LOOP"

check "linear below appears" dm_create below "0 $((DISK_MB * SECTORS_PER_MB)) linear $NULL 0"
check "a drive on it appears" flash_create drive /dev/mapper/below
check "linear above appears" dm_create above "0 $((64 * SECTORS_PER_MB)) linear $DRIVE 8192"
check "linear below and above: sectors read back" verify /dev/mapper/above
check "linear above: discards arrive" eval "discard /dev/mapper/above && [ \$(gauge drive discards) -gt 0 ]"
dm_remove above
check "linear below and above: the device has the same bytes" same_without /dev/mapper/below

if [ -b /dev/nvme0n1 ]; then
	null_end=$((DISK_MB * SECTORS_PER_MB))
	check "NVMe: a drive appears" dm_create drive "0 $null_end ssdqos-flash /dev/nvme0n1 0"
	check "NVMe: sectors read back" verify "$DRIVE"
	check "NVMe: the device has the same bytes" same_without /dev/nvme0n1
else
	ktap_skip "NVMe" "no --disk nvme:SIZE"
fi
! is_debug_kernel || check "events came" events_came
ktap_done
