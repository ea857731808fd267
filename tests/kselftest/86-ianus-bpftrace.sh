#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# include: tools/bpf/ianus.bt
# timeout: 240
# The bpftrace script shows turns of a mirror, and a failure.  bpftrace is too large for every
# run; to have it in the machine:
#
#	tests/vm/vm run --kernel 6.1 --mem 2048 --include /usr/bin/bpftrace:/usr/bin/bpftrace \
#		tests/kselftest/86-ianus-bpftrace.sh

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

OUT=/tmp/bpf
ATTACH_S=180
# Of 50 ms each.
TURNS=20

attached() { grep -q "^looking" "$OUT"; }
starts() {
	bpftrace "${0%/*}/ianus.bt" >"$OUT" 2>&1 &
	TRACER=$!
	wait_for -t "$ATTACH_S" attached || { cat "$OUT"; return 1; }
}
ends() { kill -INT "$TRACER" && wait "$TRACER"; }
prints() { grep -qE "$1" "$OUT" || { tail -n 30 "$OUT"; return 1; }; }
# Turns end only if somebody lacks something.
writes() {
	while ! switched "$TURNS"; do
		dd if=/dev/zero of="$M" bs=64k count=16 oflag=direct conv=notrunc 2>/dev/null || return
	done
}

require_target ssdqos-ianus
require_cmd bpftrace
check "members and a metadata device" members_create 2
check "the mirror appears" ianus_create switch_ms 50 cache_kib 4096 assume_same on
check "the script starts" starts
check "turns begin and end" writes
check "a member fails" dmsetup message m 0 fail 1
check "and is back" wait_for dmsetup message m 0 join 1
check "the mirror is whole" wait_for is_whole
check "the script ends" ends
check "a failure is printed" prints '^mirror [0-9]+:[0-9]+ member 1: failed, was [a-z]+$'
check "turns have a time, and a reason" prints '^@turn_ms\[(time|full)\]: *$'
check "the cache is seen" prints '^@cache_pct: *$'
check "states have a time" prints '^@state_ms\[reading\]: *$'
check "who led is counted" prints '^@led\[[0-9]+, 0\]: [1-9]'
check "and who changed to what" prints '^@changes\[[0-9]+, 0, writing, (idling|reading)\]: [1-9]'
ktap_done
