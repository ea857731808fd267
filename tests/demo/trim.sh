#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# include: tests/kselftest/lib.sh
# include: tests/kselftest/lib-flash.sh
# include: tests/kselftest/lib-qos.sh
# A shop reads while its neighbour deletes: pieces in any order, each of which the drive is
# told of.  Without the delete, with discards as they come, and kept; each on a new drive.
# /demo.conf says how long and how much.
# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=/dev/null
. /demo.conf

# Discards that are kept go when nobody has used the drive for a moment.
GONE_S=60

# $1: policy of discards
drive_starts() {
	# shellcheck disable=SC2086 # a list of keys and values
	null_blk_create "$SIZE_MB" discard=1 && flash_create ssd "$NULL_BLK" $DRIVE_ARGS &&
		qos_create shop /dev/mapper/ssd 0 "$half_mb" drive_trim "$1" &&
		qos_create files /dev/mapper/ssd "$half_mb" "$half_mb" && dmsetup message ssd 0 reset_stats
}
drive_ends() { dm_remove shop && dm_remove files && dm_remove ssd && null_blk_remove "$null_dir"; }
nothing_is_kept() { [ "$(gauge shop trim_waiting || echo 0) $(gauge shop trim_under_way || echo 0)" = "0 0" ]; }

reads() {
	fio --name=shop --filename=/dev/mapper/shop --direct=1 --ioengine=libaio --thread --rw=randread --bs=4k --iodepth=16 \
		--norandommap --randseed=1 --rate_iops="$READS" --rate_process=poisson --time_based --runtime="$READ_S" \
		--percentile_list=50:99:99.9 --output-format=json --output="/results/$1.json" >/dev/null
}
# How long it took whoever deletes, in ms.
deletes() {
	fio --name=files --filename=/dev/mapper/files --direct=1 --ioengine=psync --thread --rw=randtrim --bs="${PIECE_KIB}k" \
		--randseed=1 --size="$DELETED_MIB"m >/dev/null
}
nothing() { :; }

# $1: side, $2: policy, $3: what is done
side() {
	drive_starts "$2" || return
	reads "$1" &
	side_reader=$!
	sleep 1
	side_begun=$(now_ms)
	"$3" && side_ms=$(($(now_ms) - side_begun)) && wait "$side_reader" && wait_for -t "$GONE_S" nothing_is_kept &&
		echo "$side_ms $(gauge ssd discards)" >"/results/$1" && drive_ends
}

half_mb=$((SIZE_MB / 2))
check "nobody deletes" side none pass nothing
check "discards as they come" side pass pass deletes
check "discards that are kept" side batch batch deletes
ktap_done
