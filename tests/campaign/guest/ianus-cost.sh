# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# What a request of 4 KiB costs the CPU on mirrors, over disks that are done at once: one
# request at a time keeps the machine's only CPU busy, and with the virtual clock an
# instruction takes a nanosecond, so the time of a request is its instructions.  Lines of
# /results/cost: CONTENDER OP ROUND REQUESTS_PER_S.

# shellcheck source=tests/campaign/guest/ianus-lib.sh
. "${0%/*}/ianus-lib.sh"

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
	kernels_mirrors_load && disks_start &&
		stack linear "linear $disk_a 0" &&
		stack raid1 "$(raid1_line "$disk_b" "$disk_c")" &&
		stack dm_mirror "$(dm_mirror_line "$disk_d" "$disk_e")" &&
		stack ianus "$(ianus_line "$disk_f" "$disk_g" "$NULL_BLK" cache_kib "$CACHE_KIB" switch_ms "$SWITCH_MS")"
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
