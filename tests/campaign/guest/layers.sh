# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# What stands between clients and an emulated drive: the drive, a request-based
# layer above it, control groups.  Reads lib-flash.sh; DRIVE_PRESET, DRIVE_MB,
# DRIVE_ARGUMENTS and SEED come from who uses it.

GROUPS_DIR=/tmp/groups
LOOP=/dev/loop0
# More than the clients ask for at a time, a greedy one included.
LOOP_DEPTH=1024

# ---- the emulated drive ----

# A drive as its preset has it; the data are not kept.  Sets DRIVE.
drive_create() {
	[ -n "${BARE-}" ] || { null_blk_create "$DRIVE_MB" && BARE=$NULL_BLK; } || return
	# shellcheck disable=SC2086 # words
	flash_create drive "$BARE" preset "$DRIVE_PRESET" seed "$SEED" $DRIVE_ARGUMENTS || return
	DRIVE=/dev/mapper/drive
}

# ---- a request-based layer, which schedulers of requests need ----

loop_attach() {
	rmmod loop 2>/dev/null
	modprobe loop hw_queue_depth=$LOOP_DEPTH max_loop=1 || return
	/usr/bin/losetup --direct-io=on "$LOOP" "$1" || return
	echo none >"/sys/block/${LOOP#/dev/}/queue/scheduler"
}

loop_detach() { /usr/bin/losetup -d "$LOOP"; }

# ---- control groups ----

groups_start() {
	mkdir -p $GROUPS_DIR || return
	grep -q " $GROUPS_DIR " /proc/mounts || mount -t cgroup2 none $GROUPS_DIR || return
	echo +io >$GROUPS_DIR/cgroup.subtree_control
}

# $1: name
group_create() { [ -d "$GROUPS_DIR/$1" ] || mkdir "$GROUPS_DIR/$1"; }

# The calling shell, and all it starts, goes into a group.  $1: group
# shellcheck disable=SC2016 # for that shell
group_enter() { sh -c 'echo $PPID' >"$GROUPS_DIR/$1/cgroup.procs"; }
