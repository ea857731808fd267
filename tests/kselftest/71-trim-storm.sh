#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# program: tests/kselftest/trim-model.c:/usr/bin/trim-model
# Nothing that was written is ever discarded, whatever is done to streams whose
# discards are kept: several CPUs write, discard, zero and read them at random, and
# change policies and rules, flush, suspend and reload meanwhile; then with errors.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-trim.sh
. "${0%/*}/lib-trim.sh"

STORM_S=15
ERRORS_S=5
# Half of the time all is refused.
UP_S=1
DOWN_S=1
NR_STREAMS=3
STREAMS=$(seq "$NR_STREAMS")

require_smp

# $1: stream, $2: seconds
model() { trim-model -s "$2" "/dev/mapper/s$1" "$MODEL_SECTORS" "$(now_ms)"; }
# The model's own time ends with the storm.
modelled() { model "$1" 10; }

flaky_line() { echo "0 $1 flakey $NULL_BLK 0 $UP_S $DOWN_S"; }
on_flaky() {
	dm_create flaky "$(flaky_line $(((NR_STREAMS + 1) * STORM_SECTORS)))" || return
	DISK=/dev/mapper/flaky
	dm_create s1 "$(storm_line 1 drive_trim batch drive_trim_age_ms 20)"
}

null_blk_create $(((NR_STREAMS + 1) * STORM_MB)) memory_backed discard=1 irqmode=2 completion_nsec=20000
DISK=$NULL_BLK
for i in $STREAMS; do
	check "stream $i appears" dm_create "s$i" "$(storm_line "$i")"
done
check "discards are kept" batches
storm_begin "$STORM_S"
for i in $STREAMS; do
	storm_job "model$i" modelled "$i"
done
for what in policies flushes rules reload suspend_resume look; do
	storm_job "$what" "$what"
done
storm_end
for i in $STREAMS; do diag "$(cat "/tmp/storm.model$i")"; done
check "discards are kept again" batches
check "all of it goes" wait_for nothing_is_kept
diag "$(trim taken) taken, $(trim passed) passed, $(trim sent) sent, $(trim cut_sectors) sectors cut, $(trim held) writes held"
check_between "some were taken" 20 "$(trim taken)" 100000000
check_equal "none failed" 0 "$(trim failed)"
check_equal "nothing waits" "0 0" "$(gauge s1 drive_queued) $(gauge s1 drive_in_flight)"
for i in $STREAMS; do check "stream $i goes" dm_remove "s$i"; done

check "a disk that fails now and then" on_flaky
uevents_start
check "data survive errors" model 1 "$ERRORS_S"
diag "$(trim taken) taken, $(trim failed) failed"
check "nothing of it stays" wait_for nothing_is_kept
check "that discards fail is told" wait_for told discards_failing
check "and that they do not any more" wait_for told discards_ok
ktap_done
