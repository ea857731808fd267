# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# The same client on one drive, on mirrors of the kernel (raid1 of md by dm-raid, and
# dm-raid1 by dm-mirror) and on one whose members take turns, each on new drives of the same
# seed, in one boot.  /results/CONTENDER-MIX.json is fio's.

# shellcheck source=tests/campaign/guest/ianus-drives.sh
. "${0%/*}/ianus-drives.sh"

# $1: percent of reads, $2: reads a second, $3: writes
load() {
	fio --name=load --filename=/dev/mapper/top --direct=1 --ioengine=libaio --thread --rw=randrw --rwmixread="$1" --bs=4k \
		--iodepth="$DEPTH" --rate_iops="$2,$3" --rate_process=poisson --randseed="$SEED" --norandommap --time_based \
		--ramp_time="$WARM_UP_S" --runtime="$RUN_S" --percentile_list=50:99:99.9 --output-format=json \
		--output="$OUT/$contender-$1.json" >/dev/null
}
loads() {
	for mix in $MIXES; do
		load "$mix" $((RATE * mix / 100)) $((RATE * (100 - mix) / 100)) || return
	done
}
measure() { "${contender}_starts" && loads && "${contender}_ends"; }

for contender in one raid1 dm_mirror ianus ianus_idle; do
	check "$contender" measure
done
ktap_done
