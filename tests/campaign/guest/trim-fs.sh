# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# include: tests/kselftest/lib-fs.sh:/tests/lib-fs.sh
# Somebody deletes files of a file system, all those of some of its writers (DELETED), while a
# reader has a promise on the same drive, which is full: no delete, one without discards, discards as
# they come, batched, by fstrim afterwards, and the file system's own way, those of them in SIDES, in
# one boot, each on a new drive.  Then a third volume is overwritten at random.  /results/SIDE.json is the reader's, /results/SIDE numbers.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck source=tests/kselftest/lib-fs.sh
. "${0%/*}/lib-fs.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/trim-settings.sh"
require_virtual_clock
require_target ssdqos

OUT=/results
DIR=/mnt/files
WRITERS=4
GONE_S=60
# The drive below is asked each second for its wear.
REPORT_S=2
# Some of what stays, of the last writer, is compared with what was unpacked.
COMPARED="3 7"
# Discarded sectors, of the fields of a disk's statistics.
STAT_DISCARD_SECTORS=14

# ---- the drive and its clients ----

# $1: first MB, $2: size in MB, the rest: keys and values
qos_line() {
	line_at=$(($1 * SECTORS_PER_MB)) line_size=$(($2 * SECTORS_PER_MB))
	shift 2
	echo "0 $line_size ssdqos /dev/mapper/flash $line_at $# $*"
}

# It has been in use for long: all of it is written.  $1: policy of discards
drive_starts() {
	# shellcheck disable=SC2086 # words
	null_blk_create "$((FILES_MB + READER_MB + WRITER_MB))" memory_backed discard=1 &&
		flash_create flash "$NULL_BLK" preset "$PRESET" aged_pct 100 seed "$SEED" $DRIVE &&
		dm_create files "$(qos_line 0 "$FILES_MB" drive_trim "$1")" &&
		dm_create reader "$(qos_line "$FILES_MB" "$READER_MB" drive_trim "$1")" &&
		dm_create writer "$(qos_line "$((FILES_MB + READER_MB))" "$WRITER_MB" drive_trim "$1")" &&
		dd if=/dev/urandom of=/dev/mapper/reader bs=1M count="$READER_MB" oflag=direct 2>/dev/null &&
		dmsetup message reader 0 profile "$PROFILE" && dmsetup message reader 0 min_iops "$PROMISED_IOPS"
}
drive_ends() { dm_remove writer && dm_remove reader && dm_remove files && dm_remove flash && null_blk_remove "$null_dir"; }

# ---- file systems ----

# Unpacked by several at once, so that what one of them deletes lies between the others'.
# $1: which of them
trees_unpack() {
	for tree in $(seq "$1" "$WRITERS" "$((TREES - 1))"); do
		mkdir -p "$DIR/$tree" && tar -xf /tests/tree.tar -C "$DIR/$tree" || return
	done
}
files_make() {
	mkdir -p "$DIR" && fs_make "$FS" /dev/mapper/files "$SEED" && mount -t "$FS" -o "$1" /dev/mapper/files "$DIR" || return
	unpackers=
	for writer in $(seq 0 $((WRITERS - 1))); do
		trees_unpack "$writer" &
		unpackers="$unpackers $!"
	done
	for writer in $unpackers; do wait "$writer" || return; done
	sync
}
files_delete() {
	for tree in $(seq 0 $((TREES - 1))); do
		case " $DELETED " in
		*" $((tree % WRITERS)) "*) rm -r "${DIR:?}/$tree" || return ;;
		esac
	done
	sync
}

# ---- nothing is lost ----

reader_sum() { dd if=/dev/mapper/reader bs=1M iflag=direct 2>/dev/null | md5sum -; }
all_is_kept() {
	[ "$(reader_sum)" = "$kept_sum" ] || { echo "the reader's data are others" && return 1; }
	echo 3 >/proc/sys/vm/drop_caches
	for tree in $COMPARED; do diff -r /tmp/tree "$DIR/$tree" || return; done
	! fs_complaints
}

# ---- one side ----

reader_starts() {
	fio --name=reader --filename=/dev/mapper/reader --direct=1 --ioengine=libaio --thread --rw=randread --bs=4k \
		--iodepth=16 --rate_iops="$READS" --rate_process=poisson --randseed="$SEED" --time_based --runtime="$RUN_S" \
		--percentile_list=50:99:99.9 --output-format=json --output="$OUT/$1.json" >/dev/null &
	READER=$!
}
nothing_is_kept() { [ "$(gauge reader trim_waiting 2>/dev/null || echo 0)" = 0 ]; }

discarded_sectors() { find_node flash && awk -v field="$STAT_DISCARD_SECTORS" '{ print $field }' "$NODE/stat"; }

# Prints what of the flash that took, and what of its life by the target's count.
overwritten() {
	dmsetup message writer 0 set drive_pe_cycles "$PE_CYCLES" && sleep "$REPORT_S" && dmsetup message flash 0 reset_stats || return
	find_node writer && read -r used_before <"$NODE/ssdqos/life_used_bytes" && read -r host_before <"$NODE/ssdqos/life_host_bytes"
	fio --name=writer --filename=/dev/mapper/writer --direct=1 --ioengine=libaio --thread --rw=randwrite --bs=4k --iodepth=16 \
		--norandommap --randseed="$SEED" --rate_iops="$OVERWRITES" --io_size="${OVERWRITE_MB}M" --output="$OUT/writer.log" || return
	sleep "$REPORT_S"
	echo "programs $(($(gauge flash flash_programs) + $(gauge flash flash_copybacks)))"
	echo "written $(gauge flash host_write_units)"
	echo "page_bytes $(sed -n 's/.*page_bytes=\([0-9]*\).*/\1/p' "$(flash_sysfs flash)/geometry")"
	find_node writer && read -r used <"$NODE/ssdqos/life_used_bytes" && read -r host <"$NODE/ssdqos/life_host_bytes"
	echo "life_used_bytes $((used - used_before))"
	echo "life_host_bytes $((host - host_before))"
}

# Prints how long it took.  The rest: command
timed() {
	timed_begun=$(now_ms)
	"$@" >/dev/null && echo "taken_ms $(($(now_ms) - timed_begun))"
}

# $1: side, $2: policy of discards, $3: options of mount, $4: what is done beside the reader,
# $5: and before it comes
side() {
	drive_starts "$2" && files_make "$3" && kept_sum=$(reader_sum) && discards_before=$(discarded_sectors) &&
		dmsetup message flash 0 reset_stats || return
	"${5-nothing}" >"$OUT/$1" || return
	reader_starts "$1"
	sleep "$DELETE_AT_S"
	dmsetup message reader 0 reset_stats
	"$4" >>"$OUT/$1" || return
	wait "$READER" || return
	sleep "$SETTLE_S"
	wait_for -t "$GONE_S" nothing_is_kept || return
	{
		for gauge in windows_met windows_missed; do echo "$gauge $(gauge reader "$gauge")"; done
		for gauge in discards trimmed_units; do echo "$gauge $(gauge flash "$gauge")"; done
		echo "discarded_sectors $(($(discarded_sectors) - discards_before))"
		overwritten
	} >>"$OUT/$1" || return
	all_is_kept && umount "$DIR" && drive_ends
}
nothing() { :; }
delete() { timed files_delete; }
delete_and_trim() { files_delete && fstrim "$DIR"; }
delete_then_trim() { timed delete_and_trim; }
# The file system has a time of its own before it begins.
delete_before() { delete && sleep "$OWN_WAIT_S"; }

# $1: one of SIDES
side_run() {
	case $1 in
	none) check "$FS: no delete" side none pass "$NO_DISCARD" nothing ;;
	bare) check "$FS: nothing is discarded" side bare pass "$NO_DISCARD" delete ;;
	pass) check "$FS: discards pass" side pass pass "$DISCARD" delete ;;
	batch) check "$FS: discards are kept" side batch batch "$DISCARD" delete ;;
	fstrim) check "$FS: fstrim afterwards" side fstrim pass "$NO_DISCARD" delete_then_trim ;;
	own) SETTLE_S=$OWN_SETTLE_S && check "$FS: its own way" side own pass "$OWN" nothing delete_before ;;
	esac
}

mkdir /tmp/tree && tar -xf /tests/tree.tar -C /tmp/tree
# shellcheck disable=SC2086 # names
check "$FS: modules" fs_modules_load $MODULES
for side in $SIDES; do side_run "$side"; done
ktap_done
