#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# The write caches of members are switched on when the mirror has long begun: what is flushed is flushed
# at them, too.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

MEMBER_MB=16
CACHE_MB=4
# Of a disk's stat: flushes that have ended.
STAT_FLUSHES=16

node() { echo "/sys/block/$(basename "$(member "$1")")"; }
# $1: "write through" or "write back"
caches_become() {
	for n in 0 1; do
		echo "$1" >"$(node "$n")/queue/write_cache" && [ "$(cat "$(node "$n")/queue/write_cache")" = "$1" ] || return
	done
}
flushes() { for n in 0 1; do awk -v n="$STAT_FLUSHES" '{ print $n }' "$(node "$n")/stat"; done | awk '{ n += $1 } END { print n }'; }
put() { yes "$1" | head -c 65536 | dd of="$M" bs=64k oflag=direct iflag=fullblock conv=notrunc,fsync 2>/dev/null; }
has() { [ "$(dd if="$M" bs=64k count=1 iflag=direct 2>/dev/null | md5sum -)" = "$(yes "$1" | head -c 65536 | md5sum -)" ]; }
flushes_grow() {
	flushes_before=$(flushes)
	put "$1" && [ "$(flushes)" -gt "$flushes_before" ]
}
flushes_stay() {
	flushes_before=$(flushes)
	put "$1" && [ "$(flushes)" = "$flushes_before" ]
}

require_target ssdqos-ianus
check "members with caches" members_create 2 cache_size="$CACHE_MB"
check "which are off" caches_become "write through"
check "a mirror" ianus_create assume_same on switch_ms 100 cache_kib 1024
check "no flush comes to them" flushes_stay first
check "caches are switched on" caches_become "write back"
check "a flush comes to a member" flushes_grow second
check "so it does to those of a table that begins now" ianus_reload switch_ms 100 cache_kib 1024
check "again" flushes_grow third
check "caches are switched off" caches_become "write through"
check "no flush comes to them" flushes_stay fourth
check "all is there" has fourth
check "and the members have the same" suspended_agree
check "it goes" dm_remove m
ktap_done
