# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# What a read, a write and a discard take the processor, by the clock that counts
# instructions: without the target, with discards that pass, kept while there are none, and
# while there are many.  /results/CASE-LOAD.json are fio's.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/trim-settings.sh"
require_virtual_clock
require_target ssdqos

OUT=/results
QOS=/dev/mapper/qos
# None of them goes while it is measured.
KEEP="drive_trim batch drive_trim_age_ms 86400000 drive_trim_granule_kib 1048576"

measure() {
	fio --name="$2" --filename="$1" --rw="$2" --bs=4k --ioengine=psync --direct=1 --thread --randseed="$SEED" --norandommap \
		--number_ios="$REQUESTS" --output-format=json --output="$OUT/$3-$2.json" >/dev/null
}
# All of it has been written, whatever was done before.  $1: device
fill() { dd if=/dev/zero of="$1" bs=1M count="$SIZE_MB" oflag=direct 2>/dev/null; }
# $1: device, $2: name of the case
# shellcheck disable=SC2153 # LOADS is written by the host
all_loads() { for load in $LOADS; do measure "$1" "$load" "$2" || return; done; }

# A discard of half a KiB in each KiB.
many() {
	fio --name=many --filename="$QOS" --rw=trim:512 --bs=512 --ioengine=psync --direct=1 --thread --number_ios="$RANGES" >/dev/null &&
		gauge qos trim_waiting >"$OUT/many"
}
vmalloc_kib() { sed -n 's/^VmallocUsed: *\([0-9]*\) .*/\1/p' /proc/meminfo; }
kept() {
	kept_before=$(vmalloc_kib)
	# shellcheck disable=SC2086 # words
	dmsetup message qos 0 set $KEEP drive_trim_ranges "$MOST" && echo $(($(vmalloc_kib) - kept_before)) >"$OUT/memory_kib"
}

null_blk_create "$SIZE_MB" memory_backed discard=1 queue_mode=0 || skip_all "no null_blk"
check "all is written" fill "$NULL_BLK"
check "the bare disk" all_loads "$NULL_BLK" bare
check "a stream" dm_create qos "0 $((SIZE_MB * SECTORS_PER_MB)) ssdqos $NULL_BLK 0"
check "all is written again" fill "$QOS"
check "discards pass" all_loads "$QOS" pass
check "all is written again" fill "$QOS"
check "discards are kept" kept
check "there are none" all_loads "$QOS" empty
check "all is written again" fill "$QOS"
check "many are there" many
check "and meanwhile" all_loads "$QOS" many
ktap_done
