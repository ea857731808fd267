#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# With drive_trim batch, discards are answered at once, merged, and sent while the
# drive is quiet, or when they are old; what is written meanwhile stays.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

DISK_MB=64
PART_MB=24
KIB=1024
AGE_MS=1000
RANGES=1024
# A disk so slow that a write can come while a discard is under way.
SLOW_MS=2000
A=/dev/mapper/a
B=/dev/mapper/b

batch() { dmsetup message a 0 set drive_trim batch "$@"; }
# Nothing of it leaves by itself.
keep() { batch drive_trim_age_ms 600000 drive_trim_granule_kib 1048576; }
pass() { dmsetup message a 0 drive_trim pass && wait_for nothing_is_kept; }
trim() { gauge a "trim_$1"; }
nothing_is_kept() { [ "$(trim waiting) $(trim under_way)" = "0 0" ]; }
went() { [ "$(trim sent)" -ge "$1" ] && nothing_is_kept; }

# $1: device, $2: first KiB, $3: KiB, both in whole units of 64
fill() { yes "$3" | head -c $(($3 * KIB)) | dd of="$1" bs=64k seek=$(($2 / 64)) oflag=direct iflag=fullblock conv=notrunc 2>&1; }
# Of any size.
drop() { discard -o $(($2 * KIB)) -l $(($3 * KIB)) "$1" 2>/dev/null; }
# How many KiB of a range are not zero.
kib_left() {
	dd if="$1" bs=64k skip=$(($2 / 64)) count=$(($3 / 64)) iflag=direct,fullblock 2>/dev/null | tr -d '\000' | wc -c |
		awk '{ print int($1 / 1024) }'
}
# $1: directory of a disk in sysfs
limits() { cat "$1/queue/discard_granularity" "$1/queue/discard_max_bytes"; }
limits_of() { find_node "$1" && limits "$NODE"; }

# ---- what is asked ----

answered_at_once() {
	fill "$A" 0 1024 && keep && drop "$A" 0 1024 && [ "$(trim taken) $(trim waiting) $(trim sent)" = "1 1 0" ]
}
# Each second 64 KiB, then those between.
scattered() {
	for at in 960 832 704 576 448 320 192 64 0 128 256 384 512 640 768 896; do drop "$A" $((2048 + at)) 64 || return; done
}
alone() { batch drive_trim_granule_kib 4; }
sent_before() { SENT=$(trim sent); }
sent_since() { echo $(($(trim sent) - SENT)); }

# $1: the write's command, with KiB 4096+256 to 4096+320
write_cuts() {
	fill "$A" 4096 1024 && keep && drop "$A" 4096 1024 && "$@" && dmsetup message a 0 trim_sync
}
# A file system says as many bytes as are kept.
trims_with_a_true_count() {
	keep && mkfs.ext4 -q -E nodiscard "$A" && mount -t ext4 "$A" /tmp/mnt || return
	taken=$(trim taken_sectors)
	trimmed=$(fstrim -v /tmp/mnt | sed "s/.*[ (]\([0-9]*\) bytes.*/\1/")
	taken=$((($(trim taken_sectors) - taken) * 512)) kept=$(($(trim waiting_sectors) * 512))
	umount /tmp/mnt && dmsetup message a 0 trim_sync || return
	echo "said $trimmed, taken $taken, kept $kept"
	[ "$trimmed" -gt 0 ] && [ "$trimmed $trimmed" = "$taken $kept" ]
}
rewrite() { fill "$A" 4352 64; }
zero() { dd if=/dev/zero of="$A" bs=64k seek=68 count=1 oflag=direct conv=notrunc 2>&1; }
left_after_write() { kib_left "$A" 4096 1024; }

# Of 1 MiB: somewhere, and where the last one ended.
RANDOM_NS=50000000
ORDERED_NS=3000000
profiled() { flat_profile 100000 4 >/tmp/profile && load_profile a </tmp/profile; }
profiled_with_discards() {
	flat_profile 100000 4 >/tmp/profile && echo "discard rand 1048576 $RANDOM_NS discard seq 1048576 $ORDERED_NS" >>/tmp/profile &&
		load_profile a </tmp/profile
}
# What a discard of 1 MiB is charged that passes.  $1: its first KiB
charged() { charged_before=$(gauge a charged_ns) && drop "$A" "$1" 1024 && echo $(($(gauge a charged_ns) - charged_before)); }
first_is_sent() { keep && drop "$A" 20480 1024 && dmsetup message a 0 trim_sync; }

busy_reader() { job_start b --rw=randread --iodepth=2 --thinktime=1000; }
reads_come() { [ "$(requests b)" -gt 100 ]; }
aged() { wait_for went $((SENT + 1)); }

# The suspended device must not have anything below any more; others' discards stay.
suspended_sends() {
	keep && fill "$A" 8192 512 && fill "$B" 8192 64 && drop "$A" 8192 512 && drop "$B" 8192 64 && [ "$(trim waiting)" = 2 ] &&
		dmsetup suspend a && [ "$(gauge b trim_waiting)" = 1 ] && dmsetup resume a && [ "$(kib_left "$A" 8192 512)" = 0 ] &&
		[ "$(kib_left "$B" 8192 64)" = 64 ] && dmsetup message b 0 trim_sync && [ "$(kib_left "$B" 8192 64)" = 0 ]
}
reload_sends() {
	drop "$A" 9216 512 && [ "$(trim waiting)" = 1 ] &&
		dmsetup reload a --table "$(qos_line "$NULL_BLK" 0 $((PART_MB * SECTORS_PER_MB)) drive_trim batch)" &&
		dmsetup resume a && [ "$(trim waiting)" = 0 ]
}
remove_sends() {
	keep && fill "$B" 0 512 && drop "$B" 0 512 && [ "$(gauge b trim_waiting)" = 1 ] && dm_remove b &&
		[ "$(kib_left "$NULL_BLK" $((PART_MB * KIB)) 512)" = 0 ]
}
two_areas() {
	keep && fill "$A" $((PART_MB * KIB - 64)) 64 && fill "$B" 0 64 && drop "$A" $((PART_MB * KIB - 64)) 64 && drop "$B" 0 64 &&
		[ "$(trim waiting)" = 2 ]
}
small_is_left_out() {
	keep && batch drive_trim_min_kib 64 && fill "$A" 12288 256 && drop "$A" 12288 32 && drop "$A" 12416 128 &&
		dmsetup message a 0 trim_sync && [ "$(kib_left "$A" 12288 256)" = 128 ]
}
limited() {
	dmsetup message a 0 set max_iops 10 burst_ms 0 && keep && limited_ms=$(now_ms) &&
		for at in 0 8 16 24 32 40; do drop "$A" $((16384 + at)) 4 || return; done
	limited_ms=$(($(now_ms) - limited_ms))
	dmsetup message a 0 max_iops 0
}
few_ranges() {
	keep && batch drive_trim_ranges "$RANGES" && wait_for nothing_is_kept && few_before=$(trim sent) &&
		fio --name=few --filename="$A" --rw=trim:4k --bs=4k --number_ios=$((RANGES + RANGES / 8)) >/tmp/few &&
		echo "$(trim waiting) are kept, $(($(trim sent) - few_before)) were sent, $(trim lost_sectors) sectors lost" &&
		[ "$(trim waiting)" -le "$RANGES" ] && [ "$(trim sent)" -gt "$few_before" ] && [ "$(trim lost_sectors)" = 0 ]
}

# ---- how often, and for how long ----

DEPTH=8
BUSY_AGE_MS=100
# So many that are left out do not fit into one step of the work.
SMALL=512
# Functions of ours are counted by the kernel; switching that rewrites code, as in lib-trace.sh.
can_count() { [ "${SSDQOS_CLOCK-}" = virtual ] && grep -qw function "$TRACING/available_tracers"; }
# Leaves the calls of some functions in $CALLS.  $1: functions, the rest: command
CALLS=/tmp/calls
count_calls() {
	echo "$1" >"$TRACING/set_ftrace_filter" && echo >"$TRACING/trace" && echo function >"$TRACING/current_tracer" || return
	shift
	"$@"
	count_status=$?
	cat "$TRACING/trace" >"$CALLS"
	echo nop >"$TRACING/current_tracer"
	return "$count_status"
}
drop_and_wait() { sent_before && drop "$A" 0 64 && wait_for went $((SENT + 1)); }
asks() { grep -c 'ssdqos_edf_submit <-qos_trim' "$CALLS"; }
# All of the drive's time is asked for, so that nobody gets it at once.
busy_streams() {
	slow_disk "$DISK_MB" memory_backed discard=1 && qos_create a "$NULL_BLK" 0 "$PART_MB" drive_queue_depth "$SLOW_DEPTH" &&
		qos_create b "$NULL_BLK" "$PART_MB" "$PART_MB" && slow_profile a && dmsetup message b 0 util_ppm 500000 &&
		job_start b --rw=randread --iodepth=16 && job_start a --rw=randread --iodepth=16 && wait_for reads_come
}
small_ranges() {
	keep && batch drive_trim_min_kib 64 && small_before=$(trim small_sectors) &&
		fio --name=small --filename="$A" --rw=trim:4k --bs=4k --number_ios="$SMALL" >/tmp/small && [ "$(trim waiting)" = "$SMALL" ]
}
# How often more was looked for in one run of the work, at most.
most_steps() { awk '/ qos_trim_work <-/ { n = 0 } / ssdqos_trim_next <-/ && ++n > most { most = n } END { print most + 0 }' "$CALLS"; }

# ---- a write comes while a discard is under way ----

slow_line() { echo "0 $1 delay $NULL_BLK 0 0 $NULL_BLK 0 $SLOW_MS"; }
held() {
	fill "$NULL_BLK" 0 1024 && keep && drop "$A" 0 1024 && dmsetup message a 0 trim_flush &&
		wait_for under_way && fill "$A" 512 64 && [ "$(trim held)" = 1 ] && wait_for nothing_is_kept &&
		[ "$(kib_left "$A" 0 1024)" = 64 ]
}
under_way() { [ "$(trim under_way)" = 1 ]; }
# More of them than are looked at in one hold of the drive's lock.
HELD_WRITES=256
LEAST_HELD=128
many_held() {
	held_before=$(trim held)
	keep && drop "$A" 0 1024 && dmsetup message a 0 trim_flush && wait_for under_way || return
	fio --name=many --filename="$A" --rw=write --bs=4k --size=1m --ioengine=libaio --direct=1 --iodepth="$HELD_WRITES" >/tmp/many &
	many_pid=$!
	wait_for many_went || { for _ in $(seq "$HELD_WRITES"); do dmsetup message a 0 trim_flush; done; return 1; }
	wait "$many_pid" && [ $(($(trim held) - held_before)) -ge "$LEAST_HELD" ]
}
traced() {
	echo >"$TRACING/trace"
	echo 1 >"$COMPLETED/enable"
	"$@"
	traced_status=$?
	echo 0 >"$COMPLETED/enable"
	return "$traced_status"
}
COMPLETED=$TRACING/events/ssdqos/ssdqos_qos_request_completed
each_has_a_number() {
	numbers=$(sed -n 's/.*request_completed: .* seq=\([0-9]*\) kind=write .*/\1/p' "$TRACING/trace")
	echo "$(echo "$numbers" | wc -l) writes, $(echo "$numbers" | sort -u | wc -l) numbers"
	[ "$(echo "$numbers" | wc -l) $(echo "$numbers" | sort -u | wc -l)" = "$HELD_WRITES $HELD_WRITES" ]
}
many_went() { ! kill -0 "$many_pid" 2>/dev/null; }

null_blk_create "$DISK_MB" memory_backed discard=1 || skip_all "no null_blk"
check "a stream appears" qos_create a "$NULL_BLK" 0 "$PART_MB"
check "and another" qos_create b "$NULL_BLK" "$PART_MB" "$PART_MB"
check_equal "discards pass as they come" "0 pass" "$(drop "$A" 0 64 && gauge a queued) $(cat "$(flash_sysfs a)/params/drive_trim")"
check_equal "limits are those below" "$(limits "/sys/block/${NULL_BLK##*/}")" "$(limits_of a)"

check "a discard is answered at once" answered_at_once
check_equal "limits stay" "$(limits "/sys/block/${NULL_BLK##*/}")" "$(limits_of a)"
check_equal "data stay meanwhile" 1024 "$(kib_left "$A" 0 1024)"
check "trim_sync waits for the drive" dmsetup message a 0 trim_sync
check_equal "then they are gone" "0 0 1" "$(kib_left "$A" 0 1024) $(trim waiting) $(trim sent)"
sent_before
check "many in any order" scattered
check_equal "are one" "1 1024" "$(trim waiting) $(($(trim waiting_sectors) / 2))"
check "a drive that is quiet gets them" alone
check "soon" wait_for went $((SENT + 1))
check_equal "in one piece" 1 "$(sent_since)"
check_equal "what nobody has touched stays" 0 "$(trim lost_sectors)"

check "a write cuts its sectors out" write_cuts rewrite
check_equal "and stays, alone" 64 "$(left_after_write)"
check "zeroes cut theirs out" write_cuts zero
check_equal "all is zero then" 0 "$(left_after_write)"
check_equal "they are counted" 256 "$(trim cut_sectors)"

prepare_ext4
mkdir -p /tmp/mnt
check "fstrim over it has a true count" trims_with_a_true_count

check "a reader that never rests" busy_reader
check "reads" wait_for reads_come
sent_before
check "batches with an age" batch drive_trim_age_ms "$AGE_MS" drive_trim_granule_kib 4
check "a discard" drop "$A" 0 64
check_equal "waits while others use the drive" 0 "$(sleep 0.3 && sent_since)"
check "and goes when it is old" aged
check "the reader ends" jobs_stop

check "a guarantee" dmsetup message b 0 util_ppm 100000
check "beside it" alone
sent_before
check "discards are requests without one" drop "$A" 0 64
check "and go" wait_for went $((SENT + 1))
if can_count; then
	check "many at a time" batch drive_trim_depth "$DEPTH"
	check "one discard" count_calls ssdqos_edf_submit drop_and_wait
	check_equal "asks for the drive's time once" 1 "$(asks)"
	check "many that are too small" small_ranges
	check "are left out" count_calls "qos_trim_work ssdqos_trim_next" dmsetup message a 0 trim_sync
	check_equal "all" $((SMALL * 8)) $(($(trim small_sectors) - small_before))
	check_equal "not too many at a time" 1 "$(most_steps)"
	check "they are kept again, one at a time" batch drive_trim_min_kib 0 drive_trim_depth 1
else
	ktap_skip "one discard asks for the drive's time once" "this kernel counts no calls"
	ktap_skip "not too many are left out at a time" "this kernel counts no calls"
fi
check "and pass" pass
check "the drive gets a profile" profiled
check_equal "without discards" default "$(gauge a discard_costs)"
check_equal "these cost as the smallest write" 100000 "$(charged 20480)"
check "the drive gets another one" profiled_with_discards
check_equal "with discards" profile "$(gauge a discard_costs)"
check_equal "they cost what it says, by their order" "$RANDOM_NS $ORDERED_NS" "$(charged 18432) $(charged 19456)"
check "they are kept again" first_is_sent
check_between "the first one sent costs that, too; then it is learned" $((ORDERED_NS * 2 / 3)) "$(trim cost_ns)" "$ORDERED_NS"
check "without a profile" dmsetup message a 0 profile none
check_equal "nothing says what they cost" default "$(gauge a discard_costs)"
check "no guarantee" dmsetup message b 0 util_ppm 0
check "neighbours of two clients" two_areas
check "are sent apart" dmsetup message b 0 trim_sync
check "who is suspended leaves nothing" suspended_sends
check "nor who gets another table" reload_sends
check "what is too small is left out" small_is_left_out
check "batches with any size" batch drive_trim_min_kib 0
check "a maximum" limited
check_between "counts discards" 400 "$limited_ms" 2000
check "what does not fit goes" few_ranges
check "discards pass again" pass
check_equal "nothing is kept" 0 "$(drop "$A" 0 64 && gauge a trim_waiting)"
check "who is removed leaves nothing" remove_sends

check "the disk is used otherwise" dm_remove a
if dm_create slow "$(slow_line $((DISK_MB * SECTORS_PER_MB)))" 2>/dev/null; then
	check "a disk with slow discards" qos_create a /dev/mapper/slow 0 "$PART_MB"
	check "a write waits for a discard under way" held
	check "so do many, and all go" many_held
	check "with a limit that nobody reaches" dmsetup message a 0 max_iops 1000000
	check "so do many" traced many_held
	check "each has a number of its own" each_has_a_number
else
	ktap_skip "a write waits for a discard under way" "no dm-delay"
	ktap_skip "so do many, and all go" "no dm-delay"
fi

if can_count; then
	check "the disk is used otherwise" dm_remove a
	check "two readers that never rest" busy_streams
	check "many discards at a time" batch drive_trim_age_ms "$BUSY_AGE_MS" drive_trim_granule_kib 4 drive_trim_depth "$DEPTH"
	check "one that has to wait" count_calls ssdqos_edf_submit drop_and_wait
	check_equal "asks for the drive's time once" 1 "$(asks)"
	check "the readers end" jobs_stop
else
	ktap_skip "one that has to wait asks for the drive's time once" "this kernel counts no calls"
fi
ktap_done
