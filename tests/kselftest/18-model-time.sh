#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# Requests take the time that the model says, as fio sees it.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

DRIVE=/dev/mapper/drive
# 4 KiB on a channel of 400 MB/s; a page of 16 KiB
TRANSFER_US=10.24
PAGE_TRANSFER_US=40.96
# What fio, the block layer and the timer add.
OVERHEAD_US=25

# $1: array time in us, $2: measured; the rest is overhead
about() { check_between "$1" "$2" "$3" "$(awk -v a="$2" -v b="$OVERHEAD_US" 'BEGIN { print a + b }')"; }
sum() { awk -v a="$1" -v b="$2" 'BEGIN { print a + b }'; }

read_us() { fio_field "$TERSE_READ_MEAN_US" --filename="$DRIVE" --rw=randread --bs=4k --iodepth=1 --size=2M; }
write_us() { fio_field "$TERSE_WRITE_MEAN_US" --filename="$DRIVE" --rw=randwrite --bs="$1" --iodepth=1 --size=1M; }
fill() { fio_run --filename="$DRIVE" --rw=write --bs=256k --iodepth=4 --size=8M; }
model_read_ns() { sed -n 's/^read .* mean=\([0-9]*\) .*/\1/p' "$(flash_sysfs drive)/latency"; }

require_virtual_clock
# shellcheck disable=SC2086 # words of a line
check "a drive appears" flash_on_null drive "$FLASH_MIN_MB" $PLAIN
about "a unit never written comes from memory: 2 us" 2 "$(read_us)"
check "filling a part of it" fill
dmsetup message drive 0 reset_stats
about "a read takes tR and the transfer" "$(sum 50 "$TRANSFER_US")" "$(read_us)"
check_between "the model itself is exact" 60239 "$(model_read_ns)" 60241
dmsetup message drive 0 read_ns 200000
about "a message changes tR at once" "$(sum 200 "$TRANSFER_US")" "$(read_us)"
echo 40 >"$(flash_sysfs drive)/params/channel_mb_s"
about "sysfs changes the channel at once" "$(sum 200 102.4)" "$(read_us)"
dmsetup message drive 0 read_ns 0
dmsetup message drive 0 channel_mb_s 100000
about "nothing remains when all times are zero" 0 "$(read_us)"
about "a write ends in the buffer" 2 "$(write_us 4k)"
dm_remove drive

# shellcheck disable=SC2086 # words of a line
check "a drive without a cache appears" flash_on_null drive "$FLASH_MIN_MB" cache none $PLAIN
about "a write of a page takes its transfer and tPROG" "$(sum 500 "$PAGE_TRANSFER_US")" "$(write_us 16k)"
about "a part of a page waits for more first" "$(sum 600 "$PAGE_TRANSFER_US")" "$(write_us 4k)"
dmsetup message drive 0 program_ns 100000
about "a message changes tPROG at once" "$(sum 100 "$PAGE_TRANSFER_US")" "$(write_us 16k)"
ktap_done
