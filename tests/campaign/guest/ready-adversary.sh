# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Writers that burst, stop, and burst again for a whole life, each on a stream
# of its own, and a client that reads beside them, under each policy in turns.
# It begins with none, whose volume gives the budget.
# /results/POLICY.samples has lines "AGE_S USED_BYTES EPOCH_USED EPOCH_LIMIT",
# the limit with what may be borrowed; POLICY.reads.json is fio's,
# POLICY.WRITER.bursts has lines "NUMBER BYTES DEPTH REQUESTS", in the same order
# under each policy; POLICY.held has a line
# "DELAYED STOPPED" for each writer, POLICY.budget what was used before, and the
# endurance.
# shellcheck source=tests/campaign/guest/ready-lib.sh
. "${0%/*}/ready-lib.sh"
require_virtual_clock
require_target ssdqos
require_cmd mawk setsid

STREAM_MB=$((DISK_MB / (WRITERS + 1)))
MOST_REQUESTS=400
MOST_REST_MS=900
ADVERSARY_SAMPLE_S=0.01

# ---- those that write, in a process group of their own ----

# Prints what a writer does: "BYTES DEPTH REQUESTS REST_S" again and again.  $1: number
bursts() {
	mawk -v seed="$((SEED * 1000 + $1))" -v requests=$MOST_REQUESTS -v rest=$MOST_REST_MS 'BEGIN {
		srand(seed)
		for (;;)
			printf "%d %d %d %.3f\n", 4096 * 2 ^ int(rand() * 6), 2 ^ int(rand() * 7),
				1 + int(rand() * requests), rand() < 0.3 ? 0 : rand() * rest / 1000
	}'
}

# $1: number, $2: policy
writer() {
	bursts "$1" | while read -r burst_bytes burst_depth burst_requests burst_rest_s; do
		burst=$((${burst:-0} + 1))
		echo "$burst $burst_bytes $burst_depth $burst_requests" >>"$OUT/$2.$1.bursts"
		fio --name=burst --filename="/dev/mapper/w$1" --direct=1 --ioengine=libaio --thread --rw=randwrite \
			--norandommap --randseed="$burst" --bs="$burst_bytes" --iodepth="$burst_depth" \
			--number_ios="$burst_requests" >/dev/null || exit
		sleep "$burst_rest_s"
	done
}

reader() {
	exec fio --name=reads --filename=/dev/mapper/reads --direct=1 --ioengine=libaio --thread --rw=randread --bs=4k \
		--norandommap --randseed="$SEED" --rate_iops="$READ_IOPS" --rate_process=poisson --iodepth=16 --time_based \
		--runtime="$((LIFE_S / TIME_SCALE))" --percentile_list=50:99:99.9 --output-format=json \
		--output="$OUT/$1.reads.json" >/dev/null
}

# ---- lives ----

# $1: policy
budget_words() {
	case $1 in
	none) host_budget $((ENDLESS_GB * 1000)) ;;
	*) host_budget "$BUDGET_MB" ;;
	esac
}

# $1: name, $2: number, the rest: keys and values
stream() {
	stream_name=$1
	stream_begin=$(($2 * STREAM_MB * SECTORS_PER_MB))
	shift 2
	dm_create "$stream_name" "0 $((STREAM_MB * SECTORS_PER_MB)) ssdqos $DISK $stream_begin $((2 + $#)) drive shared $*"
}

numbers() { seq 0 $((WRITERS - 1)); }

# The limit is read between two looks at what is used: if that did not shrink,
# both belong to one epoch.  The age comes last.
adversary_samples() {
	while :; do
		read -r before <"$run_dir"/life_epoch_used_bytes
		read -r capacity <"$run_dir"/life_epoch_bytes
		read -r spare <"$run_dir"/life_spare_bytes
		read -r after <"$run_dir"/life_epoch_used_bytes
		read -r used <"$run_dir"/life_used_bytes
		read -r age <"$run_dir"/life_age_s
		[ "$age" -lt "$LIFE_S" ] || return 0
		[ "$before" -gt "$after" ] || echo "$age $used $before $((capacity + spare))"
		sleep "$ADVERSARY_SAMPLE_S"
	done
}

# $1: policy
life_run() {
	disk_create null || return
	run_policy=$1
	# shellcheck disable=SC2046 # words
	stream reads "$WRITERS" $(budget_words "$1") $(life_words) drive_throttle "$1" || return
	for number in $(numbers); do stream "w$number" "$number" || return; done
	run_dir=$(flash_sysfs reads)
	run_before=$(life "$run_dir" life_used_bytes)
	setsid "$0" writers "$1" </dev/null >/tmp/writers 2>&1 &
	run_writers=$!
	reader "$1" &
	run_reader=$!
	adversary_samples >"$OUT/$1.samples"
	kill -TERM "-$run_writers"
	wait "$run_writers"
	wait "$run_reader" || return
	life_record || return
	for number in $(numbers); do dm_remove "w$number" || return; done
	dm_remove reads
}

# Prints how many writes of a stream were delayed, and how many stopped.
held() { echo "$(life "$(flash_sysfs "w$number")/stats" delayed) $(life "$(flash_sysfs "w$number")/stats" stopped)"; }

life_record() {
	for number in $(numbers); do held >>"$OUT/$run_policy.held" || return; done
	echo "$run_before $(life "$run_dir" life_endurance_bytes)" >"$OUT/$run_policy.budget"
	[ "$run_policy" != none ] ||
		BUDGET_MB=$(awk -v before="$run_before" -v permille="$BUDGET_PERMILLE" -v mb="$MB" \
			'END { printf "%d", ($2 - before) / mb * permille / 1000 }' "$OUT"/none.samples)
	[ "$BUDGET_MB" -gt 0 ]
}

# What the process group of the writers runs.
if [ "${1-}" = writers ]; then
	for number in $(numbers); do writer "$number" "$2" & done
	wait
	exit
fi
for policy in $POLICIES; do check "bursts, $policy" life_run "$policy"; done
ktap_done
