#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# An owner that was away finds a drive that stands still, after others have written: they have less while it is away again.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

PART_MB=64
ALL_PPM=1000000
# Others have 48 % of the drive beside the owner, and a sixteenth of the rest while it is away, for it got nothing.
LEAST_PPM=500000
MOST_PPM=540000

left_is() { read_gauge gold spare_write_ppm && [ "$GAUGE" -ge "$1" ] && [ "$GAUGE" -le "$2" ]; }
all_is_left() { left_is "$ALL_PPM" "$ALL_PPM"; }
less_is_left() { left_is "$LEAST_PPM" "$MOST_PPM"; }
has_read() { read_gauge gold reads && [ "$GAUGE" -gt "$1" ]; }
has_missed() { read_gauge gold windows_missed && [ "$GAUGE" -gt 0 ]; }

owner_comes() { job_start gold --rw=randread --iodepth=16; }
others_write() { job_start file --rw=randwrite --iodepth=16; }

require_virtual_clock
slow_disk $((2 * PART_MB))
check "a disk that can stand still" slow_disk_stands $((2 * PART_MB))
slow_streams /dev/mapper/below file "$PART_MB"
check "half of it is promised" dmsetup message gold 0 set min_iops 2000 window_ms 500

owner_comes
check "the owner is there" wait_for -t 5 has_read 1000
check "and goes" jobs_stop
others_write
check "what it leaves is for others" wait_for -t 5 all_is_left
check "the disk stands still" dmsetup suspend below
owner_comes
check "the owner comes back, and misses a window" wait_for -t 5 has_missed
check "the disk goes on" dmsetup resume below
check "and the owner goes" jobs_stop
others_write
check "others have less of what it leaves" wait_for -t 5 less_is_left
check "the rule is off" dmsetup message gold 0 set drive_away off
check "they have all of it again" wait_for -t 5 all_is_left
check "they stop" jobs_stop
ktap_done
