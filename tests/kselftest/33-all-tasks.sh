#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# Every task has work at the same time: data stay right, every nanosecond of a
# request is accounted for, and tables and devices change and go meanwhile.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck source=tests/kselftest/lib-trace.sh
. "${0%/*}/lib-trace.sh"

# Thresholds so low that all have something to do.
COMMON="aged_pct 95 op_permille 500 buffer_kib 256 scrub_start_reads 40000 scrub_stop_reads 30000 wear_start_cycles 1 pages_per_block 16 \
gc_copyback on verify on verify_share_mode feedback verify_share_p_ppm 10000 verify_target 1"
DYNAMIC="$COMMON map_cache_kib 32 wear_share_mode feedback wear_share_p_ppm 2000"
STRIPES="$COMMON map_cache_kib 32 allocation static rain on rain_flush stripes flush_start_pct 50"
TASKS="map gc scrub verify wear"

counter() { gauge drive "$1"; }
all_work() {
	for task in $TASKS; do
		[ "$(cat "$(flash_sysfs drive)/tasks/$task/issued")" -gt 0 ] || { echo "$task has none" && return 1; }
	done
}

rounds() {
	for round in 1 2 3; do
		"$@" && load_runs || return
	done
}
suspend_resume() { dmsetup suspend drive && [ ! -e "$DIR" ] && dmsetup resume drive && [ -d "$DIR/tasks/gc" ]; }
# shellcheck disable=SC2086 # words of a line
reload_scheduler() {
	for scheduler in wfq priority debit; do
		flash_reload drive "$(flash_line "$NULL_BLK" "$SECTORS" $LINE scheduler "$scheduler")" && load_runs || return
		[ "$(cat "$DIR/params/scheduler")" = "$scheduler" ] || return
	done
}
tune() {
	for task in gc scrub verify wear; do
		put "$DIR/tasks/$task/mode" static && put "$DIR/tasks/$task/share" $((round * 50)) &&
			put "$DIR/tasks/$task/mode" feedback || return
	done
}
# What blocks and who waits changes while blocks are emptied and requests are parked.
block() {
	for level in bursts plane channel controller preemptive none; do
		dmsetup message drive 0 gc_blocking "$level" && load_runs || return
	done
}
# Only stripes have turns.
take_turns() {
	for rotate in on forced off; do
		for level in plane preemptive none; do
			dmsetup message drive 0 gc_blocking "$level" && dmsetup message drive 0 rotate "$rotate" && load_runs || return
		done
	done
}
# What is copied inside flash is verified beside the load; what is left when that ends comes later.
verify() {
	for switch in off on off on; do
		dmsetup message drive 0 verify "$switch" && load_runs || return
	done
	verified=$(counter verify_pages)
	wait_for verifies_on
}
verifies_on() { echo "$(counter verify_pages) pages, $verified before" && [ "$(counter verify_pages)" -gt "$verified" ]; }
well_traced() { well_formed block_verified "$DEV time_ns=$NUMBER plane=$NUMBER block=$NUMBER unverified_pages=$NUMBER"; }
all_verified() {
	flash_settle drive && echo "$(counter unverified_pages) of $(counter flash_copybacks) copies" && [ "$(counter unverified_pages)" = 0 ]
}
no_turns() { refused_with "rotate: needs rain 'on'" dmsetup message drive 0 rotate on; }
long_messages() { dmsetup message drive 0 save && dmsetup message drive 0 load && dmsetup message drive 0 reset_stats; }
# Files come and go with suspend: what can't be read is no failure.
looks() {
	while [ -e /tmp/look ]; do
		cat "$DIR"/tasks/*/* "$DIR/waits" "$DIR/status"
		echo 30 >"$DIR/tasks/gc/share"
	done >/dev/null 2>&1
}
# A reader that holds the files open doesn't keep the device from going.
goes_while_read() {
	touch /tmp/look
	looks &
	looker=$!
	rounds suspend_resume && dmsetup remove --deferred drive && kill -TERM "$LOAD" && { wait "$LOAD" || :; } && wait_for gone
	gone_status=$?
	rm /tmp/look
	wait "$looker"
	return "$gone_status"
}
gone() { ! find_node drive; }

trace_prepare
null_blk_create "$FLASH_MIN_MB" memory_backed discard=1 || skip_all "no null_blk"
SECTORS=$(sectors "$NULL_BLK")
for LINE in "$DYNAMIC" "$STRIPES"; do
	kind=dynamic
	[ "$LINE" = "$DYNAMIC" ] || kind=stripes
	# shellcheck disable=SC2086 # words of a line
	check "$kind: a drive on which all tasks work" flash_create drive "$NULL_BLK" $LINE
	DIR=$(flash_sysfs drive)
	trace_start request_completed block_verified
	check "$kind: requests run" load_start "$GENTLE"
	check "$kind: for a while" rounds load_runs
	trace_stop
	check "$kind: all tasks have work" wait_for all_work
	check "$kind: causes of waiting add up to the latency" waits_add_up 100
	check "$kind: suspend and resume" rounds suspend_resume
	check "$kind: schedulers by reload" reload_scheduler
	check "$kind: shares by sysfs" rounds tune
	check "$kind: what collection blocks" rounds block
	if [ "$kind" = stripes ]; then
		check "$kind: turns" rounds take_turns
	else
		check "$kind: no turns" no_turns
	fi
	check "$kind: copies are verified" verify
	check "$kind: which is traced" well_traced
	check "$kind: save and load" rounds long_messages
	check "$kind: data are right" load_stop
	check "$kind: at rest, nothing is left to verify" all_verified
	check "$kind: requests run again" load_start "$GENTLE"
	check "$kind: removal while somebody looks" goes_while_read
done
ktap_done
