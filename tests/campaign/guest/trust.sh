# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# A reader that is promised half of a disk, beside a neighbour whose requests
# others wait for: under nothing, BFQ, io.max and ssdqos, in one boot.
# /results/SIDE has the reader's fio results and, of the neighbour, what its
# device counted before and after.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/trust-settings.sh"
require_virtual_clock
require_target ssdqos

OUT=/results
GROUPS_DIR=/tmp/groups
DIR=/mnt/rest
FLOOD=/tmp/flood
# Memory that the swapping neighbour may have, and what it uses.
HOG_MEMORY=32M
HOG_FILE_MB=1
TREES=$THREADS
NEIGHBOURS=
FIO=

# ---- the disk and its two parts ----

disk() {
	null_blk_create $((GOLD_MB + REST_MB)) memory_backed irqmode=2 "completion_nsec=$READ_NS" \
		"hw_queue_depth=$DEPTH" cache_size=16 || return
	DISK_NAME=${NULL_BLK#/dev/}
	disk_number=$(cat "/sys/block/$DISK_NAME/dev")
}

linear_parts() {
	dm_create gold "0 $gold_sectors linear $NULL_BLK 0" &&
		dm_create rest "0 $rest_sectors linear $NULL_BLK $gold_sectors"
}
gold_sectors=$((GOLD_MB * SECTORS_PER_MB))
rest_sectors=$((REST_MB * SECTORS_PER_MB))

parts_remove() { dm_remove rest && dm_remove gold; }

# ---- control groups: one for each of them ----

groups_start() {
	mkdir -p "$GROUPS_DIR" && mount -t cgroup2 none "$GROUPS_DIR" || return
	echo "+io +memory" >"$GROUPS_DIR/cgroup.subtree_control" && mkdir "$GROUPS_DIR/gold" "$GROUPS_DIR/rest"
}

# The calling shell, and all it starts, goes into a group.  $1: group
# shellcheck disable=SC2016 # for that shell
group_enter() { sh -c 'echo $PPID' >"$GROUPS_DIR/$1/cgroup.procs"; }

# ---- sides: what stands between the clients and the disk ----

linear_setup() { linear_parts; }
linear_end() { :; }

# For shares rather than short times of a desktop, as bfq-iosched.rst says.
bfq_setup() {
	linear_parts && echo bfq >"/sys/block/$DISK_NAME/queue/scheduler" &&
		echo 0 >"/sys/block/$DISK_NAME/queue/iosched/low_latency" &&
		echo "$GOLD_WEIGHT" >"$GROUPS_DIR/gold/io.bfq.weight" && echo "$REST_WEIGHT" >"$GROUPS_DIR/rest/io.bfq.weight"
}
bfq_end() { echo none >"/sys/block/$DISK_NAME/queue/scheduler"; }

# The neighbour may do what is not promised to the reader.
io_max_setup() {
	linear_parts && echo "$disk_number riops=$REST_IOPS wiops=$REST_IOPS" >"$GROUPS_DIR/rest/io.max"
}
io_max_end() { echo "$disk_number riops=max wiops=max" >"$GROUPS_DIR/rest/io.max"; }

ssdqos_setup() {
	dm_create gold "0 $gold_sectors ssdqos $NULL_BLK 0 2 drive_queue_depth $DEPTH" &&
		dm_create rest "0 $rest_sectors ssdqos $NULL_BLK $gold_sectors" &&
		dmsetup message gold 0 "profile $PROFILE" &&
		dmsetup message gold 0 "set min_iops $GOLD_IOPS window_ms $WINDOW_MS"
}
ssdqos_end() { dmsetup status >"$OUT/status"; }

# ---- neighbours: prepare once, begin and end for each side ----

nothing_prepare() { :; }
nothing_begin() { :; }
nothing_end() { :; }

# $1: command that makes the file system, the rest: options of mount
tree_prepare() {
	linear_parts && $1 /dev/mapper/rest && shift && mkdir -p "$DIR" &&
		mount "$@" /dev/mapper/rest "$DIR" && tree_make && umount "$DIR" && parts_remove
}

# A directory for each thread.
tree_make() {
	mkdir "$DIR/files" && chmod 777 "$DIR/files" || return
	for thread in $(seq "$TREES"); do
		mkdir "$DIR/$thread" || return
		for file in $(seq "$FILES"); do : >"$DIR/$thread/$file" || return; done
	done
}

forget() { while [ -e "$FLOOD" ]; do echo 3 >/proc/sys/vm/drop_caches; sleep 0.5; done; }

# Who only may look, each in a directory of his own.
stat_begin() {
	mount "$@" /dev/mapper/rest "$DIR" || return
	: >"$FLOOD"
	for thread in $(seq "$THREADS"); do
		(group_enter rest && exec su -s /bin/sh client -c \
			"while [ -e $FLOOD ]; do du -s $DIR/$thread; done" >/dev/null) &
		NEIGHBOURS="$NEIGHBOURS $!"
	done
	forget &
	NEIGHBOURS="$NEIGHBOURS $!"
	# who finds all in memory only wastes time
	renice -n -20 -p $! >/dev/null
}
tree_end() { umount "$DIR"; }

# A block for each inode, and no others read with it: as in a tree that is too
# large for a test, each look is a request.
EXT4_OPTIONS=noinit_itable,inode_readahead_blks=0
stat_ext4_prepare() {
	prepare_ext4
	tree_prepare "mkfs.ext4 -q -I 4096 -N $((2 * THREADS * FILES)) -E nodiscard,lazy_itable_init=1" -t ext4 -o "$EXT4_OPTIONS"
}
stat_ext4_begin() { stat_begin -t ext4 -o "$EXT4_OPTIONS"; }
stat_ext4_end() { tree_end; }

# Without checksums, four inodes are read at a time and not 32.
stat_xfs_prepare() {
	prepare_ext4
	modprobe -q libcrc32c
	insmod /tests/xfs.ko && tree_prepare "mkfs.xfs -q -K -m crc=0 -i size=2048" -t xfs
}
stat_xfs_begin() { stat_begin -t xfs; }
stat_xfs_end() { tree_end; }

fio_begin() {
	(group_enter rest && exec su -s /bin/sh client -c "exec fio --name=rest --thread --numjobs=$THREADS \
		--group_reporting --bs=4k --norandommap --randseed=$SEED --time_based --runtime=1000 $*" >"$OUT/neighbour" 2>&1) &
	FIO=$!
	NEIGHBOURS=$FIO
}

fsync_prepare() { TREES=0 && stat_ext4_prepare; }
fsync_begin() {
	mount -t ext4 -o "$EXT4_OPTIONS" /dev/mapper/rest "$DIR" &&
		fio_begin --directory="$DIR/files" --ioengine=psync --rw=randwrite --size=64k --fsync=1
}
fsync_end() { tree_end; }

# Files in memory that does not suffice; a page each time.
swap_prepare() {
	echo 0 >/proc/sys/vm/page-cluster
	mkdir -p /tmp/hog && mount -t tmpfs -o mode=777 tmpfs /tmp/hog && echo "$HOG_MEMORY" >"$GROUPS_DIR/rest/memory.max"
}
swap_begin() {
	mkswap /dev/mapper/rest && swapon /dev/mapper/rest &&
		fio_begin --directory=/tmp/hog --ioengine=psync --rw=randwrite --size="${HOG_FILE_MB}m" --fallocate=none
}
swap_end() { rm -f /tmp/hog/* && swapoff /dev/mapper/rest; }

neighbours_stop() {
	rm -f "$FLOOD"
	[ -z "$FIO" ] || kill -TERM "$FIO"
	FIO=
	# shellcheck disable=SC2086 # numbers
	[ -z "$NEIGHBOURS" ] || wait $NEIGHBOURS
	NEIGHBOURS=
}

# ---- a cell of the table ----

# What a device has done so far.  $1: name
counted() { echo "$(now_ms) $(cat "/sys/block/$(dm_kernel_name "$1")/stat")"; }

read_gold() {
	counted rest >"$run_dir/rest"
	(group_enter gold && exec fio --name=gold --filename=/dev/mapper/gold --direct=1 --ioengine=libaio --thread \
		--rw=randread --bs=4k --iodepth="$DEPTH" --norandommap --randseed="$SEED" --time_based --runtime="$RUN_S" \
		--write_iops_log="$run_dir/gold" --log_avg_msec=100 --percentile_list=50:99:99.9 \
		--output-format=json --output="$run_dir/gold.json" >/dev/null)
	read_status=$?
	counted rest >>"$run_dir/rest"
	return "$read_status"
}

# $1: side
# shellcheck disable=SC2153 # NEIGHBOUR comes from the campaign
cell() {
	run_dir=$OUT/$1
	mkdir -p "$run_dir" && "$1_setup" && "${NEIGHBOUR}_begin" || return
	sleep "$WARM_UP_S"
	[ "$1" != ssdqos ] || dmsetup message gold 0 reset_stats
	read_gold
	cell_status=$?
	"$1_end"
	neighbours_stop
	"${NEIGHBOUR}_end" && parts_remove && return "$cell_status"
}

modprobe -q bfq
echo "client:x:1000:1000::/:/bin/sh" >>/etc/passwd
check "control groups" groups_start
check "a disk" disk
check "a neighbour" "${NEIGHBOUR}_prepare"
for side in $SIDES; do check "$side" cell "$side"; done
ktap_done
