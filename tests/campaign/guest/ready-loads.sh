# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# Loads of the campaign "ready" on a file system at /mnt; each has
# NAME_prepare, before its life begins, and NAME_load, which never ends.
#
#	oltp		transactions of SQLite, in bursts
#	bonnie		files written, rewritten, read, read at random; made and deleted
#	postmark	many small files: made, appended to, read, deleted
#
# The settings say how much each does in a burst (*_BURST; BONNIE_*) and how long it
# rests then (*_REST_S), so that the shape of the load is the host's to state.

OLTP_ROWS=5000
OLTP_NOTE_BYTES=1000
# Pages in the log after which they are copied to the table.
OLTP_CHECKPOINT_PAGES=200
OLTP_ENDLESS=100000
POSTMARK_FILES=500
POSTMARK_MIN_BYTES=500
POSTMARK_MAX_BYTES=9770
POSTMARK_DELETE_AT=16

# A load ends with all that it has started.  $1: name
load_start() {
	setsid sh -c ". ${0%/*}/ready-settings.sh; . ${0%/*}/ready-loads.sh; $1_load" </dev/null >/tmp/load.log 2>&1 &
	LOAD=$!
}

load_stop() {
	kill -TERM "-$LOAD"
	wait "$LOAD"
	[ $? -eq 143 ] || { cat /tmp/load.log; return 1; }
}

# ---- oltp ----

oltp_prepare() {
	{
		echo "PRAGMA journal_mode=WAL;"
		echo "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, note BLOB);"
		echo "CREATE TABLE history (id INTEGER PRIMARY KEY, account INTEGER, note BLOB);"
		echo "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $OLTP_ROWS) \
INSERT INTO account SELECT i, 1000, randomblob($OLTP_NOTE_BYTES) FROM n;"
	} | sqlite3 -batch /mnt/bank.db >/dev/null
}

# Two updates and an insert in a transaction; every commit reaches the drive.
oltp_transactions() {
	awk -v bursts="$OLTP_ENDLESS" -v burst="$OLTP_BURST" -v rest="$OLTP_REST_S" -v rows="$OLTP_ROWS" \
		-v checkpoint="$OLTP_CHECKPOINT_PAGES" -v seed="$SEED" 'BEGIN {
		srand(seed)
		print "PRAGMA synchronous=FULL;"
		print "PRAGMA wal_autocheckpoint=" checkpoint ";"
		for (b = 0; b < bursts; b++) {
			for (i = 0; i < burst; i++) {
				print "BEGIN IMMEDIATE;"
				for (u = 0; u < 2; u++)
					printf "UPDATE account SET balance = balance + %d WHERE id = %d;\n", rand() * 100, rand() * rows
				printf "INSERT INTO history (account, note) VALUES (%d, randomblob(200));\n", rand() * rows
				print "COMMIT;"
			}
			print ".shell sleep " rest
		}
	}'
}

oltp_load() { oltp_transactions | sqlite3 -batch /mnt/bank.db >/dev/null; }

# ---- bonnie ----

bonnie_prepare() { mkdir /mnt/small; }

# fio with what all its jobs here have in common; the rest: options
bonnie_fio() {
	fio --directory=/mnt --filename=big --size="${BONNIE_FILE_MB}M" --ioengine=psync --thread \
		--randseed="$SEED" --invalidate=1 --fallocate=none "$@" >/dev/null
}

bonnie_round() {
	bonnie_fio --name=write --rw=write --bs=64k --end_fsync=1 \
		--name=rewrite --stonewall --rw=rw --bs=64k --end_fsync=1 \
		--name=read --stonewall --rw=read --bs=64k \
		--name=seek --stonewall --rw=randrw --rwmixread=90 --bs=8k --number_ios="$BONNIE_SEEKS" || return
	for small in $(seq "$BONNIE_SMALL_FILES"); do echo "$small" >"/mnt/small/$small"; done
	sync
	rm -f /mnt/small/* /mnt/big
	sleep "$BONNIE_REST_S"
}

bonnie_load() { while bonnie_round; do :; done; }

# ---- postmark ----

postmark_prepare() { mkdir /mnt/mail; }

# As many transactions in each burst: half make or delete a file, half read or
# append to one; sizes are evenly spread.  Files that go are deleted a few at a
# time.  Then all is synced: mail that was accepted is not lost.
postmark_load() {
	mawk -v files="$POSTMARK_FILES" -v burst="$POSTMARK_BURST" -v rest="$POSTMARK_REST_S" \
		-v low="$POSTMARK_MIN_BYTES" -v high="$POSTMARK_MAX_BYTES" -v most="$POSTMARK_DELETE_AT" \
		-v seed="$SEED" '
	function size() { return low + int(rand() * (high - low)) }
	function text(bytes) { return substr(letters, 1, bytes) }
	function make() {
		name = "/mnt/mail/" (made % 10) "." made
		made++
		printf "%s", text(size()) >name
		close(name)
		pool[nr++] = name
	}
	function append(name) { printf "%s", text(size() / 4) >>name; close(name) }
	function look(name) { while ((getline line < name) > 0); close(name) }
	function drop(at) {
		gone = gone " " pool[at]
		pool[at] = pool[--nr]
		if (++dropped % most == 0) { system("rm -f" gone); gone = "" }
	}
	BEGIN {
		srand(seed)
		while (length(letters) < high) letters = letters "The quick brown fox jumps over the lazy dog.\n"
		while (nr < files) make()
		for (;;) {
			for (i = 0; i < burst; i++) {
				if (rand() < 0.5) { if (rand() < 0.5 || nr < files / 2) make(); else drop(int(rand() * nr)) }
				else if (rand() < 0.5) look(pool[int(rand() * nr)])
				else append(pool[int(rand() * nr)])
			}
			system("sync; sleep " rest)
		}
	}'
}
