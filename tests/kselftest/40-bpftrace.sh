#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# include: tools/bpf/ssdqos.bt
# timeout: 240
# The bpftrace script understands the trace events.  bpftrace is too large for
# every run; to have it in the machine:
#
#	tests/vm/vm run --kernel 6.1 --mem 2048 --include /usr/bin/bpftrace:/usr/bin/bpftrace \
#		tests/kselftest/40-bpftrace.sh

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

OUT=/tmp/bpf
ATTACH_S=180

attached() { grep -q "^ *ms device" "$OUT"; }
starts() {
	bpftrace "${0%/*}/ssdqos.bt" >"$OUT" 2>&1 &
	TRACER=$!
	wait_for -t "$ATTACH_S" attached || { cat "$OUT"; return 1; }
}
ends() { kill -INT "$TRACER" && wait "$TRACER"; }
prints() { grep -qE "$1" "$OUT" || { tail -n 20 "$OUT"; return 1; }; }

require_cmd bpftrace
# shellcheck disable=SC2086 # words of a line
check "a drive appears" flash_on_null drive "$FLASH_MIN_MB" aged_pct 100 $PLAIN scheduler debit gc_share_mode feedback \
	gc_share_p_ppm 2000 gc_share_i_ppm 900000 program_ns 2000000 buffer_kib 256 map_cache_kib 32
check "the script starts" starts
check "requests run" load_start
check "for a while" load_runs
check "data are right" load_stop
check "the script ends" ends
check "share changes are printed" prints ' share of gc +[0-9]+ -> +[0-9]+ ppm, error [0-9]+$'
check "free blocks are printed" prints ' plane [0-9]+ has [0-9]+ free blocks, gc: victim$'
check "causes are summed up" prints '^@read_us\[flash\]: [1-9]'
check "and shown as histograms" prints '^@wait_us\[by_gc\]:'
ktap_done
