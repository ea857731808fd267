#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# The disk stands still in the middle of a window, which costs none: the owner is ready for a stop as long as that at
# the end of one.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

PART_MB=64
WINDOW_MS=4000
FIRST_NS=100000000
STOP_S=1
# It goes on a little later than asked.
LEAST_NS=$((STOP_S * 900000000))
MOST_NS=$((STOP_S * 1300000000))

windows_beyond() { read_gauge gold windows && [ "$GAUGE" -gt "$1" ]; }
# The window that has just begun ends later.
next_window() { read_gauge gold windows && wait_for -t 10 windows_beyond "$GAUGE"; }

require_virtual_clock
slow_disk $((2 * PART_MB))
check "a disk that can stand still" slow_disk_stands $((2 * PART_MB))
slow_streams /dev/mapper/below tin "$PART_MB"
check "half of it is promised" dmsetup message gold 0 set min_iops 2000 window_ms "$WINDOW_MS"
check_equal "at first a short stop is borne" "$FIRST_NS" "$(gauge gold lead_ns)"
check_equal "of who has no promise nothing is known" 0 "$(gauge tin lead_ns)"

job_start gold --rw=randread --iodepth=16
job_start tin --rw=randread --iodepth=16
check "a window has begun" next_window
check_between "nothing has stopped" $((FIRST_NS / 2)) "$(gauge gold lead_ns)" "$FIRST_NS"
check "the disk stands still" dmsetup suspend below
sleep "$STOP_S"
check "the disk goes on" dmsetup resume below
check "the window ends" next_window
check_equal "and is met" 0 "$(gauge gold windows_missed)"
check_between "a stop as long is borne now" "$LEAST_NS" "$(gauge gold lead_ns)" "$MOST_NS"
check "the rule is off" dmsetup message gold 0 set drive_lead off
check "a window ends" next_window
check_equal "nothing is borne" 0 "$(gauge gold lead_ns)"
check "they stop" jobs_stop
ktap_done
