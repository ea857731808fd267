#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# Requests that others wait for (metadata, flushes) are not held back; however
# many a client has of them, promises and limits stay, and what is suspended
# ends.  Whoever may read a file system can ask for as many as he likes.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

# The disk does so many requests at a time, and each takes so long.
DEPTH=16
READ_NS=20000000
COST_NS=$((READ_NS / DEPTH))
PART_MB=64
GOLD_MIN_IOPS=375
REST_MAX_IOPS=100
# Of the disk's rate; some time passes before a request gets there.
ALONE_MIN_IOPS=720
# A read that the disk has got takes no longer because the block layer below holds
# somebody's writes back (blk-wbt).
READ_MAX_NS=$((READ_NS * 3 / 2))
SUSPEND_S=3
THREADS=64
FILES=32
# A block for each, so that each is a request.
INODE_BYTES=4096
INODES=$((2 * THREADS * FILES))
DIR=/mnt/rest
CLIENT=client
FLOOD=/tmp/flood

# ---- the client that floods the disk ----

file_system() {
	prepare_ext4
	mkfs.ext4 -q -I "$INODE_BYTES" -N "$INODES" -E nodiscard,lazy_itable_init=1 /dev/mapper/rest &&
		mkdir -p "$DIR" && mount_rest && on_exit "umount $DIR"
}
mount_rest() { mount -t ext4 -o noinit_itable,inode_readahead_blks=0 /dev/mapper/rest "$DIR"; }

# A directory for each thread.  What the journal holds can't be forgotten.
tree() {
	for thread in $(seq "$THREADS"); do
		mkdir "$DIR/$thread" || return
		for file in $(seq "$FILES"); do : >"$DIR/$thread/$file" || return; done
	done
	mkdir "$DIR/files" && chmod 777 "$DIR/files" && umount "$DIR" && mount_rest
}

flooded() { [ -e "$FLOOD" ]; }
forget() { while flooded; do echo 3 >/proc/sys/vm/drop_caches; sleep 0.5; done; }

# Without rights, in place of the calling shell.  $1: command
as_client() { exec su -s /bin/sh "$CLIENT" -c "$1"; }

stat_flood() {
	: >"$FLOOD"
	for thread in $(seq "$THREADS"); do
		as_client "while [ -e $FLOOD ]; do du -s $DIR/$thread; done" >/dev/null &
		FLOOD_JOBS="${FLOOD_JOBS-} $!"
	done
	forget &
	FLOOD_JOBS="$FLOOD_JOBS $!"
	# who finds all in memory only wastes time
	renice -n -20 -p $! >/dev/null
}

fsync_flood() {
	as_client "exec fio --name=fsync --directory=$DIR/files --ioengine=psync --thread --numjobs=$THREADS \
		--rw=randwrite --bs=4k --size=64k --fsync=1 --time_based --runtime=1000" >/tmp/fsync 2>&1 &
	FLOOD_JOBS=$!
	on_exit "kill -TERM $!"
}

fsync_end() { kill -TERM "$FLOOD_JOBS" && flood_end; }

flood_end() {
	rm -f "$FLOOD"
	# shellcheck disable=SC2086 # numbers
	wait $FLOOD_JOBS
	FLOOD_JOBS=
}

# Urgent requests so far; some had to wait.
urgent() { echo $(($(gauge rest dispatched_urgent) + $(gauge rest urgent_waited))); }
urgent_more() { [ "$(urgent)" -gt $(($1 + THREADS)) ]; }
flood_runs() { wait_for -t 20 urgent_more "$(urgent)"; }

# ---- what is seen meanwhile ----

gold_windows() { echo $(($(gauge gold windows_met) + $(gauge gold windows_missed))); }
gold_window_ends() { [ "$(gold_windows)" -gt "$1" ]; }

# A promise is kept, once the window is over in which the flood began: what a
# cache writes back meanwhile is the disk's own.  $1: seconds
kept() {
	wait_for gold_window_ends "$(gold_windows)" && dmsetup message gold 0 reset_stats
	kept_before=$(urgent)
	rates "$1" gold rest >/tmp/rates
	diag "gold, rest: $(tr '\n' ' ' </tmp/rates)requests/s, $(($(urgent) - kept_before)) of rest's were urgent," \
		"missed for $(gauge gold missed_why)"
	check_equal "no window is missed" 0 "$(gauge gold windows_missed)"
	check_between "others' writes keep no read" "$READ_NS" "$(gauge gold device_ns_p99)" "$READ_MAX_NS"
	check_between "and they were used" 3 "$(gauge gold windows_met)" $((2 * $1 + 1))
}

nothing_waits() { [ "$(gauge gold drive_queued) $(gauge gold drive_in_flight)" = "0 0" ]; }

is_suspended() { [ "$(dmsetup info -c --noheadings -o suspended "$1")" = Suspended ]; }
# $1: name
suspends() {
	dmsetup suspend --nolockfs "$1" &
	suspends_begun=$(now_ms)
	wait_for -t "$SUSPEND_S" is_suspended "$1"
	suspends_status=$?
	diag "suspended after $(($(now_ms) - suspends_begun)) ms"
	# what does not end by itself ends with the flood
	[ "$suspends_status" -eq 0 ] || flood_end
	wait $!
	dmsetup resume "$1" && return "$suspends_status"
}

require_virtual_clock
require_cmd mkfs.ext4
echo "$CLIENT:x:1000:1000::/:/bin/sh" >>/etc/passwd
# with a cache that flushes are for
check "a disk" null_blk_create $((2 * PART_MB)) memory_backed irqmode=2 "completion_nsec=$READ_NS" \
	"hw_queue_depth=$DEPTH" cache_size=16
check "a stream appears" qos_create gold "$NULL_BLK" 0 "$PART_MB" drive_queue_depth "$DEPTH"
check "and another" qos_create rest "$NULL_BLK" "$PART_MB" "$PART_MB"
check "a file system" file_system
check "with many files" tree
flat_profile "$COST_NS" "$DEPTH" >/tmp/profile
check "the drive gets a profile" load_profile gold </tmp/profile
job_start gold --rw=randread --iodepth="$DEPTH"
sleep 0.5
check_between "alone" "$ALONE_MIN_IOPS" "$(rates 1 gold)" $((1000000000 / COST_NS))
check "a guarantee is given" dmsetup message gold 0 set min_iops "$GOLD_MIN_IOPS" window_ms 500

stat_flood
check "$THREADS threads look for files" flood_runs
kept 3
check "who has a guarantee can be suspended" suspends gold
flooded || stat_flood
check "who floods can be suspended" suspends rest
flooded || stat_flood
check "a limit" dmsetup message rest 0 max_iops "$REST_MAX_IOPS"
sleep 0.5
check_between "holds for metadata, too" 1 "$(rates 2 rest)" $((REST_MAX_IOPS * 11 / 10))
check "no limit" dmsetup message rest 0 max_iops 0
flood_end

fsync_flood
check "$THREADS threads want their data to last" flood_runs
kept 3
check "they end" fsync_end
check "requests end" jobs_stop
check "nothing waits" wait_for nothing_waits
ktap_done
