# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# What the guest scripts of the campaign "edf" have in common: the drive, its
# clients, contenders; reads what the host says in edf-settings.sh.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/edf-settings.sh"
# shellcheck source=tests/campaign/guest/layers.sh
. "${0%/*}/layers.sh"

OUT=/results
CLIENTS=${0%/*}/clients
PROFILE=${0%/*}/profile
SCALE_STEPS=13
SCALE_MOST=8000
PERMILLE=1000
# Nobody is without a promise.
BEST_EFFORT_PERMILLE=2
: "${SEED:=1}" "${RUN_S:=10}" "${WARM_UP_S:=1}"

# busybox has no clock that fine.
now_ns() { sed -n '/^now at/{s/^now at \([0-9]*\).*/\1/p;q;}' /proc/timer_list; }

# ---- clients ----

# Calls a function for each client with its words:
# NAME FIO_LOAD OP PATTERN BYTES IOPS OFFSET_PCT DEPTH
for_clients() {
	while read -r client_line <&3; do
		# shellcheck disable=SC2086 # words
		"$@" $client_line || return
	done 3<"$CLIENTS"
}

# Runs all clients at once, each in its group if there are groups.
# $1: run, $2: function that prints a client's device
clients_run() {
	run_dir=$OUT/$1
	run_device=$2
	mkdir -p "$run_dir"
	CLIENT_PIDS=
	for_clients client_start || return
	client_status=0
	for client_pid in $CLIENT_PIDS; do
		wait "$client_pid" || client_status=1
	done
	return $client_status
}

client_start() {
	client_file=$($run_device "$1") || return
	(
		[ ! -d "$GROUPS_DIR/$1" ] || group_enter "$1" || exit
		exec fio --name="$1" --filename="$client_file" --direct=1 --ioengine=libaio --thread \
			--rw="$2" --bs="$5" --offset="$7%" --iodepth="$8" --norandommap --randseed="$SEED" \
			--time_based --ramp_time="$WARM_UP_S" --runtime="$RUN_S" \
			--write_iops_log="$run_dir/$1" --log_avg_msec=100 --percentile_list=50:99:99.9 \
			--output-format=json --output="$run_dir/$1.json" >/dev/null
	) &
	CLIENT_PIDS="$CLIENT_PIDS $!"
}

# ---- streams of target ssdqos ----

stream_device() { echo "/dev/mapper/$1"; }

# A stream over all of a device for each client, none with a promise yet, and
# the profile.  $1: device
streams_create() {
	STREAMS_ON=$1
	for_clients stream_create || return
	dmsetup message "$STREAM" 0 "profile $(cat "$PROFILE")" &&
		dmsetup message "$STREAM" 0 "drive_best_effort_permille $BEST_EFFORT_PERMILLE"
}

stream_create() {
	STREAM=$1
	# shellcheck disable=SC2086 # words
	dm_create "$1" "0 $(sectors "$STREAMS_ON") ssdqos $STREAMS_ON 0 2 drive edf" &&
		dmsetup message "$1" 0 "set op $3 pattern $4 block_bytes $5 window_ms $WINDOW_MS confidence_permille $CONFIDENCE_PERMILLE"
}

streams_remove() { for_clients stream_remove; }
stream_remove() { dm_remove "$1"; }

# Promises every client its rate times a factor.  $1: factor in permille
promise_all() {
	promise_permille=$1
	for_clients promise_none && for_clients promise
}
promise_none() { dmsetup message "$1" 0 "min_iops 0"; }
promise() { dmsetup message "$1" 0 "min_iops $(($6 * promise_permille / PERMILLE))" 2>/dev/null; }

# Finds the largest factor that is admitted; all promises then stand.  Sets SCALE.
promise_most() {
	scale_low=0 scale_high=$SCALE_MOST
	for _ in $(seq $SCALE_STEPS); do
		scale_middle=$(((scale_low + scale_high) / 2))
		if promise_all $scale_middle; then
			scale_low=$scale_middle
		else
			scale_high=$scale_middle
		fi
	done
	SCALE=$scale_low
	promise_all "$SCALE"
}

# Writes what the streams say.  $1: run
streams_status() {
	status_file=$OUT/$1/status
	: >"$status_file"
	for_clients stream_status
}
stream_status() { echo "$1 $(dmsetup status "$1")" >>"$status_file"; }

streams_reset() { for_clients stream_reset; }
stream_reset() { dmsetup message "$1" 0 reset_stats; }
