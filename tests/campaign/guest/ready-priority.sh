# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# PA-DT: two streams write for a whole life; one of them is important.  Lines
# of the file runs are "RUN POLICY WEIGHT", the weight being that of the
# important stream; the first one is without throttling, and its volume gives
# the budget.  /results/RUN.samples has what life_samples prints,
# RUN.important.json and RUN.other.json are fio's.
# shellcheck source=tests/campaign/guest/ready-lib.sh
. "${0%/*}/ready-lib.sh"
require_virtual_clock
require_target ssdqos

HALF_MB=$((DISK_MB / 2))
HALF_SECTORS=$((HALF_MB * SECTORS_PER_MB))
BUDGET_MB=
GRACE_S=5

# $1: name, $2: first sector, the rest: keys and values
stream() {
	stream_name=$1
	stream_begin=$2
	shift 2
	dm_create "$stream_name" "0 $HALF_SECTORS ssdqos $DISK $stream_begin $((2 + $#)) drive shared $*"
}

# Both write until they are told to end.  $1: run, $2: name, the rest: options of fio
client() {
	client_run=$1
	client_name=$2
	shift 2
	exec fio --name="$client_name" --filename="/dev/mapper/$client_name" --direct=1 --ioengine=libaio --thread \
		--rw=randwrite --norandommap --randseed="$SEED" --rate_process=poisson --time_based \
		--runtime="$((LIFE_S / TIME_SCALE + GRACE_S))" --percentile_list=50:99:99.9 --output-format=json \
		--output="$OUT/$client_run.$client_name.json" "$@" >/dev/null
}

clients_end() {
	kill -INT "$important" "$other"
	wait "$important" "$other"
	[ -s "$OUT/$1.important.json" ] && [ -s "$OUT/$1.other.json" ]
}

# $1: run, $2: policy, $3: weight
life_run() {
	disk_create null || return
	run_budget=$(host_budget "${BUDGET_MB:-$((ENDLESS_GB * 1000))}")
	# shellcheck disable=SC2046,SC2086 # words
	stream important 0 delay_weight "$3" $run_budget $(life_words) drive_throttle "$2" &&
		stream other "$HALF_SECTORS" || return
	run_dir=$(flash_sysfs important)
	run_before=$(life "$run_dir" life_used_bytes)
	client "$1" important --bs="$IMPORTANT_BYTES" --rate_iops="$IMPORTANT_IOPS" --iodepth="$IMPORTANT_DEPTH" &
	important=$!
	client "$1" other --bs="$OTHER_BYTES" --rate_iops="$OTHER_IOPS" --iodepth="$OTHER_DEPTH" &
	other=$!
	life_samples "$run_dir" >"$OUT/$1.samples"
	for name in important other; do cat "$(flash_sysfs "$name")"/status >"$OUT/$1.$name.status" || return; done
	clients_end "$1" || return
	echo "$run_before $(life "$run_dir" life_endurance_bytes)" >"$OUT/$1.budget"
	[ "$BUDGET_MB" ] ||
		BUDGET_MB=$(awk -v before="$run_before" -v permille="$BUDGET_PERMILLE" -v mb="$MB" \
			'END { printf "%d", ($2 - before) / mb * permille / 1000 }' "$OUT/$1.samples")
	dm_remove other && dm_remove important
}

while read -r run policy weight <&3; do
	check "$run: $policy, weight $weight" life_run "$run" "$policy" "$weight"
done 3<"${0%/*}/runs"
ktap_done
