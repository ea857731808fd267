#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# With drive_apart reads and writes have all of the drive's time each, as on a mirror of which
# one member is read and another one written: both are promised, neither waits for the other
# one's queue, and a guarantee of reads is none of writes.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

PART_MB=64
# So slow that whoever has a promise asks for all of it on the debug kernel too, where a request
# costs a processor the most: both sides together do no more than a disk of other tests does.
SLOW_NS=4000000
SLOW_IOPS=$((SLOW_DEPTH * 1000000000 / SLOW_NS))
ENOUGH=100
# Of a second each, and how long that may take where jobs begin slowly.
WINDOWS=5
LONG_S=60
# A write that is under way for longer than anybody looks.
HELD_MS=600000
RESERVED_IOPS=$((SLOW_IOPS * 7 / 10))

# $1: for how long writes are kept, in ms
two_line() { echo "0 $(sectors "$two_read") delay $two_read 0 0 $two_write 0 $1"; }
two_becomes() { dmsetup reload two --table "$(two_line "$1")" && dmsetup suspend two && dmsetup resume two; }
# Members of a mirror: one is read, the other one written.  Sets DISK.
two_in_one() {
	slow_disk "$1" && two_read=$NULL_BLK && slow_disk "$1" && two_write=$NULL_BLK || return
	dm_create two "$(two_line 0)" || return
	DISK=/dev/mapper/two
}
client() {
	client_name=$1
	client_part=$2
	shift 2
	qos_create "$client_name" "$DISK" $((client_part * PART_MB)) "$PART_MB" "$@"
}
flows() {
	flows_name=$1
	shift
	job_start "$flows_name" --rw="$1" --iodepth="$2"
}
at_least() { [ "$(gauge "$1" "$2")" -ge "$3" ]; }
in_flight() { [ "$(gauge "$1" in_flight)" = "$2" ]; }

require_virtual_clock
check "a drive that reads and writes at once" two_in_one $((3 * PART_MB))

# as one drive
check "a client" client reader 0 drive drv drive_queue_depth "$SLOW_DEPTH"
check "of another one" client writer 1 drive drv
check "a profile" slow_profile reader
check "reads are promised" dmsetup message reader 0 min_iops "$RESERVED_IOPS"
check "as one drive it has no time for as many writes" qos_refused 'min_iops.*can be reserved' \
	dmsetup message writer 0 set op write min_iops "$RESERVED_IOPS"
check "that it is two is said by the first client" qos_refused "drive_apart: '1' can't be set" dmsetup message reader 0 drive_apart on
check "not by a later one" qos_refused "drive_apart: '1' can't be set" client late 2 drive drv drive_apart on
check "all go" dm_remove reader
check "all go" dm_remove writer

# as two
check "the first client says so" client reader 0 drive drv drive_apart on drive_queue_depth "$SLOW_DEPTH"
check "the next one need not" client writer 1 drive drv
check "a third one" client other 2 drive drv
check_equal "all see it" "on on on" "$(for name in reader writer other; do cat "$(flash_sysfs $name)/params/drive_apart"; done | xargs)"
check "a profile" load_profile reader </tmp/profile
check "reads are promised" dmsetup message reader 0 min_iops "$RESERVED_IOPS"
check "and as many writes" dmsetup message writer 0 set op write min_iops "$RESERVED_IOPS"
check "but no more of them" qos_refused 'min_iops.*can be reserved' dmsetup message other 0 set op write min_iops "$RESERVED_IOPS"
check "nor of reads" qos_refused 'min_iops.*can be reserved' dmsetup message other 0 set op read min_iops "$RESERVED_IOPS"
check "they are as in the table" dm_remove other
check "of a client that comes later" client other 2 drive drv
check_equal "each is told of his own side" "717500 717500" "$(gauge reader used_ppm) $(gauge writer used_ppm)"

# everybody reads and writes as much as goes, who has a guarantee of reads most of all
flows reader randwrite 64
flows writer randread 64
flows other randrw 64
job_start reader --rw=randread --iodepth=8 --randseed=2
job_start writer --rw=randwrite --iodepth=8 --randseed=2
check "reads are asked for, a whole window" wait_for -t "$LONG_S" at_least reader windows_met 1
check "and writes" wait_for -t "$LONG_S" at_least writer windows_met 1
missed=$(gauge reader windows_missed)+$(gauge writer windows_missed)
check "reads keep their promise" wait_for -t "$LONG_S" at_least reader windows_met "$WINDOWS"
check "and writes" wait_for -t "$LONG_S" at_least writer windows_met "$WINDOWS"
check_equal "none is missed" "$missed" "$(gauge reader windows_missed)+$(gauge writer windows_missed)"
check "jobs end" jobs_stop
check "its reads are counted" at_least reader reads "$ENOUGH"
check "and its writes" at_least reader writes "$ENOUGH"

# nobody owns what is not his
check "statistics begin again" dmsetup message reader 0 reset_stats
check "a client with a guarantee of reads" job_start reader --rw=randwrite --iodepth=4
check "writes" wait_for at_least reader writes "$ENOUGH"
check "and ends" jobs_stop
check_equal "not by it" 0 "$(gauge reader dispatched_reserved)"

# what is full is the side, not the drive
check "writes are kept" two_becomes "$HELD_MS"
job_start writer --rw=randwrite --iodepth=32
check "as many as the drive gets" wait_for in_flight writer "$SLOW_DEPTH"
check "a read does not wait for them" dd if=/dev/mapper/reader of=/dev/null bs=4k count=8 iflag=direct
check "they are under way still" in_flight writer "$SLOW_DEPTH"
check "they end" two_becomes 0
check "and what comes next" jobs_stop
ktap_done
