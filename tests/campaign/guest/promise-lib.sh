# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# What the guest scripts of the campaign "promise" have in common: scenarios,
# their clients, their streams.  Of scenario N the host has written, beside this:
#	sN.sh		its drive with its SEED, and its times, as shell variables
#	sN.clients	a line for each client:
#			NAME owner|neighbour|burst SHARE_PERMILLE MIN_IOPS WINDOW_MS CONFIDENCE_PERMILLE [KEY VALUE]...
#	sN.NAME.fio	what a client does
#	sN.profile	of the drive
# and promise-settings.sh with SCENARIOS.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"
# shellcheck disable=SC1091 # written by the host
. "${0%/*}/promise-settings.sh"
# shellcheck source=tests/campaign/guest/layers.sh
. "${0%/*}/layers.sh"

HERE=${0%/*}
OUT=/results
# How often it is asked what the processor has to do: a drive that stops for tens of milliseconds has clients that all
# ask at once behind that, and a mean of more time hides it.
PROCESSOR_MS=10

# $1: number
scenario_enter() {
	SCENARIO=$1
	# shellcheck disable=SC1090 # written by the host
	. "$HERE/s$1.sh"
}

# Calls a function for each client with the words of its line.
for_clients() {
	while read -r client_line <&3; do
		# shellcheck disable=SC2086 # words
		"$@" $client_line || return
	done 3<"$HERE/s$SCENARIO.clients"
}

# ---- streams of target ssdqos ----

stream_device() { echo "/dev/mapper/$1"; }

# A stream over all of a device for each client, the profile, and then the
# promises, as admission has accepted them.  $1: device
streams_create() {
	streams_on=$1
	for_clients stream_create &&
		dmsetup message a0 0 "profile $(cat "$HERE/s$SCENARIO.profile")" && for_clients stream_set
}

stream_create() { dm_create "$1" "0 $(sectors "$streams_on") ssdqos $streams_on 0 2 drive promise"; }

stream_set() {
	stream_name=$1
	shift 6
	[ $# -eq 0 ] || dmsetup message "$stream_name" 0 "set $*"
}

streams_remove() { for_clients stream_remove; }
stream_remove() { dm_remove "$1"; }

streams_reset() { for_clients stream_reset; }
stream_reset() { dmsetup message "$1" 0 reset_stats; }

streams_status() { for_clients stream_status >"$run_dir/status"; }
stream_status() { echo "$1 $(dmsetup status "$1")"; }

# ---- clients ----

# All clients at once, each in its group if there are groups; a command counts
# from when they are warm until the windows are over.
# $1: run, $2: function that prints a client's device, $3: command, called with "begin" and "end"
clients_run() {
	run_dir=$OUT/$SCENARIO/$1
	run_device=$2
	mkdir -p "$run_dir"
	OWNERS=
	NEIGHBOURS=
	for_clients client_start || return
	sleep "$WARM_UP_S"
	"$3" begin || return
	processor-watch "$PROCESSOR_MS" >"$run_dir/processor" &
	watch_pid=$!
	sleep "$RUN_S"
	kill "$watch_pid"
	"$3" end || return
	clients_wait
}

client_start() {
	client_file=$($run_device "$1") || return
	(
		[ ! -d "$GROUPS_DIR/$1" ] || group_enter "$1" || exit
		export DEVICE="$client_file" RUN_DIR="$run_dir"
		exec fio --output-format=json --output="$run_dir/$1.json" "$HERE/s$SCENARIO.$1.fio" >/dev/null
	) &
	case $2 in
	owner) OWNERS="$OWNERS $!" ;;
	*) NEIGHBOURS="$NEIGHBOURS $!" ;;
	esac
}

# fio 3.33 that is told to end while it does may wait for itself for ever.
NEIGHBOUR_ENDS_S=10

# Owners end by themselves, so that the last window is whole; the others are told to.
clients_wait() {
	client_status=0
	for client_pid in $OWNERS; do
		wait "$client_pid" || client_status=1
	done
	[ -z "$NEIGHBOURS" ] || neighbours_end
	return $client_status
}

# shellcheck disable=SC2086 # numbers
neighbours_end() {
	kill -TERM $NEIGHBOURS
	(sleep "$NEIGHBOUR_ENDS_S" && kill -KILL $NEIGHBOURS) &
	client_guard=$!
	wait $NEIGHBOURS
	kill "$client_guard"
}
