#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# SQLite as an embedded database: bulk load, then small transactions and point
# queries, first with a rollback journal, then with a write-ahead log.

# shellcheck source=tests/kselftest/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/traces/disk.sh
. "${0%/*}/disk.sh"

MEMORY_MB=24
ROWS=40000
LOAD_BATCH=500
TRANSACTIONS=2000
QUERIES=6000
SEED=1

# SQL for one phase: transactions with two updates and an insert, and between
# them point queries.  $1: first new row number
transactions() {
	awk -v n="$TRANSACTIONS" -v rows="$ROWS" -v next_row="$1" -v per="$((QUERIES / TRANSACTIONS))" -v seed="$SEED" '
		BEGIN {
			srand(seed + next_row)
			for (i = 0; i < n; i++) {
				print "BEGIN IMMEDIATE;"
				for (u = 0; u < 2; u++)
					printf "UPDATE account SET balance = balance + %d WHERE id = %d;\n", rand() * 100, rand() * rows
				printf "INSERT INTO history VALUES (%d, %d, randomblob(200));\n", next_row + i, rand() * rows
				print "COMMIT;"
				for (q = 0; q < per; q++)
					printf "SELECT sum(length(note)) FROM account WHERE id = %d;\n", rand() * rows
			}
		}'
}

load() {
	echo "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, note BLOB);"
	echo "CREATE TABLE history (id INTEGER PRIMARY KEY, account INTEGER, note BLOB);"
	echo "CREATE INDEX history_account ON history (account);"
	awk -v rows="$ROWS" -v batch="$LOAD_BATCH" '
		BEGIN {
			for (i = 0; i < rows; i += batch)
				printf "WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d) " \
					"INSERT INTO account SELECT i, 1000, randomblob(1000) FROM n;\n", i, i + batch - 1
		}'
}

# Its sorting space is on the disk as well.
database() { SQLITE_TMPDIR=/mnt sqlite3 -batch /mnt/bank.db >/dev/null; }

in_rollback_journal() { { echo "PRAGMA journal_mode=DELETE;" && transactions 0; } | database; }
in_write_ahead_log() { { echo "PRAGMA journal_mode=WAL;" && transactions "$TRANSACTIONS"; } | database; }
scan() { echo "SELECT count(*), sum(balance) FROM account; PRAGMA integrity_check;" | database; }
clean_up() { echo "DELETE FROM history WHERE id % 2; DELETE FROM account WHERE id % 3 = 0; VACUUM;" | database; }
load_database() { load | database; }

require_cmd sqlite3 blktrace mkfs.ext4
ktap_plan 7
check "recording starts" recording_start "$MEMORY_MB"
check "bulk load" load_database
forget_cache
check "transactions with a rollback journal" in_rollback_journal
forget_cache
check "transactions with a write-ahead log" in_write_ahead_log
check "full scan" scan
check "delete and vacuum" clean_up
rm -f /mnt/bank.db*
check "recording stops" recording_stop
ktap_done
