#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 150
# Writes are delayed and stopped while policies, weights and tables change, and
# devices are suspended, looked at and removed, by several CPUs.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"

STORM_S=20
NR_STREAMS=3
STREAMS=$(seq "$NR_STREAMS")
# A century in which a second takes minutes: epochs end all the time, delays
# stay short enough for loads to go on.
LIFE="drive_lifetime_h 876000 drive_time_scale 400 drive_window_s 60 drive_endurance_gb 1000000000"

require_smp

set_drive() { dmsetup message s1 0 set "$@"; }
# Enough is left for writes to go on, or nothing, for a moment.
policies() {
	for policy in ready_opt static ready_pes none dynamic; do
		set_drive drive_throttle "$policy" drive_delay_at completion &&
			dmsetup message s2 0 delay_weight $((turns % 3 * 50)) &&
			set_drive drive_delay_at submission drive_spare_permille $((turns % 5 * 100)) || return
	done
	set_drive drive_throttle ready_pes drive_used_mb 1000000000000 && set_drive drive_floor_kb_s $((turns % 2 * 1000)) &&
		dmsetup message s2 0 wear flash_bytes $((turns + 1)) host_bytes $((turns + 1)) &&
		set_drive drive_floor_kb_s 0 drive_used_mb 0 drive_window_s $((turns % 10 * 60 + 60))
}
# Rules of the scheduler come and go with what has passed the lifetime.
rules() {
	dmsetup message s1 0 util_ppm 100000 && dmsetup message s3 0 max_mb_s 20 && dmsetup message s1 0 util_ppm 0 &&
		dmsetup message s3 0 max_mb_s 0 && dmsetup message s2 0 reset_stats
}
create_remove() {
	# shellcheck disable=SC2086 # words
	dmsetup create passing --table "$(storm_line 0 $LIFE delay_weight 10)" &&
		dd if=/dev/zero of=/dev/mapper/passing bs=64k count=4 oflag=direct 2>/dev/null && dmsetup remove --retry passing
}
# Not s1 and s3, which are suspended meanwhile: a resume that finds a new table of somebody else's is refused.
# shellcheck disable=SC2086 # words
reload() { flash_reload s2 "$(storm_line 2 $LIFE drive_throttle ready_opt delay_weight $((turns % 100)))" && flash_reload s2 "$(dmsetup table s2)"; }
# Files come and go with suspend: what can't be read is no failure.
look() {
	cat /sys/block/dm-*/ssdqos/* /sys/block/dm-*/ssdqos/stats/*
	[ "$(dmsetup status | grep -c life_why=)" -ge "$NR_STREAMS" ]
}

null_blk_create $(((NR_STREAMS + 1) * STORM_MB)) memory_backed irqmode=2 completion_nsec=20000
DISK=$NULL_BLK
for i in $STREAMS; do
	# shellcheck disable=SC2086 # words
	check "stream $i appears" dm_create "s$i" "$(storm_line "$i" $LIFE drive_throttle ready_opt)"
done
storm_begin "$STORM_S"
for i in $STREAMS; do
	storm_job "load$i" storm_load "s$i" --size=2M
done
for what in policies rules create_remove reload suspend_resume look; do
	storm_job "$what" "$what"
done
storm_end
check_equal "nothing waits" "0 0 0 0" \
	"$(gauge s1 drive_queued) $(gauge s1 drive_in_flight) $(life s1 stopped) $(life s1 late)"

# devices go while writes wait that may not go for a century
check "nothing is left" set_drive drive_throttle static drive_used_mb 1000000000000
check "reads go on" dd if=/dev/mapper/s1 of=/dev/null bs=64k count=16 iflag=direct
job_start s1 --rw=randwrite --iodepth=8 --size=4M
check "writes wait" wait_for some_wait s1
check "a device is removed" dmsetup remove --force --retry s1
jobs_stop >/dev/null 2>&1
job_start s2 --rw=randwrite --iodepth=8 --size=4M
check "writes of the next one wait" wait_for some_wait s2
check "it is suspended without flush" dmsetup suspend --noflush --nolockfs s2
check "and resumed" dmsetup resume s2
check "it gets another target" flash_reload s2 "0 $STORM_SECTORS linear $DISK $((2 * STORM_SECTORS))"
check "and all that waited is done" jobs_stop
check_equal "nothing waits" "0 0" "$(life s3 stopped) $(life s3 late)"
ktap_done
