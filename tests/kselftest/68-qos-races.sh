#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 200
# python: tests/kselftest/hog.py:/usr/bin/hog
# Two CPUs: a task that keeps one for itself, and drives that are made while
# others look for them.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"

require_smp

STORM_S=10
DISK_MB=64
# The rest of a loaded machine may take most of it; what is bound to the CPU gets none.
RATE_IOPS=200
HOG_S=8
RT_RUNTIME=/proc/sys/kernel/sched_rt_runtime_us

# ---- one CPU is taken ----

# All of a process.  $1: its number, $2: mask of CPUs
move_to() { for move_task in "/proc/$1/task/"*; do taskset -p "$2" "${move_task##*/}" >/dev/null || return; done; }
hog_start() {
	rt_runtime_us=$(cat "$RT_RUNTIME")
	on_exit "echo $rt_runtime_us >$RT_RUNTIME"
	echo -1 >"$RT_RUNTIME" && { hog 0 "$HOG_S" & }
	HOG=$!
}

# ---- drives are made ----

make_flash() { flash_create passing "$FLASH_DISK" && dmsetup remove --retry passing; }
# Each report says more than the last one.
report_wear() {
	qos_create worn "$WORN_DISK" 0 32 drive_endurance_gb 1000 &&
		dmsetup message worn 0 wear used_permyriad $((turns % 5000 + 1)) && dmsetup remove --retry worn
}

slow_disk "$DISK_MB"
check "a stream that waits" qos_create l "$NULL_BLK" 0 "$DISK_MB" max_iops "$RATE_IOPS" burst_ms 0
job_start l --rw=randread --iodepth=16 --size=32M --cpus_allowed=0
check "requests pass" wait_for sh -c "[ \"\$(cat $(flash_sysfs l)/stats/reads)\" -gt 50 ]"
# shellcheck disable=SC2086 # one number
check "they come from another CPU" move_to $JOBS 2
move_to $$ 2
check "the first one is taken" hog_start
sleep 1
RATES=$(rates 3 l)
check_between "requests pass all the same" $((RATE_IOPS / 10)) "$RATES" $((RATE_IOPS * 12 / 10))
check "it is free again" wait "$HOG"
move_to $$ 3
check "they end" jobs_stop

null_blk_create "$DISK_MB"
FLASH_DISK=$NULL_BLK
null_blk_create "$DISK_MB"
WORN_DISK=$NULL_BLK
storm_begin "$STORM_S"
storm_job make_flash make_flash
storm_job report_wear report_wear
storm_end

ktap_done
