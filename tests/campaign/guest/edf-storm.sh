# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# A storm on the debug kernel: 64 streams of one drive are created, removed,
# tuned and reloaded while requests are under way, for RUN_S seconds.  What
# the kernel complains about fails the script.  Lines of /results/storm: NAME
# NUMBER, of what was done.
# shellcheck source=tests/campaign/guest/edf-lib.sh
. "${0%/*}/edf-lib.sh"
require_smp
require_target ssdqos

DISK_MB=4096
STREAM_SECTORS=65536
WORKERS=4
PER_WORKER=16
# Of these, the first half have requests all the time; the others come and go.
BUSY=8
PPM_EACH=10000

disk_line() {
	echo "0 $STREAM_SECTORS ssdqos $NULL_BLK $(($1 * STREAM_SECTORS)) $2"
}

random() { od -An -N2 -tu2 /dev/urandom | tr -d ' '; }

# One line of a table at random.  $1: number of the stream
random_line() {
	case $(($(random) % 4)) in
	0) disk_line "$1" "2 drive storm" ;;
	1) disk_line "$1" "4 drive storm util_ppm $PPM_EACH" ;;
	2) disk_line "$1" "6 drive storm util_ppm $PPM_EACH weight $(($(random) % 1000 + 1))" ;;
	3) disk_line "$1" "4 drive storm max_iops $(($(random) % 5000 + 100))" ;;
	esac
}

# One change of a stream or the drive.  $1: stream
tune() {
	case $(($(random) % 10)) in
	0) dmsetup message "$1" 0 "util_ppm $(($(random) % PPM_EACH))" ;;
	1) dmsetup message "$1" 0 "set util_ppm 0 weight $(($(random) % 1000 + 1))" ;;
	2) dmsetup message "$1" 0 "max_iops $(($(random) % 3 * 2000))" ;;
	3) dmsetup message "$1" 0 "drive_queue_depth $(($(random) % 64 + 1))" ;;
	4) dmsetup message "$1" 0 "drive_mode strict" ;;
	5) dmsetup message "$1" 0 "drive_mode work_conserving" ;;
	6) dmsetup message "$1" 0 "profile $(cat "$PROFILE")" ;;
	7) dmsetup message "$1" 0 reset_stats ;;
	8) dmsetup message "$1" 0 "set util_ppm 0 min_iops 10 window_ms 1000" ;;
	9) dmsetup message "$1" 0 "admit op read pattern rand block_bytes 4096 window_ms 1000 min_iops 100" ;;
	esac >/dev/null 2>&1
}

# A refused change leaves the table as it was.
reload() {
	dmsetup reload "$1" --table "$(random_line "$2")" 2>/dev/null || dmsetup clear "$1"
	dmsetup suspend "$1" && dmsetup resume "$1"
}

count() { echo "$1" >>"/tmp/done.$worker"; }

# Comes, does something, goes.  $1: name, $2: number
come_and_go() {
	random_line "$2" | dmsetup create "$1" 2>/dev/null || return
	count create
	dd if="/dev/mapper/$1" of=/dev/null bs=64k count=8 iflag=direct 2>/dev/null &
	tune "$1"
	wait $!
	dmsetup remove --retry "$1" && count remove
}

# $1: number of the worker
work() {
	worker=$1
	first=$((worker * PER_WORKER))
	until past_end; do
		at=$((first + $(random) % PER_WORKER))
		if [ $((at - first)) -ge "$BUSY" ]; then
			come_and_go "s$at" "$at"
		elif [ $(($(random) % 2)) -eq 0 ]; then
			tune "s$at"
			count tune
		else
			reload "s$at" "$at" && count reload
		fi
	done
}

past_end() { [ "$(now_ms)" -ge "$END_MS" ]; }

# Requests on the first half of each worker's streams.  $1: number of the worker
load() {
	load_files=
	for stream in $(seq $(($1 * PER_WORKER)) $(($1 * PER_WORKER + BUSY - 1))); do
		disk_line "$stream" "2 drive storm" | dmsetup create "s$stream" || return
		load_files=$load_files${load_files:+:}/dev/mapper/s$stream
	done
	fio --name=load --filename="$load_files" --direct=1 --ioengine=libaio --thread --rw=randrw \
		--bsrange=4k-64k --iodepth=16 --norandommap --time_based --runtime="$RUN_S" \
		--fdatasync=100 --output-format=json --output="$OUT/load.$1.json" >/dev/null 2>&1 &
	LOADS="$LOADS $!"
}

storm() {
	LOADS=
	for worker in $(seq 0 $((WORKERS - 1))); do load "$worker" || return; done
	END_MS=$(($(now_ms) + RUN_S * 1000))
	STORMS=
	for worker in $(seq 0 $((WORKERS - 1))); do
		work "$worker" &
		STORMS="$STORMS $!"
	done
	for pid in $STORMS $LOADS; do wait "$pid" || return; done
	sort /tmp/done.* | uniq -c | awk '{ print $2, $1 }' >"$OUT"/storm
	[ -s "$OUT"/storm ]
}

clean_up() {
	for stream in $(seq 0 $((WORKERS * PER_WORKER - 1))); do dm_remove "s$stream" || return; done
}

null_blk_create $DISK_MB irqmode=2 completion_nsec=100000
check "$RUN_S s of storm" storm
check "all streams can be removed" clean_up
ktap_done
