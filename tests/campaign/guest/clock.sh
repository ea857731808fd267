# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Requested against delivered latency, ssdqos-flash beside its peers, in one
# boot; and how late completions are at a given rate.  fio's results go to
# /results/clock/SYSTEM.REQUESTED_NS.json
# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

SIZE_MB=256
SECTORS=$((SIZE_MB * SECTORS_PER_MB))
REQUESTED_US='20 50 100 200 500 1000 2000 5000 10000'
# The transfer of 4 KiB at the 400 MB/s of autossd; the array makes up the rest.
TRANSFER_NS=10240
OUT=/results/clock
NS_PER_US=1000

# $1: system, $2: requested ns, $3: device, $4: number of reads
measure() {
	fio --name=clock --filename="$3" --direct=1 --rw=randread --bs=4k --ioengine=io_uring \
		--iodepth=1 --randseed=1 --norandommap --number_ios="$4" --size=100% \
		--percentile_list=50:99:99.9 --output-format=json --output="$OUT/$1.$2.json"
}

reads_for() { [ "$1" -le 1000 ] && echo 2000 || echo 400; }

mkdir -p "$OUT"
null_blk_create "$SIZE_MB"
bare=$NULL_BLK
modprobe dm-delay
check "bare null_blk" measure null_blk 0 "$bare" 2000
# shellcheck disable=SC2086 # words
check "create the drive" flash_create clock "$bare" preset autossd aged_pct 100 $PLAIN
for us in $REQUESTED_US; do
	ns=$((us * NS_PER_US))
	dmsetup message clock 0 read_ns $((ns - TRANSFER_NS))
	check "ssdqos-flash, $us us" measure ssdqos-flash "$ns" /dev/mapper/clock "$(reads_for "$us")"
	null_blk_create "$SIZE_MB" irqmode=2 completion_nsec="$ns"
	check "null_blk timer, $us us" measure null_blk-timer "$ns" "$NULL_BLK" "$(reads_for "$us")"
	[ "$us" -ge 1000 ] || continue
	dm_create delay "0 $SECTORS delay $bare 0 $((us / 1000))"
	check "dm-delay, $us us" measure dm-delay "$ns" /dev/mapper/delay "$(reads_for "$us")"
	dm_remove delay
done

# How late completions are delivered, counted by the target itself.
# $1: name, $2: rate of each direction, the rest: fio options
late() {
	name=$1
	rate=$2
	shift 2
	dmsetup message clock 0 reset_stats
	fio --name=late --filename=/dev/mapper/clock --direct=1 --bs=4k --ioengine=io_uring \
		--iodepth=128 --randseed=2 --norandommap --rate_iops="$rate" --rate_process=poisson \
		--size=100% "$@" >/results/"late-$name".txt || return
	echo "$name $(grep '^late' /sys/block/dm-*/ssdqos/latency)" >>/results/late.txt
	dmsetup status clock >>/results/late.txt
}
dmsetup message clock 0 read_ns 50000
check "20k IOPS of reads" late read-20k 20000 --rw=randread --number_ios=40000
check "20k IOPS, 70/30" late mixed-20k 14000,6000 --rw=randrw --rwmixread=70 --number_ios=40000

# A backing device slower than the model is counted.
null_blk_create "$SIZE_MB" irqmode=2 completion_nsec=300000
dm_remove clock
# shellcheck disable=SC2086 # words
check "a slow backing device" flash_create clock "$NULL_BLK" preset autossd aged_pct 100 $PLAIN
check "reads on it" late slow-backing 2000 --rw=randread --number_ios=1000
ktap_done
