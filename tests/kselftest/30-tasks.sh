#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# Tasks, their schedulers and shares: what sysfs shows and takes, and what
# changes under load.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck source=tests/kselftest/lib-trace.sh
. "${0%/*}/lib-trace.sh"

TASKS="flush gc host map scrub verify wear"
# Those of them that a controller can steer.
STEERED="flush gc scrub verify wear"
# Flash is the bottleneck on any machine, and collecting most of the work.
PROGRAM_MS=3
STEP_S=0.4
if [ "${SSDQOS_CLOCK-}" != virtual ]; then
	PROGRAM_MS=20
	STEP_S=2
fi
SLOW="read_ns 200000 program_ns ${PROGRAM_MS}000000 erase_ns 5000000 buffer_kib 64"
WRITES="--rw=randwrite --bs=16k --iodepth=16"
LEAST_RATIO=2
# Shares are steered when there is something to do; fio takes seconds to begin on the debug kernel.
SHARE_WAIT_S=60
SHARE_CHANGED="$DEV time_ns=$NUMBER task=$TASK error=$NUMBER old_ppm=$NUMBER new_ppm=$NUMBER"
OP_LENT="$DEV time_ns=$NUMBER task=$TASK plane=$NUMBER outstanding=$NUMBER limit=$NUMBER"

# ---- files ----

# $1: task, $2: files that it has
has_files() {
	cd "$DIR/tasks/$1" && seen=$(echo *) && cd / && echo "$seen" && [ "$seen" = "$2" ]
}

mirrors() {
	for task in $STEERED; do
		for pair in mode:share_mode p:share_p_ppm i:share_i_ppm target:target; do
			[ "$(cat "$DIR/tasks/$task/${pair%:*}")" = "$(cat "$DIR/params/${task}_${pair#*:}")" ] || return
		done
	done
}

# $1: task, $2: file, $3: value, $4: parameter of that
takes() {
	old=$(cat "$DIR/tasks/$1/$2")
	put "$DIR/tasks/$1/$2" "$3" && [ "$(cat "$DIR/params/$4")" = "$3" ] &&
		[ "$(cat "$DIR/tasks/$1/$2")" = "$3" ] && put "$DIR/tasks/$1/$2" "$old"
}

# Thresholds of collection scale with the drive, and what was asked for stays what it is.
in_force_scales() {
	blocks=$(tr ' ' '\n' <"$DIR/geometry" | sed -n 's/^blocks_per_plane=//p')
	grep . "$DIR"/params/gc_*_blocks "$DIR"/in_force/gc_*_blocks
	[ "$(cat "$DIR/in_force/gc_plane_blocks")" = "$blocks" ] && [ "$(cat "$DIR/params/gc_plane_blocks")" -gt "$blocks" ] &&
		[ "$(cat "$DIR/in_force/gc_start_blocks")" -lt "$(cat "$DIR/params/gc_start_blocks")" ]
}

in_force_is_told() {
	[ "$(cd "$DIR/params" && echo *)" = "$(cd "$DIR/in_force" && echo *)" ] &&
		[ "$(stat -c %a "$DIR"/in_force/* | sort -u)" = 444 ]
}

shares() { for task in "$@"; do cat "$DIR/tasks/$task/share"; done; }

# What the tasks have that work for the drive itself is taken from the host, if they are on.
host_has_rest() {
	put "$DIR/tasks/gc/share" 100 && put "$DIR/tasks/scrub/share" 50 && put "$DIR/tasks/wear/share" 25 &&
		put "$DIR/tasks/verify/share" 200 && [ "$(cat "$DIR/tasks/host/share")" = 825 ] &&
		dmsetup message drive 0 verify on && [ "$(cat "$DIR/tasks/host/share")" = 625 ] &&
		dmsetup message drive 0 verify off && put "$DIR/tasks/gc/share" 900 && put "$DIR/tasks/wear/share" 900 &&
		[ "$(cat "$DIR/tasks/host/share")" = 100 ]
}

in_status() {
	for task in $TASKS; do
		[ "$(gauge drive "share_$task")" = "$(cat "$DIR/tasks/$task/share")" ] || return
	done
}

# shellcheck disable=SC2086 # they are words
everything() { dmsetup table drive; shares $TASKS; }
# $1: words of the sentence, $2: file, $3: value
refuses() {
	before=$(everything)
	refused_with "$1" put "$DIR/tasks/$2" "$3" && [ "$before" = "$(everything)" ]
}
read_only() { ! put "$DIR/tasks/$1" 5 2>/dev/null && [ "$(stat -c %a "$DIR/tasks/$1")" = 444 ]; }

# ---- shares under load ----

gc_moves() { gauge drive gc_moved_units; }

# Units that garbage collection moves in 100 ms of the model; sets MOVES.
measure_moves() {
	from_units=$(gc_moves) from_ns=$(gauge drive time_ns)
	sleep "$STEP_S"
	MOVES=$(((($(gc_moves) - from_units) * 100000000) / ($(gauge drive time_ns) - from_ns)))
}

# $1: share in permille of a static gc
with_share() {
	put "$DIR/tasks/gc/share" "$1" && load_runs && measure_moves && echo "$MOVES units with $1 permille"
}

shares_change() { with_share 1 && few=$MOVES && with_share 700 && many=$MOVES && with_share 1 && again=$MOVES; }
# Where processors are slower than the flash, they decide.
share_decides() {
	shares_change && [ "$many" -gt $((few * LEAST_RATIO)) ] && [ "$many" -gt $((again * LEAST_RATIO)) ]
}

# What was set while tracing is in the trace, in order.  The rest: shares in ppm
share_events() {
	sed -n 's/.*share_changed: .* task=gc error=0 old_ppm=\([0-9]*\) new_ppm=\([0-9]*\)$/\1 \2/p' "$TRACE" >/tmp/seen
	while [ $# -gt 1 ]; do
		echo "$1 $2"
		shift
	done | cmp - /tmp/seen
}

switches() {
	for scheduler in fifo priority wfq debit fifo wfq priority debit; do
		dmsetup message drive 0 scheduler "$scheduler" && load_runs || return
		[ "$(cat "$DIR/params/scheduler")" = "$scheduler" ] || return
	done
}

working() {
	for task in host flush gc; do
		echo "$task $(cat "$DIR/tasks/$task/issued") $(cat "$DIR/tasks/$task/wait_ns")"
		[ "$(cat "$DIR/tasks/$task/issued")" -gt 0 ] && [ "$(cat "$DIR/tasks/$task/wait_ns")" -gt 0 ] || return
	done
}

# The flash reads of the host, cause by cause, took as long as flash takes at least.
waits_told() {
	cat "$DIR/waits"
	tr ' ' '\n' <"$DIR/waits" | awk -F = '{ v[$1] = $2; if ($1 != "n") sum += $2 }
		END { exit !(v["n"] > 0 && v["flash"] >= v["n"] * 200000 && sum > v["flash"]) }'
}

# ---- feedback ----

runs_a_while() { load_runs && sleep "$STEP_S" && load_runs; }

# Numbers of the gc's steps: $1: condition in terms of e(rror), o(ld) and n(ew)
gc_steps() {
	sed -n 's/.*share_changed: .* task=gc error=\([0-9]*\) old_ppm=\([0-9]*\) new_ppm=\([0-9]*\)$/\1 \2 \3/p' "$TRACE" |
		awk "{ e = \$1; o = \$2; n = \$3; if ($1) c++ } END { print c + 0 }"
}

# $1: P, $2: I, both in ppm
feedback_with() { put "$DIR/tasks/gc/p" "$1" && put "$DIR/tasks/gc/i" "$2"; }

# What is added is small and nothing decays, so that a fraction, once there, can be seen at any speed.
feedback_slowly() { put "$DIR/tasks/gc/share" 10 && feedback_with 1 1000000 && put "$DIR/tasks/gc/mode" feedback; }

least_reached() { [ "$(cat "$DIR/tasks/gc/share")" = 10 ] || { fio_run --filename=/dev/mapper/drive --rw=randwrite --bs=16k --size=64k; return 1; }; }

# Each change begins where the one before has ended.
steps_chain() {
	sed -n 's/.*share_changed: .* task=\([a-z]*\) .* old_ppm=\([0-9]*\) new_ppm=\([0-9]*\)$/\1 \2 \3/p' "$TRACE" |
		awk '($1 in at) && at[$1] != $2 { bad++ } $2 == $3 { bad++ } { at[$1] = $3 } END { exit !(NR > 3 && !bad) }'
}

# Numbers of events, as the drive counts them; it works on while tracing ends.
counters() { echo "$(gauge drive share_changes) $(cat "$DIR/stats/lent_ops") $(gauge drive passed_ops)"; }
# $1: which of the numbers, $2: event
counted() {
	counted_events=$(count "$2")
	counted_before=$(echo "$counters_before" | cut -d " " -f "$1")
	counted_after=$(echo "$counters_after" | cut -d " " -f "$1")
	echo "$2: $counted_events in the trace, $counted_before to $counted_after by the counter"
	[ "$counted_before" -le "$counted_events" ] && [ "$counted_events" -le "$counted_after" ]
}

trace_prepare
# shellcheck disable=SC2086 # words of a line
check "a drive appears" flash_on_null drive "$FLASH_MIN_MB" aged_pct 100 op_permille 400 \
	$PLAIN scheduler debit $SLOW
DIR=$(flash_sysfs drive)
check_equal "the tasks" "$TASKS" "$(cd "$DIR/tasks" && echo *)"
check "host's files" has_files host "issued share wait_ns"
check "map's files" has_files map "issued share wait_ns"
for task in $STEERED; do
	check "$task's files" has_files "$task" "i issued mode p share target wait_ns"
done
check "they are the parameters" mirrors
check "parameters in force: a file each" in_force_is_told
check "and thresholds are those of this drive" in_force_scales
for task in map $STEERED; do
	check "$task: share" takes "$task" share 77 "${task}_share_permille"
done
for task in $STEERED; do
	check "$task: p" takes "$task" p 12345 "${task}_share_p_ppm"
	check "$task: i" takes "$task" i 54321 "${task}_share_i_ppm"
	check "$task: target" takes "$task" target 99 "${task}_target"
	check "$task: mode" takes "$task" mode feedback "${task}_share_mode"
done
check "the host has the rest" host_has_rest
check "the status says the same" in_status
for bad in 0 1001 -1 1.5 x ""; do
	check "share refused: '$bad'" refuses "gc_share_permille: '$bad' is not a number from 1 to 1000" gc/share "$bad"
done
check "mode refused" refuses "wear_share_mode: 'auto' is not one of" wear/mode auto
check "p refused" refuses "scrub_share_p_ppm: '1000001' is not a number from 0 to" scrub/p 1000001
check "i refused" refuses "gc_share_i_ppm: 'all' is not a number from 0 to" gc/i all
check "target refused" refuses "gc_target: '-4' is not a number from 0 to" gc/target -4
check "message refused: scheduler" refused_with "scheduler: 'lottery' is not one of" \
	dmsetup message drive 0 scheduler lottery
for file in host/share host/issued gc/wait_ns; do
	check "can't be written: $file" read_only "$file"
done

put "$DIR/tasks/wear/share" 20
put "$DIR/tasks/gc/share" 16
dmsetup message drive 0 reset_stats
check_equal "counters of tasks begin at 0" "0 0 0" "$(cat "$DIR/tasks/gc/issued" "$DIR/tasks/host/wait_ns" "$DIR/tasks/flush/issued" | tr '\n' ' ' | sed 's/ $//')"
trace_start share_changed
# shellcheck disable=SC2086 # words
check "requests run" load_start $WRITES
# Writes press here, and what they wait for would go over its share.
dmsetup message drive 0 share_lend off
if [ "${SSDQOS_CLOCK-}" = virtual ]; then
	check "the share decides how fast garbage is collected" share_decides
else
	check "shares change under load" shares_change
fi
dmsetup message drive 0 share_lend on
trace_stop
check "the changes are in the trace" share_events 16000 1000 700000 1000
check "share_changed has its fields" well_formed share_changed "$SHARE_CHANGED"
put "$DIR/tasks/gc/share" 300
check "schedulers change under load" switches
check "the data are right" load_stop
check "reads beside writes" load_start --rw=randrw
check "data of all of that" load_stop
check "tasks count their work" working
check "and what the host waits for" waits_told

dmsetup message drive 0 scheduler debit
# Collecting goes on after the last request, and over its share where a plane is short: before the trace begins, that would only be counted.
check "the drive is at rest" flash_settle drive
dmsetup message drive 0 reset_stats
trace_start share_changed op_lent op_passed
check "feedback" feedback_slowly
# shellcheck disable=SC2086 # words
check "requests run again" load_start $WRITES
check "a share has a fraction" wait_for -t "$SHARE_WAIT_S" grep -q '[.]' "$DIR/tasks/gc/share"
check "feedback that is fast" feedback_with 3000 800000
check "for a while" runs_a_while
check "the data are right" load_stop
check "the share comes down to the least" wait_for -t "$SHARE_WAIT_S" least_reached
flash_settle drive
counters_before=$(counters)
trace_stop
counters_after=$(counters)
check "the share grows where blocks are short" test "$(gc_steps 'e > 0 && n > o')" -gt 0
check "and decays where they are not" test "$(gc_steps 'n < o')" -gt 0
check_equal "by I at the most" 0 "$(gc_steps 'e > 0 && n < o * 0.8 - 1')"
check_equal "and never beyond its bounds" 0 "$(gc_steps 'n < 10000 || n > 800000')"
check "each step begins where the last one has ended" steps_chain
check "all steps are counted" counted 1 share_changed
check "what writes wait for goes over its share" well_formed op_lent "$OP_LENT"
check "which is counted" counted 2 op_lent
check "and so is what others have passed" counted 3 op_passed
check "removal" dm_remove drive
ktap_done
