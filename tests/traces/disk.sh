# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# For the recordings: an ext4 file system on a disk that answers like a fast
# SSD, a memory limit that makes programs read again what they have read
# before, and blktrace beside them.

DISK_MB=1024
# A fast drive's time for 4 KiB; the timer of null_blk adds about ten.
LATENCY_NS=70000

# $1: limit of program and page cache in MB
recording_start() {
	null_blk_create "$DISK_MB" memory_backed irqmode=2 completion_nsec="$LATENCY_NS" discard=1 || return
	# All of it before the recording, or the kernel would do it in between.
	mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$NULL_BLK" || return
	mount -t ext4 -o discard,noatime "$NULL_BLK" /mnt || return
	on_exit "umount /mnt"
	blktrace -d "$NULL_BLK" -a queue -b 1024 -n 8 -D /results -o trace >/results/blktrace.log 2>&1 &
	BLKTRACE_PID=$!
	# Only now, or what blktrace writes would count as well.
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p /sys/fs/cgroup/recorded
	echo "${1}M" >/sys/fs/cgroup/recorded/memory.max
	echo $$ >/sys/fs/cgroup/recorded/cgroup.procs
	wait_for [ -e "/sys/kernel/debug/block/${NULL_BLK#/dev/}/trace0" ]
}

recording_stop() {
	sync
	kill -INT "$BLKTRACE_PID"
	wait "$BLKTRACE_PID"
	cat /results/blktrace.log
}

forget_cache() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}
