#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# include: tools/bpf/who-delayed-whom.bt
# timeout: 240
# The bpftrace script finds who delayed whom.  bpftrace is too large for every
# run; to have it in the machine:
#
#	tests/vm/vm run --kernel 6.1 --mem 2048 --include /usr/bin/bpftrace:/usr/bin/bpftrace \
#		tests/kselftest/57-qos-bpftrace.sh

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

OUT=/tmp/bpf
ATTACH_S=180

attached() { grep -q "^looking" "$OUT"; }
starts() {
	bpftrace "${0%/*}/who-delayed-whom.bt" >"$OUT" 2>&1 &
	TRACER=$!
	wait_for -t "$ATTACH_S" attached || { cat "$OUT"; return 1; }
}
ends() { kill -INT "$TRACER" && wait "$TRACER"; }
prints() { grep -qE "$1" "$OUT" || { tail -n 30 "$OUT"; return 1; }; }
us() { sed -n "s/^@delayed_by_us\[$1, $2\]: //p" "$OUT"; }

require_cmd bpftrace
slow_disk 96
check "a stream appears" qos_create modest "$NULL_BLK" 0 32 drive_queue_depth "$SLOW_DEPTH" weight 200
check "and a greedy one" qos_create greedy "$NULL_BLK" 32 32
check "and one that does nothing" qos_create idle "$NULL_BLK" 64 32
check "their drive gets a profile" slow_profile modest
check "the script starts" starts
job_start greedy --rw=randread --iodepth=64
job_start modest --rw=randread --iodepth=1
sleep 5
check "requests stop" jobs_stop
check "the script ends" ends
check "devices are named" prints '^client 0 is [0-9]+:[0-9]+$'
check "the greedy one delayed the modest one" [ "$(us 0 1)" -gt 1000 ]
check "who did nothing delayed nobody" [ "$(us 0 2)" = 0 ]
check "reasons are counted" prints '^@reason\[1, (depth|deadline)\]: [1-9]'
check "and decisions" prints '^@decision\[1, spare\]: [1-9]'
ktap_done
