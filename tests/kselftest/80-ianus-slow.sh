#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 9000
# Members so slow that a suspend takes longer than it waits for one that does nothing: it waits for them, and
# all of them have all in the end.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

MEMBER_MB=8
# What a write takes.
WRITE_MS=20000
BLOCKS=48
# IANUS_DRAIN_S
WAIT_S=600

devices() {
	legs_create 2 || return
	for leg in 0 1; do
		slow_disk=$(leg_disk "$leg")
		dmsetup reload "leg$leg" --table "0 $MEMBER_SECTORS delay $slow_disk 0 0 $slow_disk 0 $WRITE_MS" &&
			dmsetup suspend "leg$leg" && dmsetup resume "leg$leg" || return
	done
}
put() { yes "$1" | head -c $((BLOCKS * 4096)) | dd of="$M" bs=64k oflag=direct iflag=fullblock conv=notrunc 2>/dev/null; }
rests() {
	rests_ms=$(now_ms)
	kmsg_mark
	dmsetup suspend m && [ $(($(now_ms) - rests_ms)) -gt $((WAIT_S * 1000)) ] &&
		! kmsg_new | grep -q "could not be written to all members"
}

require_virtual_clock
require_target ssdqos-ianus
check "members" devices
check "a mirror that writes one block at a time" \
	ianus_create assume_same on switch_ms 100 cache_kib 1024 depth 1 run_kib 4
check "it is written" put first
check "it rests, which takes long" rests
check_equal "nothing is in its cache" 0 "$(gauge m cache_used_blocks)"
check "all members have the same" same_bytes "$(member 0)" "$(member 1)" 1
check "it goes on" dmsetup resume m
check "it goes" dm_remove m
for leg in 0 1; do check "and its devices" dm_remove "leg$leg"; done
ktap_done
