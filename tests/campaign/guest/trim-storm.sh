# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# timeout: 7000
# include: tests/kselftest/lib-qos.sh:/tests/lib-qos.sh
# include: tests/kselftest/lib-trim.sh:/tests/lib-trim.sh
# program: tests/kselftest/trim-model.c:/usr/bin/trim-model
# Three streams of one drive are written, discarded, zeroed and read at random against a
# model of what may be read, so many operations each, while everything is changed; and,
# if it is said so, while the drive or the kernel's allocations fail.  /results/model has
# what the models say, /results/drive the drive's counters.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-trim.sh
. "${0%/*}/lib-trim.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/trim-settings.sh"
require_smp
require_target ssdqos

OUT=/results
STREAMS="1 2 3"
NR_STREAMS=3
PAUSE_S=1
# Writes fail for a second of four; of allocations a few, for requests have to get somewhere.
UP_S=3
DOWN_S=1
FAULT_PERCENT=2

disk() {
	# shellcheck disable=SC2086 # words
	null_blk_create $(((NR_STREAMS + 1) * STORM_MB)) memory_backed discard=1 $DISK_SETS || return
	DISK=$NULL_BLK
	[ "$FAILS" != disk ] || {
		dm_create flaky "0 $(((NR_STREAMS + 1) * STORM_SECTORS)) flakey $NULL_BLK 0 $UP_S $DOWN_S 1 error_writes" &&
			DISK=/dev/mapper/flaky
	}
}
streams() { for i in $STREAMS; do dm_create "s$i" "$(storm_line "$i")" || return; done; }
kernel_name() { if find_node flaky; then echo "$NODE"; else echo "/sys/block/${DISK##*/}"; fi; }

# The storm is over when the models are.
storms() { [ ! -e /tmp/over ]; }
paced() { "$@" && sleep "$PAUSE_S"; }
fails() { refuses "$(kernel_name)" && sleep "$PAUSE_S" && takes_again && sleep "$PAUSE_S"; }
model() {
	model_fails=
	[ "$FAILS" != memory ] || model_fails=-f
	# shellcheck disable=SC2086 # none, or one
	trim-model -n "$OPERATIONS" $model_fails "/dev/mapper/s$1" "$MODEL_SECTORS" $((SEED * NR_STREAMS + $1)) >"$OUT/model$1" 2>&1
}
models() {
	models_jobs=
	for i in $STREAMS; do
		model "$i" &
		models_jobs="$models_jobs $!"
	done
	models_status=0
	for models_job in $models_jobs; do wait "$models_job" || models_status=1; done
	touch /tmp/over
	cat "$OUT"/model*
	return "$models_status"
}

check "a disk" disk
check "streams" streams
check "discards are kept" batches
for what in policies flushes rules reload suspend_resume; do storm_job "$what" paced "$what"; done
[ "$FAILS" != disk ] || storm_job fails fails
[ "$FAILS" != memory ] || { faults_begin "$FAULT_PERCENT" && workers_fail 1; }
begun_ms=$(now_ms)
check "each sector is what it may be" models
diag "$(cat "$OUT"/model*)"
[ "$FAILS" != memory ] || { workers_fail 0; faults_end; }
storm_end
check "discards are kept again" batches
check "all of it goes" wait_for nothing_is_kept
dmsetup status s1 | tr ' ' '\n' | grep '^trim_' >"$OUT/drive"
echo "ms=$(($(now_ms) - begun_ms))" >>"$OUT/drive"
ktap_done
