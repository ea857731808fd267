#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 200
# program: tests/kselftest/cut-drives.c:/usr/bin/cut-drives
# python: tests/kselftest/database.py:/usr/bin/database.py
# A database on ext4 on a mirror whose power is cut again and again, and with it go the caches of
# its drives, in part or in whole.  SQLite writes with a journal that it removes and with a
# write-ahead log, and flushes before it says that a transaction has ended.  After each cut the file
# system and the database are whole, and have all of the first transactions and nothing of the others;
# with durability strict and journal, all that had ended; with volatile, at least those that there
# were when all members had the same.  Members have the same, byte by byte, when all is copied.
# tests/powercut/run --database does more of it.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"
# shellcheck source=tests/kselftest/lib-fs.sh
. "${0%/*}/lib-fs.sh"
# shellcheck source=tests/kselftest/lib-cuts.sh
. "${0%/*}/lib-cuts.sh"

MEMBER_MB=8
JOURNAL_KIB=600
NOTED_BYTE=0
LIFE_LEAST_MS=100
LIFE_MOST_MS=400
DIR=/mnt/database
LIVES=/tmp/lives
SAID=/tmp/database

begins() { cuts_begin; }
mounts() { mount -t ext4 "$M" "$DIR"; }
# What the cut has left is mended by the kernel.
mounts_again() { mounts && umount "$DIR" && e2fsck -fn "$M" && mounts; }
makes() { blank "$NOTES" "$NOTES_KIB" && fs_make ext4 "$M" && mounts; }
# It looks at what there is, and waits.
opens() {
	rm -f "$SAID" /tmp/go /tmp/found && mkfifo /tmp/go /tmp/found || return
	python3 /usr/bin/database.py "$DIR/database" "$NOTES" "$LIVES" "$LIFE" </tmp/go >/tmp/found 2>"$SAID" &
	WRITERS=$!
	exec 5>/tmp/go 6</tmp/found
	read -r FOUND TOLD <&6 || { cat "$SAID"; return 1; }
}
# Who ends a transaction may be interrupted before he says so.
is_kept() {
	least=$TOLD
	[ "$WHAT" != volatile ] || least=$SAFE
	[ "$FOUND" -ge "$least" ] && [ "$FOUND" -le $((TOLD + 1)) ] && return
	echo "$FOUND transactions, $TOLD were told of, $least are promised"
	return 1
}
looks() {
	if [ "$LIFE" -eq 1 ]; then
		makes && opens && suspended_all_agree
	else
		mounts_again && opens && is_kept && cut_noted "$MODE $BEGUN $TOLD $FOUND"
	fi
}
all_agree() { read_all "$(member 0)" && all_same; }
mended() { SAFE=$FOUND; }
goes_on() {
	BEGUN=$FOUND
	# by the best bit
	draw "$DRAW_MOST"
	MODE=$((DRAWN * 2 / DRAW_MOST))
	case $MODE in 0) echo delete ;; 1) echo wal ;; esac >&5
}
ends() { power_cut; }
leaves() {
	stops
	umount "$DIR"
	[ ! -s "$SAID" ] || { cat "$SAID"; return 1; }
}
# $1: durability
cuts() {
	SAFE=0
	: >"$LIVES"
	cuts_of "$1" "$1"
}

require_target ssdqos-ianus
require_module nbd
require_cmd mkfs.ext4 python3
cuts_arguments 2
mkdir -p "$DIR"
prepare_ext4
check "drives" drives_begin
for what in $DURABILITIES; do
	cuts "$what"
done
ktap_done
