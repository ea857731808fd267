#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# Two reads at a time wait in the drive behind another owner's 30 large ones: the drive
# gets fewer requests at a time then (drive_narrow), and both have what they were promised.
# So they have where the other one is granted nothing beyond that (lead.c); with neither few have not.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

FLASH_MB=128
PART_MB=60
DEPTH=32
FEW_DEPTH=2
# Both are promised 99 % of their windows, so one of these may be missed; without the rule more are.
WINDOWS=5

# As tests/sim/qos-depths.profile has it: what the drive's reads take with so many at a time.
depths_profile() {
	cat <<-END
		ssdqos-profile 1
		window_ms 100 1000
		cost read rand 4096 1 990 155900 155900
		cost read rand 4096 2 990 79300 79300
		cost read rand 4096 4 990 42400 42400
		cost read rand 4096 8 990 28600 28600
		cost read rand 4096 32 990 28600 28600
		cost read rand 65536 1 990 660000 660000
		cost read rand 65536 2 990 346000 346000
		cost read rand 65536 4 990 261000 261000
		cost read rand 65536 32 990 261000 261000
		cost write rand 4096 32 990 400000 300000
	END
}

is_narrow() { read_gauge few drive_depth && [ "$GAUGE" -lt "$DEPTH" ]; }
is_wide() { read_gauge few drive_depth && [ "$GAUGE" -eq "$DEPTH" ]; }
windows_beyond() { read_gauge few windows && [ "$GAUGE" -ge "$1" ]; }
count_anew() { dmsetup message few 0 reset_stats && dmsetup message many 0 reset_stats; }
# The window in which the drive's depth has changed is neither.
count_from_next_window() { count_anew && wait_for -t 5 windows_beyond 1 && count_anew; }

require_virtual_clock
check "a drive appears" flash_on_null drive "$FLASH_MB" preset x25e-like aged_pct 100
check "a client's stream" qos_create few /dev/mapper/drive 0 "$PART_MB" drive_queue_depth "$DEPTH"
check "and another's" qos_create many /dev/mapper/drive "$PART_MB" "$PART_MB"
depths_profile >/tmp/profile
check "the drive gets a profile" load_profile few </tmp/profile
check "few reads at a time are promised" dmsetup message few 0 set min_iops 1800 iodepth "$FEW_DEPTH"
check "and many large ones" dmsetup message many 0 set min_iops 3150 block_bytes 64k window_ms 500 windows sliding

job_start few --rw=randread --iodepth="$FEW_DEPTH"
job_start many --rw=randread --bs=64k --iodepth="$DEPTH"
check "the drive gets fewer requests at a time" wait_for -t 5 is_narrow
check "a window ends" count_from_next_window
check "windows go by" wait_for -t 15 windows_beyond "$WINDOWS"
check_between "few have what they were promised" 0 "$(gauge few windows_missed)" 1
check_between "and so have many" 0 "$(gauge many windows_missed)" 1

check "the rule is off" dmsetup message few 0 set drive_narrow off
check "the drive gets all of them" wait_for -t 5 is_wide
check "a window ends" count_from_next_window
check "windows go by" wait_for -t 15 windows_beyond "$WINDOWS"
check_between "few have what they were promised all the same" 0 "$(gauge few windows_missed)" 1

check "nobody heeds who is behind" dmsetup message few 0 set drive_pace off drive_budget off
check "a window ends" count_from_next_window
check "windows go by" wait_for -t 15 windows_beyond "$WINDOWS"
check_between "few have not" 2 "$(gauge few windows_missed)" $((WINDOWS * 2))
check "the clients stop" jobs_stop
ktap_done
