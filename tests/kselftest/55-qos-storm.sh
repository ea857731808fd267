#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 150
# Several CPUs use, make, tune, reload, look at and remove streams of one disk
# at the same time.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

STORM_S=20
NR_STREAMS=4
STREAMS=$(seq "$NR_STREAMS")

require_smp

create_remove() {
	dmsetup create passing --table "$(storm_line 0 util_ppm 50000)" && dmsetup message passing 0 weight 500 &&
		dmsetup remove --retry passing
}
retune() {
	dmsetup message s1 0 util_ppm $((turns % 9 * 10000)) && dmsetup message s2 0 max_mb_s $((turns % 3 * 40)) &&
		dmsetup message s3 0 weight $((turns % 900 + 1)) && dmsetup message s1 0 drive_queue_depth $((turns % 30 + 1)) &&
		dmsetup message s4 0 drive_mode strict && dmsetup message s4 0 drive_mode work_conserving &&
		dmsetup message s1 0 reset_stats
}
profiles() {
	flat_profile $((turns % 100 * 1000 + 1000)) 4 >/tmp/storm-profile && load_profile s3 </tmp/storm-profile &&
		dmsetup message s2 0 admit min_iops 50 && dmsetup message s3 0 profile none
}
reload() { flash_reload s2 "$(storm_line 2 weight $((turns % 50 + 1)))" && flash_reload s4 "$(storm_line 4 util_ppm $((turns % 2 * 50000)))"; }
# Files come and go with suspend: what can't be read is no failure.
look() {
	cat /sys/block/dm-*/ssdqos/*/* /sys/block/dm-*/ssdqos/latency /sys/block/dm-*/ssdqos/status
	dmsetup table
	[ "$(dmsetup status | grep -c drive=)" -ge "$NR_STREAMS" ]
}

null_blk_create $(((NR_STREAMS + 1) * STORM_MB)) memory_backed discard=1 irqmode=2 completion_nsec=20000
DISK=$NULL_BLK
for i in $STREAMS; do
	check "stream $i appears" dm_create "s$i" "$(storm_line "$i")"
done
check "with a rule" dmsetup message s1 0 util_ppm 100000
# the time begins when all is there
storm_begin "$STORM_S"
for i in $STREAMS; do
	storm_job "load$i" storm_load "s$i"
done
for what in create_remove retune profiles reload suspend_resume look; do
	storm_job "$what" "$what"
done
storm_end
check_equal "nothing waits" "0 0" "$(gauge s1 drive_queued) $(gauge s1 drive_in_flight)"
ktap_done
