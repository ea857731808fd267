#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# Tables change and messages come while requests run.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

ROUNDS=2

# $@: what to do over and over under load
rounds() {
	round=0
	while [ "$round" -lt "$ROUNDS" ]; do
		"$@" && load_runs || return
		round=$((round + 1))
	done
}

suspend_resume() { dmsetup suspend drive && dmsetup resume drive; }
suspend_noflush() { dmsetup suspend --noflush --nolockfs drive && dmsetup resume drive; }
same_line() { flash_reload drive "$(dmsetup table drive)"; }

# $1: counter.  A drive that lives on goes on counting.
counts_on() {
	before=$(gauge drive "$1")
	shift
	"$@" && [ "$(gauge drive writes)" -ge "$before" ]
}

other_times() {
	before=$(gauge drive writes) wear=$(gauge drive wear_max)
	flash_reload drive "$(flash_line "$NULL_BLK" "$SECTORS" aged_pct 80 read_ns $((60000 + round)) gc_copyback on)" || return
	dmsetup table drive | grep -q " read_ns $((60000 + round)) " || return
	[ "$(gauge drive writes)" -ge "$before" ] && [ "$(gauge drive wear_max)" -ge "$wear" ]
}

other_drive() {
	wait_for -t 60 writes_beyond 200 && before=$(gauge drive writes) || return
	flash_reload drive "$(flash_line "$NULL_BLK" "$SECTORS" seed "$((round + 2))" buffer_kib 128)" &&
		[ "$(gauge drive writes)" -lt "$before" ]
}

abandoned() {
	before=$(gauge drive writes)
	dmsetup reload drive --table "$(flash_line "$NULL_BLK" "$SECTORS" seed 99)" && dmsetup clear drive &&
		[ "$(gauge drive writes)" -ge "$before" ]
}

other_target() {
	table=$(dmsetup table drive)
	flash_reload drive "0 $SECTORS linear $NULL_BLK 0" && flash_reload drive "$table" && wait_for writes_beyond 0
}

long_messages() {
	dmsetup message drive 0 save && dmsetup message drive 0 load &&
		dmsetup message drive 0 age 70 "$round" && [ "$(gauge drive mapped_units)" -gt 0 ]
}

settled() {
	seen=$(state_gauges drive)
	sleep 0.1
	[ "$seen" = "$(state_gauges drive)" ]
}

gauges_stay() {
	wait_for settled
	seen=$(state_gauges drive)
	same_line && [ "$seen" = "$(state_gauges drive)" ] && suspend_resume && [ "$seen" = "$(state_gauges drive)" ]
}

gone() { ! find_node drive; }

remove_forced() {
	# it is open, so it stays, with a table of errors; then requests fail, and fio gives up
	dmsetup remove --force drive
	dmsetup table drive | grep ' error' || return
	wait "$LOAD"
	dm_remove drive
}

remove_deferred() {
	dmsetup remove --deferred drive && kill -TERM "$LOAD" && { wait "$LOAD" || :; } && wait_for gone
}

next_drive_works() { flash_create drive "$NULL_BLK" && load_start "$GENTLE" && load_runs && load_stop; }

check "a drive appears" flash_on_null drive 96 aged_pct 80
SECTORS=$(sectors "$NULL_BLK")
check "requests run" load_start "$GENTLE"
check "suspend and resume" rounds suspend_resume
check "suspend without flush, and resume" rounds suspend_noflush
check "the same line again" rounds same_line
check "a line with other times: the drive lives on" rounds other_times
check "a line that is loaded and cleared" rounds abandoned
check "save, load and age" rounds long_messages
check "another target, and back" rounds other_target
check "a line that makes another drive" rounds other_drive
check "data read back" load_stop
check "a reload changes no gauge" gauges_stay
check "requests run again" load_start "$GENTLE"
check "removal when the last user goes" remove_deferred
null_blk_create 96 memory_backed
check "a drive appears again" flash_create drive "$NULL_BLK"
check "requests run on it" load_start "$GENTLE"
check "forced removal" remove_forced
check "the drive is gone" gone
check "the next drive works" next_drive_works
ktap_done
