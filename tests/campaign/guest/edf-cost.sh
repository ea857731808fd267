# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# CPU cost of a 4 KiB random read: ssdqos beside what else there is, for a number
# of streams, in one boot.  With the virtual clock one instruction is one
# nanosecond, so the time the CPU is busy for a read is its instructions.
# The clients keep running while what is below them changes.
# edf-settings.sh has NR_STREAMS, ROUNDS, ENGINES (of reads that wait), SETTLE_S, MEASURE_S.
# Lines of /results/cost: WAY STREAMS SYSTEM ROUND READS NS IDLE_NS, where WAY is
# headroom (the disk takes what comes, the CPU is never idle), queued (the disk
# gets QUEUED_DEPTH at a time, all else waits above it), or queued-io_uring.
# shellcheck source=tests/campaign/guest/edf-lib.sh
. "${0%/*}/edf-lib.sh"
require_virtual_clock

DISK_MB=4096
TOTAL_DEPTH=64
streams=$NR_STREAMS
# 4 at a time, 100 us each: 40,000 reads/s, less than the CPU can do.
QUEUED_DEPTH=4
QUEUED_NS=100000
PLENTY=1024
NEVER=1000000000
WEIGHT_SUM_PPM=900000
LONG_S=3600
# A client takes some 125 ms of the CPU to start, and more among 63 others.  One that
# takes 5 s, as beside 63 that start at the same time, fio gives up, and then ends this
# script with it; and what is measured while some of them still start is no cost of reads.
START_S=0.25
LOWEST_NICE=19
BEGIN_S=2

disk_sectors=$((DISK_MB * SECTORS_PER_MB))

# Prints reads of the disk, time in ns, and how long the CPU was idle; the latter
# in two parts, as io_uring sleeps for the disk and libaio just so.
counters() {
	read -r count_reads _ <"/sys/block/$disk/stat"
	echo "$count_reads $(sed -n '/^now at/s/^now at \([0-9]*\).*/\1/p
		/idle_sleeptime\|iowait_sleeptime/s/.*: \([0-9]*\) nsecs/\1/p' /proc/timer_list)"
}

# $1: system
measure() {
	sleep "$SETTLE_S"
	# shellcheck disable=SC2046 # words
	set -- "$1" $(counters)
	sleep "$MEASURE_S"
	# shellcheck disable=SC2046 # words
	set -- "$@" $(counters)
	echo "$way $streams $1 $round $(($6 - $2)) $(($7 - $3)) $(($8 + $9 - $4 - $5))" >>"$OUT/cost"
}

# Starts one client for each stream.  $1: function that prints its device,
# $2: reads of all at a time, $3: engine of fio
readers_start() {
	READERS=
	reader_count=$streams
	[ "$reader_count" -le "$2" ] || reader_count=$2
	# One after the other, and who reads leaves the CPU to who starts.
	for stream in $(seq "$reader_count"); do
		(
			group_enter "c$stream"
			exec fio --name=reader --filename="$($1 "$stream")" --direct=1 --rw=randread --bs=4k \
				--ioengine="$3" --iodepth="$(($2 / reader_count))" --randseed="$stream" \
				--norandommap --size=100% --time_based --runtime="$LONG_S" --thread \
				--nice="$LOWEST_NICE" >/dev/null 2>&1
		) &
		READERS="$READERS $!"
		sleep "$START_S"
	done
	sleep "$BEGIN_S"
}

readers_stop() {
	# shellcheck disable=SC2086 # words
	kill -INT $READERS
	wait
}

# $1: scheduler, $2: requests that it may hold, if any
scheduler() {
	echo "$1" >"/sys/block/$disk/queue/scheduler" || return
	[ -z "${2-}" ] || echo "$2" >"/sys/block/$disk/queue/nr_requests"
}

# ---- limits and shares of groups that never hold anybody back ----

# $1: limit, or max
limit_all() {
	for stream in $(seq "$streams"); do
		echo "$device_number riops=$1" >"$GROUPS_DIR/c$stream/io.max"
	done
}

cost_on() {
	echo "$device_number ctrl=user model=linear rbps=$NEVER$NEVER rseqiops=$NEVER rrandiops=$NEVER \
wbps=$NEVER$NEVER wseqiops=$NEVER wrandiops=$NEVER" >"$GROUPS_DIR/io.cost.model"
	echo "$device_number enable=1" >"$GROUPS_DIR/io.cost.qos"
}
cost_off() { echo "$device_number enable=0" >"$GROUPS_DIR/io.cost.qos"; }

# ---- devices of streams ----

bare_device() { echo "/dev/$disk"; }
linear_device() { echo "/dev/mapper/linear$1"; }
qos_device() { echo "/dev/mapper/qos$1"; }

linear_create() {
	for stream in $(seq "$streams"); do
		dm_create "linear$stream" "0 $disk_sectors linear /dev/$disk 0" || return
	done
}
linear_remove() { for stream in $(seq "$streams"); do dm_remove "linear$stream"; done; }

# Reservations without a profile.  $1: drive_queue_depth
qos_create() {
	for stream in $(seq "$streams"); do
		dm_create "qos$stream" "0 $disk_sectors ssdqos /dev/$disk 0 4 drive cost util_ppm $((WEIGHT_SUM_PPM / streams))" || return
	done
	dmsetup message qos1 0 "drive_queue_depth $1"
}
qos_remove() { for stream in $(seq "$streams"); do dm_remove "qos$stream"; done; }

# $1: name of the file
qos_status() { dmsetup status qos1 >"$OUT/status.$way.$streams.$1"; }

rounds_of() { for round in $(seq "$ROUNDS"); do measure "$1"; done; }

# ---- headroom: requests go through at once ----

headroom_peers() {
	readers_start bare_device "$TOTAL_DEPTH" io_uring
	for round in $(seq "$ROUNDS"); do
		measure null_blk
		for name in mq-deadline bfq; do
			scheduler "$name"
			measure "$name"
		done
		scheduler none
		cost_on
		measure iocost
		cost_off
		limit_all "$NEVER"
		measure io.max
		limit_all max
	done
	readers_stop
}

headroom_linear() {
	linear_create && readers_start linear_device "$TOTAL_DEPTH" io_uring || return
	rounds_of dm-linear
	readers_stop
	linear_remove
}

headroom_qos() {
	qos_create "$PLENTY" && readers_start qos_device "$TOTAL_DEPTH" io_uring || return
	rounds_of ssdqos
	qos_status ssdqos
	readers_stop
	qos_remove
}

# ---- queued: the disk is given few at a time ----

# The same number of requests in the disk, but nobody waits.  $1: engine of fio
queued_bases() {
	readers_start bare_device "$QUEUED_DEPTH" "$1"
	rounds_of null_blk
	readers_stop
	linear_create && readers_start linear_device "$QUEUED_DEPTH" "$1" || return
	rounds_of dm-linear
	readers_stop
	linear_remove
}

queued_schedulers() {
	readers_start bare_device "$TOTAL_DEPTH" "$1"
	for round in $(seq "$ROUNDS"); do
		for name in mq-deadline bfq; do
			scheduler "$name" "$PLENTY"
			measure "$name"
		done
	done
	readers_stop
	scheduler none
}

queued_qos() {
	qos_create "$QUEUED_DEPTH" && readers_start qos_device "$TOTAL_DEPTH" "$1" || return
	rounds_of ssdqos
	qos_status ssdqos
	readers_stop
	qos_remove
}

# ---- disks ----

# The rest: attributes of null_blk
disk_create() {
	null_blk_create "$DISK_MB" "$@" || return
	disk=${NULL_BLK#/dev/}
	device_number=$(cat "/sys/block/$disk/dev")
	scheduler none
}

has_qos() { dmsetup targets | grep -q '^ssdqos '; }

for module in bfq mq-deadline; do modprobe -q "$module"; done
groups_start
for stream in $(seq "$streams"); do group_create "c$stream"; done
# What measures goes before the clients.
renice -n -20 -p $$ >/dev/null

way=headroom
check "a disk" disk_create
check "peers" headroom_peers
check "dm-linear" headroom_linear
! has_qos || check "ssdqos" headroom_qos
check "a disk with few requests at a time" disk_create irqmode=2 "completion_nsec=$QUEUED_NS" "hw_queue_depth=$QUEUED_DEPTH"
for engine in $ENGINES; do
	way=queued
	[ "$engine" = libaio ] || way=queued-$engine
	check "$engine: nobody waits" queued_bases "$engine"
	check "$engine: schedulers" queued_schedulers "$engine"
	! has_qos || check "$engine: ssdqos" queued_qos "$engine"
done
ktap_done
