#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 150
# Several CPUs use, make, tune, look at and remove drives at the same time.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

STORM_S=15
NR_DRIVES=4
DRIVES=$(seq "$NR_DRIVES")

require_smp

create_remove() { dmsetup create passing --table "$(flash_line "$SPARE" "$SPARE_SECTORS" aged_pct 90)" && dmsetup remove --retry passing; }
retune() {
	dmsetup message drive1 0 read_ns $((turns % 90 * 1000)) && dmsetup message drive2 0 gc_start_blocks $((turns % 5 + 2)) &&
		dmsetup message drive3 0 program_ns $((turns % 900 * 1000)) && dmsetup message drive1 0 reset_stats
}
suspend_resume() { dmsetup suspend drive2 && dmsetup resume drive2 && dmsetup suspend drive4 && dmsetup resume drive4; }
long_messages() { dmsetup message drive3 0 save && dmsetup message drive3 0 load && dmsetup message drive3 0 age 60; }
# Files come and go with suspend: what can't be read is no failure.
look() {
	cat /sys/block/dm-*/ssdqos/*/* /sys/block/dm-*/ssdqos/geometry /sys/block/dm-*/ssdqos/latency /sys/block/dm-*/ssdqos/status
	dmsetup table
	[ "$(dmsetup status | grep -c version=1)" -ge "$NR_DRIVES" ]
}

for i in $DRIVES; do
	check "drive $i appears" flash_on_null "drive$i" 64 aged_pct "$((i * 20))"
done
null_blk_create 64 memory_backed
SPARE=$NULL_BLK
SPARE_SECTORS=$(sectors "$SPARE")
# the time begins when all is there
storm_begin "$STORM_S"
for i in $DRIVES; do
	storm_job "load$i" storm_load "drive$i"
done
for what in create_remove retune suspend_resume long_messages look; do
	storm_job "$what" "$what"
done
storm_end
for i in $DRIVES; do
	check "drive $i still works" storm_load "drive$i"
	check "drive $i goes" dm_remove "drive$i"
done
ktap_done
