#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 180
# What was written reads back, through queues, limits and other mapped devices,
# and lies at the same address when the target is gone.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

MB=1048576
DISK_MB=128
HUGE_PAGES=/proc/sys/vm/nr_hugepages

# $1: device, the rest: options
verify() {
	verify_dev=$1
	shift
	fio_run --filename="$verify_dev" --rw=randrw --rwmixread=30 --bsrange=512-256k --iodepth=16 --size=6M \
		--verify=crc32c --do_verify=1 --verify_fatal=1 "$@"
}

# Many requests have waited, so that their order could have become wrong.  $1: name
waited() {
	waited_nr=$(gauge "$1" waited)
	echo "$1: $waited_nr waited"
	[ "$waited_nr" -gt 50 ]
}

verify_both() {
	verify /dev/mapper/a --offset=0 &
	verify_pid=$!
	verify /dev/mapper/b && wait "$verify_pid"
}

checksum() { dd if="$1" bs="$MB" skip="${2:-0}" count=8 iflag=direct 2>/dev/null | md5sum -; }
is_zero() { ! dd if="$1" bs="$MB" skip="$2" count="$3" iflag=direct 2>/dev/null | tr -d '\0' | grep -q .; }
random_data() { dd if=/dev/urandom bs="$MB" count=4 2>/dev/null | dd of="$1" bs="$MB" seek="$2" oflag=direct; }

discards() {
	before=$(gauge a discards)
	random_data /dev/mapper/a 20 && discard -o $((21 * MB)) -l $((2 * MB)) /dev/mapper/a &&
		[ "$(gauge a discards)" -gt "$before" ] && is_zero /dev/mapper/a 21 2 && ! is_zero /dev/mapper/a 20 1
}

zeroes() {
	random_data /dev/mapper/a 20 && discard -z -o $((21 * MB)) -l $((2 * MB)) /dev/mapper/a &&
		is_zero /dev/mapper/a 21 2 && ! is_zero /dev/mapper/a 23 1
}

# Larger than the smallest piece, but no multiple of what disks write at a time ...
ODD_BYTES=$((1024 * 1024 + 3584))
# ... so that with it and with the block below it, this is not the same number of pieces.
ODD_KIB=$((8 * 1024 + 16))

# From huge pages a request is as large as it was asked for; $1 of them, $2 KiB each, are so many for the scheduler: $3;
# the rest: more options
in_pieces() {
	pieces_wanted=$3
	pieces_kib=$2
	pieces_all_kib=$(($1 * $2))
	shift 3
	before=$(gauge a writes)
	fio_run --filename=/dev/mapper/a --rw=write --bs="${pieces_kib}k" --size="${pieces_all_kib}k" \
		--mem=mmaphuge --verify=crc32c --do_verify=1 --verify_fatal=1 "$@" || return
	pieces_nr=$(($(gauge a writes) - before))
	echo "$pieces_nr writes"
	[ "$pieces_nr" -eq "$pieces_wanted" ]
}

same_without() {
	seen=$(checksum /dev/mapper/a)
	dm_remove a
	[ "$seen" = "$(checksum "$NULL_BLK" 8)" ]
}

# Takes a fraction of the time for which requests are held back.
at_once() {
	once_ms=$(now_ms)
	"$@" && [ $(($(now_ms) - once_ms)) -lt 5000 ]
}

holds_some() { [ "$(gauge a queued)" -gt 8 ]; }
flush() { dd if=/dev/null of="/dev/mapper/$1" conv=fsync,notrunc; }
flushes_at_once() {
	before=$(gauge a flushes)
	at_once flush a && [ "$(gauge a flushes)" -gt "$before" ]
}

# A file system's journal commits although its data may not go on.
metadata_go() {
	before=$(gauge a dispatched_urgent)
	prepare_ext4
	dmsetup message a 0 weight 50
	mkfs.ext4 -q -F /dev/mapper/a && mkdir -p /mnt/a && mount -t ext4 /dev/mapper/a /mnt/a || return
	dmsetup message a 0 set max_iops 100 burst_ms 0
	mkdir /mnt/a/dir && sync && ls -l /mnt/a && umount /mnt/a && [ "$(gauge a dispatched_urgent)" -gt "$before" ]
}

null_blk_create "$DISK_MB" memory_backed discard=1 cache_size=8 irqmode=2 completion_nsec=1000000
check "a stream appears" qos_create a "$NULL_BLK" 8 48 max_iops 20 burst_ms 0 drive_queue_depth 2
check "and another" qos_create b "$NULL_BLK" 64 64 max_mb_s 2 burst_ms 0
check "data are right that had to wait" verify_both
check "they had to" waited a
check "the other one, too" waited b
check "for their limits" [ "$(gauge b limited)" -gt 0 ]
check "which are lifted" dmsetup message a 0 set max_iops 0 weight 50
if [ -f "$HUGE_PAGES" ]; then
	# of 2 MiB each
	echo 16 >"$HUGE_PAGES"
	check "large writes come in pieces of 1 MiB" in_pieces 4 8192 32
	check "or as large as was promised" dmsetup message a 0 set util_ppm 10000 block_bytes 4M
	check "which makes fewer" in_pieces 4 8192 8
	check "a promise of an odd size" dmsetup message a 0 block_bytes "$ODD_BYTES"
	check "makes pieces of whole blocks" in_pieces 4 "$ODD_KIB" 36 --ioengine=libaio
	check "which is done when its submitter must not sleep, too" in_pieces 4 "$ODD_KIB" 36 --ioengine=io_uring
	check "nothing is promised any more" dmsetup message a 0 set util_ppm 0 block_bytes 4k
	echo 0 >"$HUGE_PAGES"
else
	ktap_skip "large writes come in pieces" "this kernel has no huge pages"
fi
check "discards pass" discards
check "zeroes are written" zeroes
check "bytes are where they belong" same_without
check_equal "the other one is still there" "$NULL_BLK" "/dev/$(basename "$(readlink -f /sys/dev/block/"$(gauge b drive)")")"
dm_remove b

# LVM's place is either side
check "a logical volume" dm_create lv "0 $((48 * SECTORS_PER_MB)) linear $NULL_BLK 0"
check "another one" dm_create lv2 "0 $((48 * SECTORS_PER_MB)) linear $NULL_BLK $((64 * SECTORS_PER_MB))"
check "streams on both, of one drive" qos_create a /dev/mapper/lv 0 48 drive ssd1 util_ppm 300000 max_iops 20 burst_ms 0
check "that has a name" qos_create b /dev/mapper/lv2 0 48 drive ssd1
check_equal "it is one" "300000 ssd1" "$(gauge b used_ppm) $(gauge b drive)"
check "a volume on a stream" dm_create top "0 $((40 * SECTORS_PER_MB)) linear /dev/mapper/a $((4 * SECTORS_PER_MB))"
check "data are right through all" verify /dev/mapper/top
check "they had to wait" waited a
check "not twice on one drive" qos_refused "drive: 'ssd1' already schedules" qos_create twice /dev/mapper/b 0 8 drive ssd1
check "twice on two drives" qos_create twice /dev/mapper/b 0 16 max_mb_s 20
check "data are right there" verify /dev/mapper/twice --size=2M
for name in twice top b a lv2 lv; do dm_remove "$name"; done

check "a stream that may not do much" qos_create a "$NULL_BLK" 0 64 max_iops 1 burst_ms 0
fio_run --filename=/dev/mapper/a --rw=randread --bs=4k --iodepth=16 --number_ios=30 --size=32M >/tmp/held 2>&1 &
held_pid=$!
check "requests wait" wait_for holds_some
check "flushes don't" flushes_at_once
check "they are urgent" [ "$(gauge a dispatched_urgent)" -gt 0 ]
# Who must not sleep asks again and again, which keeps the processor busy: for less long.
dmsetup message a 0 max_iops 4
check "requests that must not make anybody sleep may wait" \
	fio_run --ioengine=libaio --nowait=1 --filename=/dev/mapper/a --rw=randread --bs=4k --iodepth=4 --number_ios=2 --size=32M
check "the limit is lifted" dmsetup message a 0 max_iops 0
check "and all goes" wait "$held_pid"
if command -v mkfs.ext4 >/dev/null; then
	check "a file system's metadata are urgent" metadata_go
else
	ktap_skip "a file system's metadata are urgent" "no mkfs.ext4 in this image"
fi
ktap_done
