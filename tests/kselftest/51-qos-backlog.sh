#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# Whoever writes a file at once sends nothing more until it is there.  When the owner that it waited for
# is away, it goes with all of the drive, though no request comes that would say so.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

PART_MB=64
REQUESTS_WAIT=4000

# The file, all of it at once.
write_file() {
	fio --name=file --ioengine=libaio --direct=1 --thread --filename=/dev/mapper/file --rw=randwrite --bs=4k \
		--randseed=1 --norandommap --iodepth="$REQUESTS_WAIT" --number_ios="$REQUESTS_WAIT" >/tmp/file.log 2>&1 &
	FILE_PID=$!
	on_exit "kill -TERM $FILE_PID"
}

waits() { read_gauge file queued && [ "$GAUGE" -ge $((REQUESTS_WAIT * 9 / 10)) ]; }
is_there() { read_gauge file writes && [ "$GAUGE" -eq "$REQUESTS_WAIT" ]; }

require_virtual_clock
slow_disk $((2 * PART_MB))
slow_streams "$NULL_BLK" file "$PART_MB"
check "most of it is promised" dmsetup message gold 0 set min_iops 3600

job_start gold --rw=randread --iodepth=16
write_file
check "a file waits" wait_for -t 5 waits
check_between "beside the owner it gets what is left" 1 "$(rates 1 file)" $((SLOW_IOPS / 5))
check "the owner stops" jobs_stop
check "the file goes" wait_for -t 5 is_there
check "and is written" wait "$FILE_PID"
ktap_done
