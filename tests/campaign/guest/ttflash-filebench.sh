# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# include: tests/kselftest/lib-fs.sh:/tests/lib-fs.sh
# fio makes a load on ext4 on an emulated drive, on each rung in its turn; each has a drive and a file system of its
# own.  Beside this the host has written lines "RUNG KEY VALUE..." into `rungs`, and fio's jobs that write the files
# and that make the load into `files.fio` and `load.fio`.  /results/RUNG.json is fio's, /results/RUNG.stats the drive's counters.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck source=tests/kselftest/lib-fs.sh
. "${0%/*}/lib-fs.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/ttflash-settings.sh"
require_virtual_clock
require_target ssdqos-flash

OUT=/results
HERE=${0%/*}
# The database's 200 threads have ten files each.
OPEN_FILES=4096

mounted() { mount -t ext4 -o nodiscard "$1" /mnt; }

# On the disk below, where it takes no time of the drive: what is aged is aged with them.
files_make() {
	fs_make ext4 "$NULL_BLK" "$SEED" && mounted "$NULL_BLK" && fio "$HERE/files.fio" >/dev/null && umount /mnt
}

# Prints the time of the drive that has passed since it was told to count anew.
count_from() { sleep "$COUNTED_AFTER_S" && dmsetup message flash 0 reset_stats && gauge flash time_ns; }

# Lines "NAME NUMBER" of the drive's counters, and for how long it has counted.  $1: when it began
stats() {
	echo "ns $(($(gauge flash time_ns) - $1))"
	for stats_file in "$(flash_sysfs flash)"/stats/*; do
		read -r stats_number <"$stats_file" && echo "${stats_file##*/} $stats_number"
	done
}

# $1: rung
load_run() {
	count_from >/tmp/begun &
	counter=$!
	fio --output-format=json --output="$OUT/$1.json" "$HERE/load.fio" && wait "$counter" &&
		stats "$(cat /tmp/begun)" >"$OUT/$1.stats"
}

# $1: its name, the rest: keys and values
rung() {
	rung_name=$1
	shift
	files_make && flash_create flash "$NULL_BLK" "$@" && mounted /dev/mapper/flash && load_run "$rung_name" &&
		umount /mnt && dm_remove flash && ! fs_complaints
}

mkdir -p /mnt
# shellcheck disable=SC3045 # busybox has it
ulimit -n $OPEN_FILES
prepare_ext4
check "a disk" null_blk_create "$DISK_MB" memory_backed discard=1
while read -r line <&3; do
	# shellcheck disable=SC2086 # words
	check "${line%% *}" rung $line
done 3<"$HERE/rungs"
ktap_done
