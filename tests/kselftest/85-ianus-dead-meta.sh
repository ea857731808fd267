#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# The metadata can't be written while a member has failed.  A suspend does not wait for them much
# longer than half a minute, says so, and nothing that was answered is lost, whether the same table
# goes on or another one begins, which reads metadata that don't know of it.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

MEMBER_MB=8
META_LEG=2
# Far less than what a suspend waits for members.
BOUND_S=120

put() { yes "$1" | head -c 4096 | dd of="$M" bs=4k seek=7 oflag=direct conv=notrunc,fsync iflag=fullblock 2>/dev/null; }
has() { [ "$(dd if="$M" bs=4k skip=7 count=1 iflag=direct 2>/dev/null | head -n 1)" = "$1" ]; }
# The last leg has the metadata.
devices() {
	legs_create 3 && META=/dev/mapper/leg$META_LEG && MEMBERS="${MEMBERS% /dev/mapper/leg"$META_LEG" 0}" && MEMBER_COUNT=2
}
is_told() { [ "$(gauge m "$1")" = "$2" ]; }
rests() {
	rests_ms=$(now_ms)
	kmsg_mark
	dmsetup suspend m && kmsg_new | grep -q "metadata could not be written: they do not say" &&
		[ $(($(now_ms) - rests_ms)) -lt $((BOUND_S * 1000)) ]
}
# $1: what is written when only the mirror knows who lacks it
rests_unnoted() {
	leg_becomes "$META_LEG" error && dmsetup message m 0 fail 1 && put "$1" && wait_for is_told meta_failed 1 && rests &&
		leg_becomes "$META_LEG" linear
}
begins() { ianus_reload assume_same on switch_ms 100 cache_kib 2048; }
# The only member that has all is not in the table.
begins_without() {
	all=$MEMBERS
	MEMBERS=" - 0${MEMBERS#" $(member 0) 0"}"
	ianus_refused "none that is here has all" begins
	begins_status=$?
	MEMBERS=$all
	return "$begins_status"
}
# Superblocks are read, and what is behind them is not.
META_SUPERS=16
is_going() { [ "$(dmsetup info -c --noheadings -o suspended m)" = Active ]; }
half_is_dead() {
	half_disk=$(leg_disk "$META_LEG")
	dmsetup reload "leg$META_LEG" --table "0 $META_SUPERS linear $half_disk 0
$META_SUPERS $((MEMBER_SECTORS - META_SUPERS)) error" && dmsetup suspend --noflush --nolockfs "leg$META_LEG" &&
		dmsetup resume "leg$META_LEG"
}
refuses_half() { ianus_refused "meta: .* can't be read" begins && is_going && has "$1"; }

require_virtual_clock
require_target ssdqos-ianus
check "devices" devices
check "a mirror" ianus_create assume_same on switch_ms 100 cache_kib 1024
check "it is written" put first
check "the metadata device fails" leg_becomes "$META_LEG" error
check "and a member, which nobody can note" dmsetup message m 0 fail 1
check "it is written all the same" put second
check "that is told" wait_for is_told meta_failed 1
check "it rests" rests
check "the metadata device is back" leg_becomes "$META_LEG" linear
check "it goes on" dmsetup resume m
check "with what was written" has second
check "the metadata are written again" wait_for is_told meta_failed 0
check "the member joins" wait_for dmsetup message m 0 join 1
check "it is whole" wait_for is_whole
check "all members have the same" suspended_agree
check "with what was written" has second

check "the same again" rests_unnoted third
check "another table begins" begins
check "with what was written" has third
check "and copies it" wait_for is_whole
check "to the member that had failed" suspended_agree
check "the mirror knows no more of it" begins
check "and has the same" suspended_agree
check "once more" rests_unnoted fourth
check "a table without the member that has all can't begin" begins_without
check "the next one can" begins
check "and knows who lacks what" wait_for is_whole
check "all members have the same" suspended_agree
check "that is what was written" has fourth
check "masks can't be read any more" half_is_dead
check "another table is refused when it is loaded, and the mirror goes on" refuses_half fourth
check "the metadata device is back" leg_becomes "$META_LEG" linear
check "and the table begins" begins
check "it goes" dm_remove m
for leg in 0 1 "$META_LEG"; do check "and its devices" dm_remove "leg$leg"; done
ktap_done
