#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# A drive that is full, short of spare blocks, or flooded with discards gets
# slow, says why, and goes on.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

DRIVE=/dev/mapper/drive
# Slow enough for writes to overtake the flash on any machine.
SLOW="program_ns 2000000 erase_ns 5000000"

overwrite() {
	fio_run --filename="$DRIVE" --rw=randwrite --bsrange=4k-64k --iodepth=32 --size="$1" \
		--verify=crc32c --do_verify=1 --verify_fatal=1
}

# Fast flash: the garbage of such drives keeps them busy for long.
FAST="read_ns 5000 program_ns 40000 erase_ns 200000 channel_mb_s 2000"

# Over-provisioning just so that there is a drive; prints it.
least_op() {
	op=5
	until dmsetup create probe --table "$(flash_line "$NULL_BLK" "$SECTORS" op_permille "$op" "$@")" 2>/dev/null; do
		op=$((op + 5))
		[ "$op" -le 1000 ] || return
	done
	dmsetup remove --retry probe && echo "$op"
}

survives_least() {
	# shellcheck disable=SC2086 # words of a line
	least=$(least_op "$@") && flash_create drive "$NULL_BLK" op_permille "$least" aged_pct 100 $FAST "$@" || return
	overwrite 4M && [ "$(gauge drive gc_blocks)" -gt 0 ] && dm_remove drive
}

counts_stalls() {
	[ "$(gauge drive "$1_stalls")" -gt 0 ] && [ "$(gauge drive "$1_stall_ns")" -gt 0 ]
}

trim_storm() {
	fio_run --filename="$DRIVE" --rw=randtrim --bs=4k --iodepth=16 --size=8M --offset=32M --io_size=4M &
	storm=$!
	fio_run --filename="$DRIVE" --rw=randtrim --bs=1m --iodepth=4 --size=16M --offset=40M &
	storm="$storm $!"
	overwrite 4M || return
	for pid in $storm; do
		wait "$pid" || return
	done
}

# Blocks to keep free that the drive will never have.
greedy_for_space() {
	dmsetup message drive 0 gc_stop_blocks 65535 && dmsetup message drive 0 gc_start_blocks 65534 &&
		overwrite 4M && timeout 60 dmsetup message drive 0 save
}

null_blk_create "$FLASH_MIN_MB" memory_backed discard=1 || skip_all "no null_blk"
SECTORS=$(sectors "$NULL_BLK")
check "least over-provisioning, dynamic" survives_least
check "least over-provisioning, static" survives_least allocation static
check "least over-provisioning, copyback and one register" survives_least registers 1 gc_copyback on gc_policy greedy
check "least over-provisioning, ttflash's page and no cache" survives_least page_kib 4 cache none

# shellcheck disable=SC2086 # words of a line
check "a full drive with slow flash" flash_create drive "$NULL_BLK" aged_pct 100 buffer_kib 64 $SLOW
check "is overwritten" overwrite 4M
check "writes waited for the buffer, and were counted" counts_stalls buffer
check "and no plane is without a block now" test "$(gauge drive free_blocks)" -gt 0
dm_remove drive
# shellcheck disable=SC2086
check "a full drive without spare blocks" flash_create drive "$NULL_BLK" aged_pct 100 buffer_kib 64 \
	op_permille "$(least_op)" $SLOW
check "is overwritten, too" overwrite 4M
check "writes waited for space, and were counted" counts_stalls space
check "discards of all kinds beside writes" trim_storm
check "the same with blocks erased at once" eval "dmsetup message drive 0 trim_mode erase && trim_storm"
check "garbage collection without an end" greedy_for_space
check "the drive still becomes idle and is removed" dm_remove drive
ktap_done
