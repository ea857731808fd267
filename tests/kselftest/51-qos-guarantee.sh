#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# Clients of one disk: who has a guarantee gets it, whatever the others do, and
# the others share what is left.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

PART_MB=64

read_rand() { job_start "$1" --rw=randread --iodepth="$2"; }
set_all() { dmsetup message gold 0 set "$@"; }

# Rates of the three, in turn.  $1: seconds
measure() {
	rates "$1" gold greedy other >/tmp/rates
	diag "gold, greedy, other: $(tr '\n' ' ' </tmp/rates)"
}
rate() { sed -n "$1p" /tmp/rates; }

# $1: permille of $2 that $3 may be away
within() { check_between "$4" $(($2 * (1000 - $1) / 1000)) "$3" $(($2 * (1000 + $1) / 1000)); }

require_virtual_clock
slow_disk $((3 * PART_MB))
# the time that requests take to get to the disk is not the disk's
check "a stream appears" qos_create gold "$NULL_BLK" 0 "$PART_MB" drive_queue_depth "$SLOW_DEPTH"
check "and another" qos_create greedy "$NULL_BLK" "$PART_MB" "$PART_MB"
check "and a third" qos_create other "$NULL_BLK" $((2 * PART_MB)) "$PART_MB"
check "the drive gets a profile" slow_profile gold
check "a guarantee is given" set_all min_iops 1000 window_ms 500
check_equal "it costs what the profile says" 256250 "$(gauge gold util_ppm)"
check_equal "the drive gets all that it may" "$SLOW_DEPTH" "$(gauge gold drive_depth)"

read_rand gold 8
read_rand greedy 128
read_rand other 4
sleep 0.5
measure 2
check_between "who has a guarantee gets it" 1000 "$(rate 1)" "$SLOW_IOPS"
check_between "the disk is used" $((SLOW_IOPS * 90 / 100)) $(($(rate 1) + $(rate 2) + $(rate 3))) "$SLOW_IOPS"
check_between "nobody starves" $((SLOW_IOPS / 10)) "$(rate 3)" "$SLOW_IOPS"
check_equal "no window is missed" 0 "$(gauge gold windows_missed)"
check_between "windows are met" 3 "$(gauge gold windows_met)" 10

check "weights" dmsetup message greedy 0 weight 300
sleep 0.2
measure 2
within 100 $(($(rate 3) * 3)) "$(rate 2)" "share what is left, three to one"
check_between "and the guarantee stays" 1000 "$(rate 1)" "$SLOW_IOPS"

check "strict mode" set_all drive_mode strict
sleep 0.2
measure 2
# all time is owned then: a disk that is slower than its profile is so for everybody
within 30 $((($(rate 1) + $(rate 2) + $(rate 3)) / 4)) "$(rate 1)" "gives what is guaranteed and no more"
check "work conserving again" set_all drive_mode work_conserving

# beside an owner, spare work is paced and may not reach its limit
check "no guarantee" set_all min_iops 0
check "a limit" dmsetup message greedy 0 max_iops 500
sleep 0.5
measure 2
within 15 500 "$(rate 2)" "holds"
check "in megabytes, by sysfs" put "$(flash_sysfs greedy)/params/max_mb_s" 1
check "and no other" put "$(flash_sysfs greedy)/params/max_iops" 0
sleep 0.5
measure 2
within 20 244 "$(rate 2)" "holds as well"
check "no limit" dmsetup message greedy 0 max_mb_s 0
check "the clients stop" jobs_stop
check_equal "nothing waits" "0 0" "$(gauge gold drive_queued) $(gauge gold drive_in_flight)"
ktap_done
