#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# Zones under a lifetime: writes are delayed and stopped, and keep their order.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"
# shellcheck source=tests/kselftest/lib-zones.sh
. "${0%/*}/lib-zones.sh"

DISK_MB=64
ZONE_MB=8

# How long a delay holds is for the policy to say, and how many writes that are for the machine: they are written again
# until so many were delayed, and each time they read back.
delayed_in_order() {
	until counter_is_above w delayed 10; do
		[ "$(now_ms)" -lt "$DELAYED_END_MS" ] && zone_again || return
	done
}

require_module null_blk zonefs
null_blk_create "$DISK_MB" memory_backed zoned=1 zone_size="$ZONE_MB" || skip_all "null_blk has no zones"
# shellcheck disable=SC2086 # words
check "a stream on zones" qos_create w "$NULL_BLK" 0 "$DISK_MB" $ZONED_LIFE
check_equal "they are seen" host-managed "$(cat "/sys/block/$(dm_kernel_name w)/queue/zoned")"
check "a file for each" zonefs_make /dev/mapper/w
check "can be used" zonefs_mount /dev/mapper/w

check "a policy" dmsetup message w 0 drive_throttle ready_pes
DELAYED_END_MS=$(($(now_ms) + WAIT_DEFAULT_S * 1000))
check "writes are delayed in their order" delayed_in_order
diag "$(ready_stats w)"

check "a fixed rate" dmsetup message w 0 drive_throttle static
dmsetup message w 0 reset_stats
check "writes" zone_write 2 --verify=crc32c --do_verify=1
check "are stopped in their order" counter_is_above w stopped 100
diag "$(ready_stats w)"

check "nothing is left" dmsetup message w 0 drive_used_mb 1000
zone_write 1 >/dev/null 2>&1 &
WRITES=$!
check "writes wait" wait_for some_wait w
check "reads don't" dd if=/mnt/seq/0 of=/dev/null bs=64k iflag=direct
check "they still wait" some_wait w
check "no policy" dmsetup message w 0 drive_throttle none
check "no wait" wait "$WRITES"
check_equal "all is written" "$LOAD_BYTES" "$(zone_size 1)"
ktap_done
