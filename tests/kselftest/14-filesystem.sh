#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# A file system and a database on a drive.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

DRIVE=/dev/mapper/drive
DIR=/mnt/drive
NR_FILES=60
ROWS=300

mount_drive() { mkdir -p "$DIR" && mount -t ext4 "$@" "$DRIVE" "$DIR" && on_exit "umount $DIR"; }

# Files of many sizes; one of three goes again.
write_files() {
	dd if=/dev/urandom of=/tmp/source bs=64k count=16 2>/dev/null
	i=0
	while [ "$i" -lt "$NR_FILES" ]; do
		dd if=/tmp/source of="$DIR/file$i" bs=$((i * 777 + 1)) count=$((i % 9 + 1)) 2>/dev/null || return
		i=$((i + 1))
	done
	# on the drive first: what was never written leaves nothing to trim
	sync
	for i in $(seq 0 3 $((NR_FILES - 1))); do
		rm "$DIR/file$i" || return
	done
	sync
}

sums() { (cd "$DIR" && md5sum file*); }

files_stay() {
	before=$(sums)
	umount "$DIR" && echo 3 >/proc/sys/vm/drop_caches && mount_drive -o discard && [ "$before" = "$(sums)" ]
}

discarded() { [ "$(gauge drive trimmed_units)" -gt "$1" ]; }

trims() {
	dmsetup message drive 0 reset_stats && fstrim "$DIR" && discarded 100
}

# With -o discard, deleting a file unmaps it when the journal has it.
trims_deleted() {
	dmsetup message drive 0 reset_stats && dd if=/tmp/source of="$DIR/big" bs=1M && sync && rm "$DIR/big" &&
		sync && wait_for discarded 200
}

fills_up() {
	! dd if=/dev/zero of="$DIR/full" bs=1M 2>/tmp/dd && grep -q "No space left" /tmp/dd && rm "$DIR/full"
}

database() {
	{
		echo "PRAGMA synchronous=FULL; CREATE TABLE t(k INTEGER PRIMARY KEY, v BLOB);"
		i=0
		while [ "$i" -lt "$ROWS" ]; do
			echo "INSERT INTO t VALUES($i, zeroblob($((i * 17 % 3000))));"
			[ $((i % 5)) != 0 ] || echo "UPDATE t SET v = zeroblob(900) WHERE k = $((i / 2));"
			i=$((i + 1))
		done
	} | sqlite3 "$DIR/db"
}

database_whole() {
	[ "$(sqlite3 "$DIR/db" 'PRAGMA integrity_check; SELECT count(*) FROM t;')" = "ok
$ROWS" ]
}

check "a drive with a volatile cache appears" flash_on_null drive 96 cache volatile aged_pct 90
prepare_ext4
check "mkfs.ext4" mkfs.ext4 -q "$DRIVE"
check "mounting it" mount_drive
check "writing and removing files" write_files
check "the journal flushes the drive" test "$(gauge drive flushes)" -gt 2
check "files are the same after a remount" files_stay
check "fstrim unmaps what is free" trims
check "deleting a file unmaps it" trims_deleted
check "the file system can fill the drive" fills_up
check "a database grows" database
check "its integrity check passes" database_whole
sums >/tmp/before
check "unmounting" umount "$DIR"
check "e2fsck finds nothing" e2fsck -fn "$DRIVE"
dm_remove drive
check "e2fsck finds nothing on the bare device" e2fsck -fn "$NULL_BLK"
check "another drive on it" flash_create drive "$NULL_BLK" preset ttflash
check "mounting it again" mount_drive
check_equal "all files are there" "$(cat /tmp/before)" "$(sums)"
check "the database is whole" database_whole
ktap_done
