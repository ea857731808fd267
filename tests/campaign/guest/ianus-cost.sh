# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# What a request of 4 KiB costs the CPU on mirrors, over disks that are done at once: one
# request at a time keeps the machine's only CPU busy, and with the virtual clock an
# instruction takes a nanosecond, so the time of a request is its instructions.  Lines of
# /results/cost: CONTENDER OP ROUND REQUESTS_PER_S.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/ianus-settings.sh"
require_virtual_clock
require_target ssdqos-ianus

OUT=/results
META_MB=2
REGION_SECTORS=1024
sectors=$((DISK_MB * SECTORS_PER_MB))

# $1: name, $2: table line
stack() { dm_create "$1" "0 $sectors $2" && DEVICES="$DEVICES $1"; }
disks_start() {
	for disk in a b c d e f g; do
		null_blk_create "$DISK_MB" irqmode=0 && eval "disk_$disk=\$NULL_BLK" || return
	done
	null_blk_create "$META_MB" memory_backed
}
# shellcheck disable=SC2154 # set by eval
stacks_start() {
	DEVICES=
	modprobe raid1 && modprobe dm-raid && modprobe dm-mirror && disks_start &&
		stack linear "linear $disk_a 0" &&
		stack raid1 "raid raid1 3 0 region_size $REGION_SECTORS 2 - $disk_b - $disk_c" &&
		stack dm_mirror "mirror core 2 $REGION_SECTORS nosync 2 $disk_d 0 $disk_e 0" &&
		stack ianus "ssdqos-ianus 2 $disk_f 0 $disk_g 0 $NULL_BLK 6 assume_same on cache_kib $CACHE_KIB switch_ms $SWITCH_MS"
}

# $1: device, $2: read or write; prints requests a second
rate() {
	fio --name=cost --filename=/dev/mapper/"$1" --direct=1 --ioengine=psync --thread --rw="rand$2" --bs=4k \
		--norandommap --randseed="$SEED" --time_based --ramp_time="$WARM_UP_S" --runtime="$MEASURE_S" \
		--output-format=terse --terse-version=3 | cut -d';' -f"$3"
}
measure() {
	for round in $(seq "$ROUNDS"); do
		for device in $DEVICES; do
			# fields of fio's terse output: requests a second
			echo "$device read $round $(rate "$device" read 8)" >>"$OUT/cost"
			echo "$device write $round $(rate "$device" write 49)" >>"$OUT/cost"
		done
	done
}

check "stacks are made" stacks_start
check "measured" measure
# Of the whole run: what the mirror's writes were merged to.
dmsetup status ianus >"$OUT/status"
ktap_done
