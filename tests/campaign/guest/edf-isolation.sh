# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# What the others notice when a client gets greedy: requests of 1 MiB, or 256
# of them at a time.  Every run begins with the drive as new.
# shellcheck source=tests/campaign/guest/edf-lib.sh
. "${0%/*}/edf-lib.sh"
require_virtual_clock
require_target ssdqos

GREEDY_BYTES=1048576
GREEDY_DEPTH=256
PLAIN_CLIENTS=$CLIENTS

# The clients, one of them changed.  $1: client, $2: bytes or -, $3: depth or -
greedy() {
	awk -v name="$1" -v bytes="$2" -v depth="$3" '$1 == name {
		if (bytes != "-") $5 = bytes
		if (depth != "-") $8 = depth
	} { print }' "$PLAIN_CLIENTS" >/tmp/clients.greedy
	CLIENTS=/tmp/clients.greedy
}

# Promises are made for the plain sizes.  $1: run
run() {
	greedy_clients=$CLIENTS
	CLIENTS=$PLAIN_CLIENTS
	dm_remove drive && drive_create && streams_create "$DRIVE" && promise_all "$SCALE" &&
		streams_reset || return
	CLIENTS=$greedy_clients
	clients_run "$1" stream_device && streams_status "$1"
	run_result=$?
	streams_remove
	return "$run_result"
}

most() { drive_create && streams_create "$DRIVE" && promise_most && streams_remove; }

check "the most that is admitted" most
echo "$SCALE" >$OUT/scale
check "plain" run plain
for name in $GREEDY; do
	greedy "$name" - $GREEDY_DEPTH
	check "$name, $GREEDY_DEPTH at a time" run "$name-depth"
	greedy "$name" $GREEDY_BYTES -
	check "$name, 1 MiB" run "$name-size"
done
ktap_done
