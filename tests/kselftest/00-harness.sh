#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# The helpers of lib.sh, on a linear device over null_blk.

# shellcheck source=tests/kselftest/lib.sh
. "${0%/*}/lib.sh"

SIZE_MB=64
VERIFY_BYTES=4M

fio_verify() {
	fio --name=verify --filename="$1" --ioengine=io_uring --direct=1 --rw=randwrite \
		--bs=4k --iodepth=8 --size="$VERIFY_BYTES" --verify=crc32c --do_verify=1 \
		--randseed=1
}

require_cmd fio dmsetup blockdev
ktap_plan 7

check "null_blk appears" null_blk_create "$SIZE_MB" memory_backed=1
check "null_blk has the size asked for" test "$(sectors "$NULL_BLK")" = $((SIZE_MB * SECTORS_PER_MB))
check "a linear device appears" dm_create harness-linear "0 $(sectors "$NULL_BLK") linear $NULL_BLK 0"
check "what fio wrote reads back" fio_verify /dev/mapper/harness-linear
check_fails "wait_for gives up" wait_for -t 1 false
check "a device can be removed" dm_remove harness-linear
uname -r >/results/release
check_between "the clock runs" 0 "$(now_ms)" 10000000
ktap_done
