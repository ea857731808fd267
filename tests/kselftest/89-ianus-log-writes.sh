#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 200
# program: tests/kselftest/log-writes.c:/usr/bin/log-writes
# All that a mirror writes to its members, its metadata and its journal is noted by dm-log-writes.
# Then there is power up to some flush, of any of them, and nothing of what was not flushed by then:
# with durability strict all is there that had been flushed, with journal all that had been answered,
# and members become the same.  (84 has drives that lose a part of what was not flushed; here it is
# all of it, and each flush can be the last one.)  Not with volatile, where a flush says nothing.
# The kernel's arguments powercut_seed and powercut_cuts ask for more of it.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

MEMBER_COUNT=2
MEMBER_MB=4
META_KIB=64
JOURNAL_KIB=600
DRIVES_KIB="$((MEMBER_MB * 1024)) $((MEMBER_MB * 1024)) $META_KIB $JOURNAL_KIB"
DISK_MB=9
# Longer than what can be written here.
LOG_MB=128
# Each has an area of its own, and differs in how many writes it flushes at most.
WRITERS="1:1 2:8 3:32"
WRITES=150
SWITCH_MS=100
DEFAULT_POINTS=20

# Cuts a disk into the drives of a mirror.  $1: disk, $2: what their names begin with
drives_on() {
	drives_at=0
	drives_n=0
	for drives_kib in $DRIVES_KIB; do
		dm_create "$2$drives_n" "0 $((drives_kib * 2)) linear $1 $drives_at" || return
		drives_at=$((drives_at + drives_kib * 2))
		drives_n=$((drives_n + 1))
	done
}
drives_go() { for drives_n in 0 1 2 3; do dm_remove "$1$drives_n" || return; done; }
# $1: what names of drives begin with, the rest: keys and values
mirror() {
	MEMBERS=" /dev/mapper/${1}0 0 /dev/mapper/${1}1 0"
	META=/dev/mapper/${1}2
	mirror_journal="journal /dev/mapper/${1}3"
	shift
	[ "$WHAT" = journal ] || mirror_journal=
	# shellcheck disable=SC2086 # words
	ianus_create durability "$WHAT" $mirror_journal switch_ms "$SWITCH_MS" cache_kib 1024 region_kib 64 "$@"
}

log_begins() {
	null_blk_create "$DISK_MB" memory_backed && disk_dir=$null_dir && DISK=$NULL_BLK &&
		null_blk_create "$LOG_MB" memory_backed && log_dir=$null_dir && LOG=$NULL_BLK &&
		dm_create logged "0 $(sectors "$DISK") log-writes $DISK $LOG" &&
		drives_on /dev/mapper/logged l
}
# All of the log is there when the device has gone.
log_ends() { dm_remove m && drives_go l && dm_remove logged; }
disks_go() { null_blk_remove "$log_dir" && drives_go r && null_blk_remove "$replay_dir" && null_blk_remove "$disk_dir"; }
replay_begins() { null_blk_create "$DISK_MB" memory_backed && replay_dir=$null_dir && REPLAY=$NULL_BLK && drives_on "$REPLAY" r; }

# $1: writer and its most
most() { [ "$WHAT" = journal ] && echo 0 || echo "${1#*:}"; }
all_write() {
	write_pids=
	for writer in $WRITERS; do
		log-writes write logged "$M" "${writer%:*}" $((SEED * 10 + ${writer%:*})) "$WRITES" "$(most "$writer")" &
		write_pids="$write_pids $!"
	done
	for pid in $write_pids; do wait "$pid" || return; done
}
has_all() {
	for writer in $WRITERS; do
		log-writes check "$LOG" "$1" "$M" "${writer%:*}" $((SEED * 10 + ${writer%:*})) >/tmp/found ||
			{ echo "writer ${writer%:*}: $(cat /tmp/found)"; return 1; }
		awk -v point="$1" -v what="$WHAT" -v OFS=' ' '{ print what, point, $2, $4 }' /tmp/found >>/results/points
	done
}
# $1: number of the flush that was the last one
has_what_was_promised() {
	log-writes replay "$LOG" "$1" "$REPLAY" && mirror r || return
	has_all "$1" && wait_for is_whole && has_all "$1" && suspended_agree
	has_status=$?
	dm_remove m && return "$has_status"
}

durability() {
	WHAT=$1
	check "$WHAT: a disk whose writes are noted" log_begins
	check "a mirror" mirror l
	check "is whole" wait_for is_whole
	check "blocks are written" all_write
	check "turns have ended" switched 2
	check "that is all" log_ends
	points=$(log-writes points "$LOG")
	check "there were flushes" [ "$points" -ge "$POINTS" ]
	check "another disk" replay_begins
	for _ in $(seq "$POINTS"); do
		draw "$points"
		check "power goes after flush $((DRAWN + 1)) of $points" has_what_was_promised $((DRAWN + 1))
	done
	check "disks go" disks_go
}

require_target ssdqos-ianus
require_module dm-log-writes
SEED=$(argument seed 1)
DICE=$SEED
POINTS=$(argument cuts "$DEFAULT_POINTS")
durability strict
durability journal
ktap_done
