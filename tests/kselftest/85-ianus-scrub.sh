#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# Members of a mirror are compared: what a drive has not kept is found, told and mended from
# the others, also what it can't read any more, while clients read and write.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

require_target ssdqos-ianus
require_cmd fio

BLOCK_BYTES=4096
BLOCK_SECTORS=8
REGION_BLOCKS=256
# A place in the third region.
ROTTEN_BLOCK=$((2 * REGION_BLOCKS + 31))
ROTTEN_SECTOR=$((ROTTEN_BLOCK * BLOCK_SECTORS))
LOAD_S=3
MEMBER_SECTORS=$((MEMBER_MB * SECTORS_PER_MB))

rot() { yes rotten | dd of="$1" bs="$BLOCK_BYTES" seek="$ROTTEN_BLOCK" count="$2" oflag=direct iflag=fullblock conv=notrunc 2>/dev/null; }
counts() { [ "$(gauge m "$1")" -eq "$2" ]; }
# Member 2 is copied to where another can't read a block, until that one was asked.
ROUNDS=20
writes_beside_it() {
	dd if=/dev/zero of="$M" bs="$BLOCK_BYTES" seek=$((ROTTEN_BLOCK + 1)) count=1 oflag=direct conv=notrunc 2>/dev/null
}
is_copied_from_another() {
	for round in $(seq "$ROUNDS"); do
		dmsetup message m 0 fail 2 && writes_beside_it && dmsetup message m 0 join 2 && wait_for is_whole || return
		[ "$(gauge m read_retries)" -eq 0 ] || break
	done
	[ "$(gauge m read_retries)" -gt 0 ] && counts failures "$round"
}
fills() { yes "$1" | dd of="$M" bs=1M count="$MEMBER_MB" oflag=direct iflag=fullblock 2>/dev/null; }
mirror_sum() { dd if="$M" bs=1M iflag=direct 2>/dev/null | md5sum -; }

members_create 3 || exit
ianus_create switch_ms 100 cache_kib 8192 assume_same on rebuild_mb_s 0 || exit
fills before
dmsetup suspend m && dmsetup resume m
before=$(mirror_sum)

check "only start and stop can be said" ianus_refused "neither start nor stop" dmsetup message m 0 scrub maybe
check "all is compared, and nothing differs" scrub
check "blocks are counted" counts compared_blocks $((MEMBER_MB * 256))
check "once" counts scrubs 1
check "and none differs" counts differing_blocks 0

# They are not read together.
rot "$(member 2)" 2
check "what a drive has not kept is found" scrub
check "in two blocks" counts differing_blocks 2
check "it is mended" wait_for is_whole
check "nobody is given up for that" counts failures 0
check "what the mirror has is as it was" [ "$(mirror_sum)" = "$before" ]
dmsetup suspend m
check "and all members have it" members_agree
dmsetup resume m
check "afterwards nothing differs any more" scrub
check "in no further block" counts differing_blocks 2

rot "$(member 1)" 1
fio --name=load --filename="$M" --rw=randrw --bs=4k --iodepth=8 --ioengine=libaio --direct=1 \
	--time_based --runtime="$LOAD_S" --verify=crc32c --verify_fatal=1 --verify_backlog=64 \
	--offset="$((MEMBER_MB / 2))m" --size="$((MEMBER_MB / 2))m" >/tmp/load.log 2>&1 &
load=$!
check "likewise while clients write" scrub
check "which reads what it has written" wait "$load"
check "that block was found" [ "$(gauge m differing_blocks)" -ge 3 ]
check "and mended" wait_for is_whole
dmsetup suspend m
check "all members have the same again" members_agree
dmsetup resume m
dm_remove m

# A member with a block that can neither be read nor written any more.
bad=$(member 0)
dm_create weak "0 $MEMBER_SECTORS linear $bad 0" || exit
MEMBERS=" $(member 1) 0 /dev/mapper/weak 0 $(member 2) 0"
ianus_create switch_ms 100 cache_kib 8192 rebuild_mb_s 0 || exit
before=$(mirror_sum)
after=$((ROTTEN_SECTOR + BLOCK_SECTORS))
printf '0 %d linear %s 0\n%d %d error\n%d %d linear %s %d\n' "$ROTTEN_SECTOR" "$bad" "$ROTTEN_SECTOR" \
	"$BLOCK_SECTORS" "$after" $((MEMBER_SECTORS - after)) "$bad" "$after" >/tmp/weak
dmsetup suspend weak
dmsetup reload weak /tmp/weak
dmsetup resume weak
check "a copy of what a drive can't read is made from another" is_copied_from_another
before=$(mirror_sum)
check "what a drive can't read is found" scrub
check "it is one block" counts differing_blocks 1
check "it can't be mended there, so that member is given up" wait_for is_state 1 failed
check "the mirror has all" [ "$(mirror_sum)" = "$before" ]
dm_remove m
dm_remove weak

ktap_done
