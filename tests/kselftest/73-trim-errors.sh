#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# program: tests/kselftest/trim-model.c:/usr/bin/trim-model
# Nothing that was written is lost while discards are kept and the drive takes none, or
# fails writes as well, while there is hardly room for them, and while the kernel's
# allocations fail.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-trim.sh
. "${0%/*}/lib-trim.sh"

PHASE_S=4
# Half of the time writes and discards are refused; reads never.
UP_S=1
DOWN_S=1
NR_STREAMS=2
LEAST_RANGES=1024
# Requests have to get somewhere; of changes most may fail.
REQUESTS_FAIL_PERCENT=3
CHANGES_FAIL_PERCENT=30
CHANGES=$(seq 100)
COUNTED=/tmp/counted

# What the model did is shown, and kept for at_least.  $1: stream, the rest: more options
model() {
	model_stream=$1
	shift
	trim-model -s "$PHASE_S" "$@" "/dev/mapper/s$model_stream" "$MODEL_SECTORS" "$(now_ms)" >/tmp/model
	model_status=$?
	cat /tmp/model
	return "$model_status"
}
model_says() { diag "$(cat /tmp/model)"; }
# Prints a number of the model's.  $1: of what
modelled() { sed -n "s/.* \([0-9]*\) $1,.*/\1/p" /tmp/model; }

streams() {
	DISK=$1
	dm_create s1 "$(storm_line 0 drive_trim batch drive_trim_age_ms 20)" && dm_create s2 "$(storm_line 1)"
}
streams_go() { dm_remove s1 && dm_remove s2; }

# ---- a drive without discards ----

# Some that are alone, so that none is waited for.
some_go() { discard -l 65536 /dev/mapper/s2 && dmsetup message s1 0 trim_sync; }

# ---- one that fails writes, too ----

flaky() { dm_create flaky "0 $((NR_STREAMS * STORM_SECTORS)) flakey $NULL_BLK 0 $UP_S $DOWN_S 1 error_writes"; }

# ---- no room ----

hardly_room() { dmsetup message s1 0 set drive_trim_ranges "$LEAST_RANGES" drive_trim_age_ms 600000 drive_trim_granule_kib 1048576; }
fill_room() {
	FILL_SENT=$(trim sent)
	fio --name=fill --filename=/dev/mapper/s2 --rw=randtrim --bs=512 --ioengine=psync --thread --norandommap --time_based \
		--runtime=1000 >/dev/null 2>&1 &
	FILLER=$!
	on_exit "kill $FILLER"
	wait_for is_full
}
is_full() { [ "$(trim waiting)" -gt $((LEAST_RANGES / 2)) ] && [ "$(trim sent)" -gt "$FILL_SENT" ]; }
room_again() { kill "$FILLER" && dmsetup message s1 0 set drive_trim_ranges 65536 drive_trim_age_ms 20 drive_trim_granule_kib 0; }

# ---- allocations ----

requests_fail() {
	faults_begin "$REQUESTS_FAIL_PERCENT" && workers_fail 1 && model 1 -f
	requests_status=$?
	workers_fail 0
	faults_end
	return "$requests_status"
}

# A change is in force, or nothing has changed; by a file that is open, for neither files
# nor processes come far where allocations fail.
changes() {
	exec 3>"$PARAMS/drive_trim_ranges"
	echo 1 >/proc/self/make-it-fail
	for change_number in $CHANGES; do
		if echo $((LEAST_RANGES + change_number)) >&3; then echo changed; else echo refused; fi
	done
}
no_memory() { kmsg_new | grep -c "drive_trim_ranges: no memory"; }
# $1: changed or refused
counted() { grep -c "$1" "$COUNTED"; }

changes_fail() {
	PARAMS=$(flash_sysfs s1)/params
	kmsg_mark
	faults_begin "$CHANGES_FAIL_PERCENT" || return
	changes >"$COUNTED" 2>/dev/null &
	changer=$!
	model 1
	changes_status=$?
	wait "$changer"
	faults_end
	return "$changes_status"
}

require_smp
null_blk_create $((NR_STREAMS * STORM_MB)) memory_backed discard=1 || skip_all "no null_blk"
check "two streams" streams "$NULL_BLK"
uevents_start
check "all is well" model 1
model_says
check_equal "nothing fails" "0 0" "$(trim failed) $(modelled failed)"

check "the disk takes no discards any more" refuses "/sys/block/${NULL_BLK##*/}"
check "data stay" model 1
model_says
check_equal "none of the writes failed" 0 "$(modelled failed)"
check_between "discards did" 8 "$(trim failed)" 100000000
check "somebody is told" wait_for told discards_failing
check_equal "how many" 1 "$(told_fields discards_failing SSDQOS_VALUE | grep -c '^[1-9]')"
check_equal "not that they go again" "" "$(told_fields discards_ok SSDQOS_EVENT)"
check "it takes some again" takes_again
check "they go" some_go
check "and that is told" wait_for told discards_ok
check "nothing is kept for ever" wait_for nothing_is_kept

check "there is hardly room" hardly_room
check "none at all" fill_room
check "data stay" model 1
model_says
check_equal "nothing fails but discards that were refused" 0 "$(modelled failed)"
check "there is room again" room_again
diag "$(trim taken) taken, $(trim passed) passed, $(trim lost_sectors) sectors lost"
check "nothing is kept for ever" wait_for nothing_is_kept

if can_fail; then
	check "data stay while changes fail" changes_fail
	model_says
	NO_MEMORY=$(no_memory)
	diag "$(counted changed) changes of the memory for discards, $(counted refused) refused, $NO_MEMORY for want of it"
	check_equal "no request does" 0 "$(modelled failed)"
	check_between "some changes were in force" 1 "$(counted changed)" 100000000
	check_between "others had no memory" 1 "$NO_MEMORY" 100000000
	check "data stay while requests fail, and the kernel's workers" requests_fail
	model_says
	check_between "some did" 1 "$(modelled failed)" 100000000
	check "all goes on" some_go
	check "with data that stay" model 1
else
	ktap_skip "data stay while changes, requests and workers fail" "kernel has no fault injection"
fi
check "the streams go" streams_go

if modprobe -q dm-flakey; then
	check "a disk that fails writes and discards now and then" flaky
	check "two streams on it" streams /dev/mapper/flaky
	check "data stay" model 1
	model_says
	check_between "writes failed" 1 "$(modelled failed)" 100000000
	check_between "discards, too" 1 "$(trim failed)" 100000000
	check "nothing is kept for ever" wait_for nothing_is_kept
else
	ktap_skip "a disk that fails writes and discards now and then" "no dm-flakey"
fi
ktap_done
