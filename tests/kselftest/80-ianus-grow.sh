#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# A mirror becomes larger, and gets a third member, by another table, under load.  What was in
# it stays, what is new is the same on all members; and if the metadata can't be written
# up to the end, it is what it was before.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

MEMBER_MB=64
REGION_KIB=64
DISCARD_REGIONS=1024
# Not to the end of a region.
SMALL_SECTORS=36872
LARGE_SECTORS=$((MEMBER_MB * SECTORS_PER_MB))
META_LEG=3
SUPER_SECTORS=16
PATTERN_BYTES=1048576
# The pattern's second half is behind the end of the small mirror.
EDGE_SECTOR=$((SMALL_SECTORS - PATTERN_BYTES / 1024))

devices() {
	legs_create 4 && META=/dev/mapper/leg$META_LEG &&
		MEMBERS="${MEMBERS% /dev/mapper/leg"$META_LEG" 0}"
	for leg_full in 0 1 2; do
		yes "garbage of $leg_full" | dd of="$(leg_disk "$leg_full")" bs=1M oflag=direct iflag=fullblock count="$MEMBER_MB" 2>/dev/null ||
			return
	done
}
# $1: sectors, $2: members, the rest: keys and values
line() {
	# shellcheck disable=SC2086 # words
	line_members=$(echo $MEMBERS | cut -d ' ' -f "1-$(($2 * 2))")
	line_start="0 $1 ssdqos-ianus $2 $line_members $META"
	shift 2
	set -- region_kib "$REGION_KIB" switch_ms 100 cache_kib 4096 "$@"
	echo "$line_start $# $*"
}
becomes() { dmsetup reload m --table "$(line "$@")" && dmsetup resume m; }
# What a discard covers is looked at with the lock held.
discards_are_short() { [ "$(cat "/sys/block/$(dm_kernel_name m)/queue/discard_max_bytes")" = $((DISCARD_REGIONS * REGION_KIB * 1024)) ]; }
is_sectors() { [ "$(blockdev --getsz "$M")" = "$1" ]; }
pattern() { yes "$1" | head -c "$PATTERN_BYTES"; }
# $1: what, $2: from which sector
put() { pattern "$1" | dd of="$M" bs=4k seek="$(($2 / 8))" oflag=direct iflag=fullblock conv=notrunc,fsync 2>/dev/null; }
has() { [ "$(dd if="$M" bs=4k skip="$(($2 / 8))" count=256 iflag=direct 2>/dev/null | md5sum -)" = "$(pattern "$1" | md5sum -)" ]; }
all_agree() {
	MEMBER_COUNT=$1
	wait_for is_whole && suspended_agree
}
begin_load() {
	fio_run --filename="$M" --rw=randwrite --bs=4k --iodepth=16 --size=12m --verify=crc32c --verify_fatal=1 --do_verify=1 \
		--loops=3 >/tmp/load 2>&1 &
	LOAD=$!
	wait_for has_writes
}
has_writes() { [ "$(gauge m writes)" -gt 500 ]; }
end_load() { wait "$LOAD" || { cat /tmp/load; return 1; }; }
refuses() { ianus_refused "$1" dmsetup reload m --table "$2"; }
# Of the metadata device, what is before the masks: it can be read and not written.
super_fails() {
	{
		echo "0 $SUPER_SECTORS flakey $(leg_disk "$META_LEG") 0 0 1 1 error_writes"
		echo "$SUPER_SECTORS $((MEMBER_SECTORS - SUPER_SECTORS)) linear $(leg_disk "$META_LEG") $SUPER_SECTORS"
	} | dmsetup reload "leg$META_LEG" && dmsetup suspend --noflush --nolockfs "leg$META_LEG" && dmsetup resume "leg$META_LEG"
}
# It stays suspended, with a table that could not begin.
cut_short() { ianus_refused "can't be written" becomes "$@"; }
starts_again() { dm_remove m && dm_create m "$(line "$@")"; }
copied_at_most() { [ "$(gauge m copied_blocks)" -le $(($1 / 8)) ]; }
third_lacks_all() { [ "$(gauge m stale_regions2)" -gt 0 ] || [ "$(gauge m copied_blocks)" -ge $((LARGE_SECTORS / 8)) ]; }

require_target ssdqos-ianus
require_cmd fio
check "devices, full of something else each" devices
check "a mirror that is smaller than they are" dm_create m "$(line "$SMALL_SECTORS" 2)"
check "it has data" put first 0
check "discards are cut into pieces of few regions" discards_are_short
check "up to its end" put edge "$((SMALL_SECTORS - PATTERN_BYTES / 512))"
check "its members have the same" wait_for is_whole

check "it is to become larger, and the superblock can't be written" super_fails
check "so it can't begin" cut_short "$LARGE_SECTORS" 3
check "the metadata device is back" leg_becomes "$META_LEG" linear
check "it goes on as it was" becomes "$SMALL_SECTORS" 2
check "with its size" is_sectors "$SMALL_SECTORS"
check "its data" has first 0
check "and members that have the same" is_whole

check "there is load" begin_load
check "it becomes larger" becomes "$LARGE_SECTORS" 2
check "as it says" is_sectors "$LARGE_SECTORS"
check "what is written across the old end" put across "$EDGE_SECTOR"
check "is there" has across "$EDGE_SECTOR"
check "load saw nothing" end_load
check "what is new is the same on both" wait_for is_whole
check "data are there" has across "$EDGE_SECTOR"
check "it goes, and comes back" starts_again "$LARGE_SECTORS" 2
check "with nothing to be copied" is_whole
check "with its data" has across "$EDGE_SECTOR"
check "a shorter table is refused" refuses "can't become smaller" "$(line "$SMALL_SECTORS" 2)"

check "there is load" begin_load
check "it gets a third member" becomes "$LARGE_SECTORS" 3
check "which lacks all" third_lacks_all
check "load saw nothing" end_load
check "all three have the same in the end" all_agree 3
check "data are there" has across "$EDGE_SECTOR"
check "a table without it is refused" refuses "of a mirror of 3 members" "$(line "$LARGE_SECTORS" 2)"
check "two fail" dmsetup message m 0 fail 0
check "so that" dmsetup message m 0 fail 1
check "the new one serves alone" has across "$EDGE_SECTOR"
check "it goes" dm_remove m
for leg in 0 1 2 "$META_LEG"; do check "and its devices" dm_remove "leg$leg"; done

# 4,032 masks are a block: up to 252 MiB.  Empty, so that nothing has to be copied at first.
ONE_BLOCK_SECTORS=$((250 * SECTORS_PER_MB))
MEMBER_MB=256
TWO_BLOCKS_SECTORS=$((MEMBER_MB * SECTORS_PER_MB))
EDGE_SECTOR=$((ONE_BLOCK_SECTORS - PATTERN_BYTES / 1024))
check "larger members" members_create 2
check "a mirror whose masks are one block" dm_create m "$(line "$ONE_BLOCK_SECTORS" 2 assume_same on)"
check "it has data" put first 0
check "it becomes so large that they are two" becomes "$TWO_BLOCKS_SECTORS" 2
check "what is written across the old end" put across "$EDGE_SECTOR"
check "what is new has to be copied" wait_for is_whole
check "and no more" copied_at_most $((TWO_BLOCKS_SECTORS - ONE_BLOCK_SECTORS))
check "it goes, and comes back" starts_again "$TWO_BLOCKS_SECTORS" 2
check "with nothing to be copied" is_whole
check "with its data" has first 0
check "old and new" has across "$EDGE_SECTOR"
check "it goes" dm_remove m

# A superblock may say that there are 2^26 regions, of 64 KiB; what was never written takes no memory.
MEMBER_MB=$((4 * 1024 * 1024 + 1))
META_MB=140
check "members of more than 4 TiB" members_create 2
check "a mirror that could never begin again is refused" ianus_refused "region_kib: '64' makes 67108880 regions" \
	dmsetup create x --table "$(line $((MEMBER_MB * SECTORS_PER_MB)) 2 assume_same on)"
ktap_done
