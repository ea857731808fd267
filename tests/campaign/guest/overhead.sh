# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# CPU cost of a 4 KiB random read through ssdqos-flash, ssdqos and their peers,
# in one boot.  Every system is driven as fast as the one CPU goes; with the
# virtual clock one instruction is one nanosecond, so the time for a read is
# its instructions.  fio's results go to /results/overhead/SYSTEM.ROUND.json
# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
require_virtual_clock

SIZE_MB=256
SECTORS=$((SIZE_MB * SECTORS_PER_MB))
REQUESTS=160000
ROUNDS='1 2 3'
SHARE_PPM=900000
OUT=/results/overhead

# $1: system, $2: device
measure() {
	check "round $round: $1" fio --name=overhead --filename="$2" --direct=1 --rw=randread \
		--bs=4k --ioengine=io_uring --iodepth=64 --randseed=1 --norandommap \
		--number_ios=$REQUESTS --size=100% --output-format=json \
		--output="$OUT/$1.$round.json"
}

# $1: system, $2: the rest of the table line
measure_qos() {
	dm_create qos "0 $SECTORS ssdqos $bare 0 $2" || return
	measure "$1" /dev/mapper/qos
	dm_remove qos
}

scheduler() { echo "$1" >"/sys/block/${bare#/dev/}/queue/scheduler"; }

null_blk_create "$SIZE_MB"
bare=$NULL_BLK
for module in bfq mq-deadline kyber-iosched; do modprobe -q $module; done
scheduler none
dm_create linear "0 $SECTORS linear $bare 0"
# shellcheck disable=SC2086 # words
flash_create flash "$bare" preset autossd aged_pct 100 $PLAIN
mkdir -p "$OUT"
for round in $ROUNDS; do
	measure null_blk "$bare"
	measure dm-linear /dev/mapper/linear
	# the model alone could serve five times what this CPU can ask for
	measure ssdqos-flash /dev/mapper/flash
	measure_qos ssdqos ""
	measure_qos ssdqos-reserved "4 drive cost util_ppm $SHARE_PPM"
	for peer in mq-deadline bfq kyber; do
		scheduler $peer || continue
		measure $peer "$bare"
	done
	scheduler none
done
ktap_done
