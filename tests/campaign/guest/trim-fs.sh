# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Somebody deletes half of the files of a file system while a reader has a promise on the
# same drive: discards as they come, batched, by fstrim afterwards, and no delete, in one
# boot, each on a new drive.  /results/SIDE.json is the reader's, /results/SIDE numbers.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/trim-settings.sh"
require_virtual_clock
require_target ssdqos

OUT=/results
DIR=/mnt/files
JOBS=4
SECTORS_OF_MB=2048
GONE_S=60

# ---- the drive and its clients ----

qos_line() { echo "0 $(($2 * SECTORS_OF_MB)) ssdqos /dev/mapper/flash $(($1 * SECTORS_OF_MB)) $((2 * ($# - 2) / 2)) $3 $4"; }

drive_starts() {
	# shellcheck disable=SC2086 # words
	null_blk_create "$SIZE_MB" memory_backed discard=1 && flash_create flash "$NULL_BLK" preset "$PRESET" $DRIVE &&
		dm_create files "$(qos_line 0 "$FILES_MB" drive_trim "$1")" &&
		dm_create reader "$(qos_line "$FILES_MB" "$READER_MB" drive_trim "$1")" &&
		dd if=/dev/urandom of=/dev/mapper/reader bs=1M count="$READER_MB" oflag=direct 2>/dev/null &&
		dmsetup message reader 0 profile "$PROFILE" && dmsetup message reader 0 min_iops "$PROMISED_IOPS"
}
drive_ends() { dm_remove reader && dm_remove files && dm_remove flash && null_blk_remove "$null_dir"; }

# ---- file systems ----

ext4_make() { mkfs.ext4 -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/files; }
xfs_make() { { grep -qw xfs /proc/filesystems || { modprobe -q libcrc32c; insmod /tests/xfs.ko; }; } && mkfs.xfs -q -K /dev/mapper/files; }

# Written by several at once, so that what one of them deletes lies between the others'.
files_make() {
	mkdir -p "$DIR" && "${FS}_make" && mount -t "$FS" -o "$1" /dev/mapper/files "$DIR" && mkdir "$DIR/tree" || return
	fio --name=files --directory="$DIR/tree" --numjobs="$JOBS" --nrfiles="$((FILES / JOBS))" --filesize="${FILE_KIB}k" \
		--openfiles=1 --rw=write --bs="${FILE_KIB}k" --ioengine=psync --thread --fallocate=none --end_fsync=1 \
		--file_service_type=sequential >"$OUT/files.log" 2>&1 && sync
}
files_delete() { rm -r "$DIR"/tree/files.[02].* && sync; }

# ---- one side ----

reader_starts() {
	fio --name=reader --filename=/dev/mapper/reader --direct=1 --ioengine=libaio --thread --rw=randread --bs=4k \
		--iodepth=16 --rate_iops="$READS" --rate_process=poisson --randseed="$SEED" --time_based --runtime="$RUN_S" \
		--percentile_list=50:99:99.9 --output-format=json --output="$OUT/$1.json" >/dev/null &
	READER=$!
}
nothing_is_kept() { [ "$(gauge reader trim_waiting 2>/dev/null || echo 0)" = 0 ]; }
windows() { echo "$(gauge reader windows_met) $(gauge reader windows_missed)"; }

# $1: side, $2: policy of discards, $3: options of mount, $4: what is done
side() {
	drive_starts "$2" && files_make "$3" && dmsetup message flash 0 reset_stats || return
	reader_starts "$1"
	sleep "$DELETE_AT_S"
	dmsetup message reader 0 reset_stats
	side_begun=$(now_ms)
	"$4"
	side_ms=$(($(now_ms) - side_begun))
	wait "$READER" || return
	echo "$side_ms $(windows)" >"$OUT/$1"
	wait_for -t "$GONE_S" nothing_is_kept || return
	for side_stat in discards trimmed_units flash_programs host_write_units; do gauge flash "$side_stat"; done >>"$OUT/$1"
	umount "$DIR" && drive_ends
}
nothing() { :; }
delete_trim() { files_delete && fstrim "$DIR"; }

check "$FS: no delete" side none pass nodiscard nothing
check "$FS: discards pass" side pass pass discard files_delete
check "$FS: discards are kept" side batch batch discard files_delete
check "$FS: fstrim afterwards" side fstrim pass nodiscard delete_trim
ktap_done
