#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# Two members are copied to at once, and one of them can't be written: the other one has all in the end.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

MEMBER_MB=16
# More parts of a region than kcopyd has under way.
SUBJOB=/sys/module/dm_mod/parameters/kcopyd_subjob_size_kb
SUBJOB_KB=4
# What leaves time to fail.
SLOW_MB_S=1

parts_are() {
	subjob_was=$(cat "$SUBJOB")
	on_exit "echo $subjob_was >$SUBJOB"
	echo "$1" >"$SUBJOB"
}
fills() { yes "$1" | dd of="$M" bs=1M count="$MEMBER_MB" oflag=direct iflag=fullblock conv=notrunc,fsync 2>/dev/null; }
fails() { dmsetup message m 0 fail "$1"; }
joins() { dmsetup message m 0 join "$1"; }
# Regions behind those that were copied at once have to be copied to both.
come_back() {
	dmsetup message m 0 rebuild_mb_s "$SLOW_MB_S" || return
	for back in 1 2; do wait_for joins "$back" || return; done
	wait_for lacks 1 && wait_for lacks 2
}
lacks() { [ "$(gauge m "stale_regions$1")" -gt 8 ]; }
is_copied() { [ "$(gauge m stale_regions2)" = 0 ]; }
has_the_same() {
	dmsetup suspend m && same_bytes "$(member 0)" "$(member "$1")"
	same_status=$?
	dmsetup resume m && return "$same_status"
}

require_target ssdqos-ianus
[ -w "$SUBJOB" ] || skip_all "no $SUBJOB"
check "small parts" parts_are "$SUBJOB_KB"
check "devices" legs_create 3
check "a mirror" ianus_create assume_same on switch_ms 100 cache_kib 2048 region_kib 1024
check "it is full of something" fills before
check "two members fail" fails 1
check "so that" fails 2
check "they lack what is written then" fills after
check "they come back" come_back
check "one of them can't be written" leg_becomes 1 "flakey 0 1 1 error_writes"
check "both are copied to" dmsetup message m 0 rebuild_mb_s 0
check "it fails" wait_for is_state 1 failed
check "the other one is copied to" wait_for is_copied
check "and has the same" has_the_same 2
check "it goes" dm_remove m
for leg in 0 1 2; do check "and its devices" dm_remove "leg$leg"; done
ktap_done
