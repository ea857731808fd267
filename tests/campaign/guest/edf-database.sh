# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# SQLite on ext4 on one stream, alone and while another stream writes at full
# speed.  Only the database's part of the drive keeps its data.  Lines of
# /results/database: PHASE TRANSACTIONS MS, and the writer's fio results.
# shellcheck source=tests/campaign/guest/edf-lib.sh
. "${0%/*}/edf-lib.sh"
require_virtual_clock
require_target ssdqos
require_cmd sqlite3 mkfs.ext4

DATABASE_MB=512
ROWS=20000
ENDLESS=1000000
database_sectors=$((DATABASE_MB * SECTORS_PER_MB))
writer_sectors=$(((DRIVE_MB - DATABASE_MB) * SECTORS_PER_MB))

disks() {
	null_blk_create "$DATABASE_MB" memory_backed discard=1 && kept=$NULL_BLK || return
	null_blk_create $((DRIVE_MB - DATABASE_MB)) || return
	dm_create both "0 $database_sectors linear $kept 0
$database_sectors $writer_sectors linear $NULL_BLK 0" && BARE=/dev/mapper/both
}

streams() {
	dm_create database "0 $database_sectors ssdqos $DRIVE 0 2 drive edf" &&
		dm_create writer "0 $writer_sectors ssdqos $DRIVE $database_sectors 2 drive edf" &&
		dmsetup message database 0 "profile $(cat "$PROFILE")"
}

file_system() {
	prepare_ext4
	mkfs.ext4 -q -E nodiscard,lazy_itable_init=0 /dev/mapper/database &&
		mount -t ext4 -o nodiscard /dev/mapper/database /mnt && on_exit "umount /mnt"
}

load() {
	{
		echo "PRAGMA journal_mode=WAL;"
		echo "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, note BLOB);"
		echo "CREATE TABLE history (id INTEGER PRIMARY KEY, account INTEGER, note BLOB);"
		echo "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $ROWS) \
INSERT INTO account SELECT i, 1000, randomblob(1000) FROM n;"
	} | sqlite3 -batch /mnt/bank.db >/dev/null && sync
}

# Two updates and an insert; every commit reaches the drive.
transactions() {
	awk -v n="$ENDLESS" -v rows="$ROWS" -v seed="$SEED" 'BEGIN {
		srand(seed)
		print "PRAGMA synchronous=FULL;"
		for (i = 0; i < n; i++) {
			print "BEGIN IMMEDIATE;"
			for (u = 0; u < 2; u++)
				printf "UPDATE account SET balance = balance + %d WHERE id = %d;\n", rand() * 100, rand() * rows
			printf "INSERT INTO history (account, note) VALUES (%d, randomblob(200));\n", rand() * rows
			print "COMMIT;"
		}
	}'
}

committed() { sqlite3 -batch /mnt/bank.db "SELECT count(*) FROM history;"; }

# $1: phase
database() {
	database_before=$(committed)
	database_start=$(now_ms)
	transactions | timeout "$RUN_S" sqlite3 -batch /mnt/bank.db >/dev/null
	database_ms=$(($(now_ms) - database_start))
	echo "$1 $(($(committed) - database_before)) $database_ms" >>"$OUT"/database
	dmsetup status database >"$OUT/status.$1"
}

# $1: phase
shared() {
	dmsetup message database 0 reset_stats
	fio --name=writer --filename=/dev/mapper/writer --direct=1 --ioengine=libaio --thread \
		--rw=randwrite --bs=64k --iodepth=32 --norandommap --randseed="$SEED" --time_based \
		--runtime=$((RUN_S + 4 * WARM_UP_S)) --output-format=json --output="$OUT/writer.$1.json" >/dev/null &
	writer=$!
	sleep "$WARM_UP_S"
	database "$1"
	kill -INT "$writer"
	wait "$writer"
	[ -s "$OUT/writer.$1.json" ]
}

reserve() { dmsetup message database 0 "set util_ppm $RESERVE_PPM window_ms 1000"; }

check "disks" disks
check "the drive" drive_create
check "streams" streams
check "file system" file_system
check "load" load
check "alone" database alone
check "shared" shared shared
check "reserve" reserve
check "shared, with a reservation" shared reserved
for depth in $DEPTHS; do
	check "at most $depth in the drive" dmsetup message database 0 "drive_queue_depth $depth"
	check "shared, with a reservation, $depth in the drive" shared "reserved-$depth"
done
ktap_done
