#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# An owner that asks for a third of what it was promised gets that, and leaves the rest to others.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

PART_MB=64
PROMISED_IOPS=3000
ASKED_IOPS=1000
DEPTH=16
# A quarter is left of this drive, and of the half that is not asked for a quarter is lent at first.
MOST_BESIDE_ALL_PPM=280000
LEAST_LENT_PPM=330000

# Rates of both.  $1: seconds
measure() {
	rates "$1" gold greedy >/tmp/rates
	diag "gold, greedy: $(tr '\n' ' ' </tmp/rates)"
}
rate() { sed -n "$1p" /tmp/rates; }
# What others may write with, as long as the owner asks for so little.
beside_all_of_it() { read_gauge gold spare_write_ppm && [ "$GAUGE" -lt "$MOST_BESIDE_ALL_PPM" ]; }
lent() { read_gauge gold spare_write_ppm && [ "$GAUGE" -ge "$LEAST_LENT_PPM" ]; }
windows_beyond() { read_gauge gold windows && [ "$GAUGE" -ge "$1" ]; }

require_virtual_clock
slow_disk $((2 * PART_MB))
slow_streams "$NULL_BLK" greedy "$PART_MB"
check "most of it is promised" dmsetup message gold 0 set min_iops "$PROMISED_IOPS" iodepth "$DEPTH" window_ms 500

job_start gold --rw=randread --iodepth="$DEPTH" --rate_iops="$ASKED_IOPS"
job_start greedy --rw=randread --iodepth=32
check "windows go by" wait_for -t 5 windows_beyond 4
measure 2
check_between "the owner gets what it asks for" $((ASKED_IOPS * 9 / 10)) "$(rate 1)" $((ASKED_IOPS * 11 / 10))
check_between "others get the rest" $(((SLOW_IOPS - ASKED_IOPS) * 8 / 10)) "$(rate 2)" "$SLOW_IOPS"
check_equal "no window counts as missed" 0 "$(gauge gold windows_missed)"
check "what the owner does not ask for is lent to writes" wait_for -t 10 lent
check "the rule is off" dmsetup message gold 0 set drive_lend off
check "others have what is left beside all of it" wait_for -t 5 beside_all_of_it
check "the clients stop" jobs_stop
ktap_done
