#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# program: tests/kselftest/unkind-client.c:/usr/bin/unkind-client
# include: /usr/bin/setpriv:/usr/bin/setpriv
# Clients that use what the system offers them so that others wait: limits of a control group, requests that nobody looks
# for, a cache that is flushed for each write, zeroes, and what goes past the block layer.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

PART_MB=16
DEPTH=8
GROUPS_DIR=/tmp/groups
# Of a read that does not wait; what hangs does so for half a minute and more.
READ_LIMIT_S=10
MANY=64
FLUSH_NS=10000000
WRITES=50
# A driver looks itself after five.
POLL_LIMIT_S=2
ZEROES_BYTES=8388608
ZEROES_MOST=1048576

# $1: name
reads() { timeout "$READ_LIMIT_S" dd if="/dev/mapper/$1" of=/dev/null bs=4k count=4 iflag=direct 2>/dev/null; }

# Two streams on a disk of their own.  The rest: attributes of null_blk
streams() {
	null_blk_create $((2 * PART_MB)) "$@"
	check "a stream" qos_create gold "$NULL_BLK" 0 "$PART_MB" drive_queue_depth "$DEPTH" util_ppm 500000
	check "another one" qos_create bad "$NULL_BLK" "$PART_MB" "$PART_MB"
}
no_streams() { dm_remove gold && dm_remove bad; }

# ---- a control group's limit at the stream's device ----

group() {
	mkdir -p "$GROUPS_DIR" && mount -t cgroup2 none "$GROUPS_DIR" && on_exit "umount $GROUPS_DIR" &&
		echo +io >"$GROUPS_DIR/cgroup.subtree_control" && mkdir "$GROUPS_DIR/slow" && on_exit "rmdir $GROUPS_DIR/slow"
}
# $1: bytes a second, or max
limits() { find_node bad && echo "$(cat "$NODE/dev") rbps=$1 wbps=$1" >"$GROUPS_DIR/slow/io.max"; }
is_held() { find_node bad && read -r held_reads _ <"$NODE/inflight" && [ "$held_reads" -eq 0 ] && grep -q "^$(cat "$NODE/dev") " "$GROUPS_DIR/slow/io.stat"; }
# shellcheck disable=SC2016 # for that shell
in_group() { sh -c 'echo $PPID' >"$GROUPS_DIR/slow/cgroup.procs"; }
floods() {
	(
		in_group && exec fio --name=flood --filename=/dev/mapper/bad --direct=1 --ioengine=libaio --thread --rw=randread \
			--bs=4k --iodepth="$MANY" --randseed=1 --time_based --runtime=1000 >/tmp/flood 2>&1
	) &
	FLOOD=$!
	wait_for is_held
}
flood_ends() {
	limits max
	kill -TERM "$FLOOD"
	wait "$FLOOD"
}

streams
check "a control group" group
check "may read two bytes a second of the stream" limits 2
check "its client asks for all it can" floods
check "others read meanwhile" reads gold
check "and so does who is in no such group" reads bad
flood_ends
no_streams

# ---- requests that nobody looks for ----

polls() {
	unkind-client polls /dev/mapper/bad "$MANY" >/tmp/polls &
	POLLS=$!
	wait_for grep -q . /tmp/polls && grep -q sent /tmp/polls
}
nothing_under_way() { [ "$(gauge bad in_flight) $(gauge bad queued)" = "0 0" ]; }
streams poll_queues=1
check "a client looks for its completions itself, and does not look" polls
check "none of them keeps a place for that" wait_for -t "$POLL_LIMIT_S" nothing_under_way
check "others read meanwhile" reads gold
kill "$POLLS" && wait "$POLLS" 2>/dev/null
no_streams

# ---- a flush behind each write ----

# A loop device is such a disk.
without_fua() {
	head -c $((PART_MB * 1048576)) /dev/zero >/tmp/file && LOOP=$(losetup -f) && losetup "$LOOP" /tmp/file && on_exit "losetup -d $LOOP" &&
		grep -q back "/sys/block/${LOOP#/dev/}/queue/write_cache" && grep -q 0 "/sys/block/${LOOP#/dev/}/queue/fua"
}
# Prints ms that it takes.  $1: options of fio
writes_ms() {
	writes_begun=$(now_ms)
	fio_run --filename=/dev/mapper/bad --rw=randwrite --bs=4k --iodepth=1 --number_ios="$WRITES" --size=8M "$@" || return
	echo $(($(now_ms) - writes_begun))
}
modprobe loop
check "a disk with a cache that knows no FUA" without_fua
check "a stream that may have half of it" qos_create bad "$LOOP" 0 "$PART_MB" drive_flush_ns "$FLUSH_NS" util_ppm 500000 drive_mode strict \
	drive_credit_ms 0
check_between "writes that are flushed each cost a flush" $((WRITES * FLUSH_NS / 1000000)) "$(writes_ms --sync=dsync | tail -n 1)" 1000000
dm_remove bad

# ---- past the block layer ----

passes() { /usr/bin/setpriv --bounding-set=-sys_rawio --inh-caps=-sys_rawio unkind-client passes "$1"; }
past() { ! passes "$1" | grep passed; }
if [ -b /dev/nvme0n1 ]; then
	check "a client of the disk itself goes past it" passes /dev/nvme0n1
	check "a stream over all of it" dm_create bad "$(qos_line /dev/nvme0n1 0 "$(sectors /dev/nvme0n1)")"
	check "one of the stream does not" past /dev/mapper/bad
	check "who may do all does" unkind-client passes /dev/mapper/bad

	# null_blk knows no zeroes
	check "zeroes that may not unmap" /usr/bin/blkdiscard -f -z -l "$ZEROES_BYTES" /dev/mapper/bad
	find_node bad && read -r piece <"$NODE/queue/write_zeroes_max_bytes"
	check_between "in pieces" 4096 "$piece" "$ZEROES_MOST"
	check_equal "are writes" $((ZEROES_BYTES / piece)) "$(gauge bad writes)"
else
	ktap_skip "past the block layer" "no --disk nvme:SIZE"
fi
ktap_done
