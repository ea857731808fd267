#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# Who swaps to a slow stream is held back before all of his memory waits there:
# what is being written can't be read back, nor used for anything else.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

SWAP_MB=128
# What the group may have, and writes: much more than may wait.
MEMORY=48M
WRITTEN_MB=96
FULL=1000
# The core of device mapper has a limit for targets that ask for it.
LIMIT_FILE=/sys/module/dm_mod/parameters/swap_bios
GROUP=/sys/fs/cgroup/swapping
DIR=/mnt/swapping

group() {
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir "$GROUP" && on_exit "rmdir $GROUP" &&
		echo "$MEMORY" >"$GROUP/memory.max"
}
files() { mkdir -p "$DIR" && mount -t tmpfs tmpfs "$DIR" && on_exit "umount $DIR"; }
swap_on() { mkswap /dev/mapper/swap && swapon /dev/mapper/swap && on_exit "swapoff /dev/mapper/swap"; }

# shellcheck disable=SC2016 # for that shell
writer_starts() {
	sh -c 'echo $$ >"$1/cgroup.procs" && exec dd if=/dev/zero of="$2/file" bs=1M count="$3"' sh "$GROUP" "$DIR" "$WRITTEN_MB" \
		>/tmp/writer 2>&1 &
	WRITER=$!
}
queued() { read_gauge swap queued && echo "$GAUGE"; }
many_wait() { [ "$(queued)" -gt "$FULL" ]; }
no_more_come() {
	seen=$(queued)
	sleep 0.5
	[ "$seen" = "$(queued)" ]
}
writer_ends() { wait "$WRITER" && cat /tmp/writer; }

[ -r "$LIMIT_FILE" ] || skip_all "no limit in this kernel"
LIMIT=$(cat "$LIMIT_FILE")
check "a disk" null_blk_create "$SWAP_MB" memory_backed
check "a stream appears" qos_create swap "$NULL_BLK" 0 "$SWAP_MB"
check "a group with little memory" group
check "files in memory" files
check "swap" swap_on
check "the stream is slow" dmsetup message swap 0 set max_iops 1 burst_ms 0
writer_starts
check "pages wait to be written" wait_for many_wait
check "then no more come" wait_for no_more_come
check_between "not all of the memory" "$FULL" "$(queued)" "$LIMIT"
check "the stream is fast again" dmsetup message swap 0 set max_iops 0
check "who writes gets on" writer_ends
check_equal "nothing waits" 0 "$(queued)"
ktap_done
