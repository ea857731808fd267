#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 180
# Read scrubbing and wear levelling move blocks when their thresholds say so,
# and data stay right.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck source=tests/kselftest/lib-trace.sh
. "${0%/*}/lib-trace.sh"

DRIVE=/dev/mapper/drive
START_READS=100
STOP_READS=60
COLD_MB=40
# No more than this many reads come between two looks.
SLACK_READS=40
RELOCATION="$DEV time_ns=$NUMBER task=$TASK plane=$NUMBER block=$NUMBER valid_units=$NUMBER free_blocks=$NUMBER"

message() { dmsetup message drive 0 "$@"; }
counter() { gauge drive "$1"; }
counted() { [ "$(counter "$1")" -gt 0 ]; }

checksum() { dd if="$DRIVE" bs=1M count="$COLD_MB" iflag=direct 2>/dev/null | md5sum -; }
cold_data() { dd if=/dev/urandom of="$DRIVE" bs=1M count="$COLD_MB" oflag=direct && COLD=$(checksum); }
cold_same() { [ "$COLD" = "$(checksum)" ]; }

read_hot() { fio_run --filename="$DRIVE" --rw=randread --bs=4k --iodepth=4 --size=1M --io_size="$1" --norandommap; }
quiet() { flash_settle drive; }

scrubs_off() {
	read_hot 2M && quiet && [ "$(counter scrub_blocks)" = 0 ] && [ "$(counter read_count_max)" -gt "$START_READS" ]
}

# A lower threshold takes effect at once, without any request.
scrubs_at_once() {
	message scrub_start_reads "$START_READS" && message scrub_stop_reads "$STOP_READS" && quiet &&
		echo "$(counter scrub_blocks) blocks, $(counter read_count_max) reads" && counted scrub_blocks &&
		[ "$(counter read_count_max)" -le "$START_READS" ]
}

scrubs_on() {
	read_hot 4M && quiet && echo "$(counter scrub_blocks) blocks, $(counter read_count_max) reads" &&
		[ "$(counter read_count_max)" -le $((START_READS + SLACK_READS)) ]
}

# $1: task, $2: event, $3: counter
traced_as_counted() {
	[ "$(count "$2: .*task=$1 ")" = "$(counter "$3")" ] && [ "$(count "$2:")" = "$(counter "$3")" ]
}

overwrite_hot() { fio_run --filename="$DRIVE" --rw=randwrite --bs=16k --iodepth=16 --offset=48M --size=8M --io_size="$1" --norandommap; }
spread() { echo $(($(counter wear_max) - $(counter wear_min))); }
levels() { overwrite_hot 64M && quiet && echo "spread $(spread), $(counter wear_blocks) blocks" && counted wear_blocks; }

trace_prepare
check "a drive appears" flash_on_null drive "$FLASH_MIN_MB" scrub_start_reads 0 scrub_stop_reads 0
check "data that stay" cold_data
message reset_stats
check "blocks are read often" scrubs_off
trace_start scrub_victim_chosen wear_victim_chosen nand_started
check "a threshold takes effect at once" scrubs_at_once
check "and holds under reads" scrubs_on
trace_stop
check "victims are traced" traced_as_counted scrub scrub_victim_chosen scrub_blocks
check "scrub_victim_chosen has its fields" well_formed scrub_victim_chosen "$RELOCATION"
check "units were moved" counted scrub_moved_units
check_equal "by its own task" "$(cat "$(flash_sysfs drive)/tasks/scrub/issued")" "$(count 'nand_started: .*task=scrub ')"
check "the data are the same" cold_same
check "refused: to stop above the start" refused_with "scrub_stop_reads: '101' is more than scrub_start_reads" \
	message scrub_stop_reads 101
dm_remove drive

check "a drive with one worn part" flash_on_null drive "$FLASH_MIN_MB" scrub_start_reads 0 scrub_stop_reads 0 \
	op_permille 200 channels 2 chips_per_channel 1 planes_per_chip 2 pages_per_block 16
check "data that stay" cold_data
message reset_stats
check "a part is overwritten" overwrite_hot 256M
check_equal "nothing is levelled" 0 "$(counter wear_blocks)"
check_between "the part is worn" 3 "$(spread)" 1000
trace_start wear_victim_chosen nand_started
check "a threshold" message wear_start_cycles 2
check "levels while a part is overwritten" levels
trace_stop
check "victims are traced" traced_as_counted wear wear_victim_chosen wear_blocks
check "wear_victim_chosen has its fields" well_formed wear_victim_chosen "$RELOCATION"
check "units were moved" counted wear_moved_units
check "the data are the same" cold_same
check "removal" dm_remove drive
ktap_done
