# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# The same clients and promises with a rule of the control off, and with all of
# them off.  Every run begins with the drive as new.  The file "cases" has a line
# for each: the run's name, then drive parameters and their values.
# shellcheck source=tests/campaign/guest/edf-lib.sh
. "${0%/*}/edf-lib.sh"
require_virtual_clock
require_target ssdqos

CASES=${0%/*}/cases

most() { drive_create && streams_create "$DRIVE" && promise_most && streams_remove; }

# $1: run, rest: parameters
run() {
	run_name=$1
	shift
	dm_remove drive && drive_create && streams_create "$DRIVE" && promise_all "$SCALE" || return
	[ $# -eq 0 ] || dmsetup message "$STREAM" 0 "set $*" || return
	streams_reset && clients_run "$run_name" stream_device && streams_status "$run_name"
	run_result=$?
	streams_remove
	return "$run_result"
}

check "the most that is admitted" most
echo "$SCALE" >"$OUT/scale"
while read -r name words <&4; do
	# shellcheck disable=SC2086 # words
	check "$name" run "$name" $words
done 4<"$CASES"
ktap_done
