#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 100
# Two CPUs: zones are written in order while rules come and go.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-zones.sh
. "${0%/*}/lib-zones.sh"

require_smp
require_module null_blk zonefs

STORM_S=10
DISK_MB=64

rules_again() {
	dmsetup message z 0 max_iops $((turns % 7 * 100 + 300)) && dmsetup message z 0 max_iops 0 &&
		dmsetup message z 0 drive_throttle static && dmsetup message z 0 drive_throttle none &&
		dmsetup message z 0 weight 50 && dmsetup message z 0 weight 100
}

null_blk_create "$DISK_MB" memory_backed zoned=1 zone_size=8 irqmode=2 completion_nsec=50000 ||
	skip_all "null_blk has no zones"
check "a stream on zones" qos_create z "$NULL_BLK" 0 "$DISK_MB" drive_endurance_gb 100000
check "a file for each" zonefs_make /dev/mapper/z
check "can be used" zonefs_mount /dev/mapper/z
storm_begin "$STORM_S"
storm_job zone_again zone_again
storm_job rules_again rules_again
storm_end
ktap_done
