# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Drawn scenarios, one after the other, each on a new drive: what the streams
# count goes to /results/N/ssdqos/status, with fio's logs beside it.
# program: tests/campaign/guest/processor-watch.c:/usr/bin/processor-watch
# shellcheck source=tests/campaign/guest/promise-lib.sh
. "${0%/*}/promise-lib.sh"
require_virtual_clock
require_target ssdqos

# $1: begin or end
count() {
	case $1 in
	begin) streams_reset ;;
	end) streams_status ;;
	esac
}

# $1: number
# shellcheck disable=SC2153 # DRIVE comes from drive_create
scenario() {
	scenario_enter "$1" && drive_create && streams_create "$DRIVE" || return
	clients_run ssdqos stream_device count
	scenario_status=$?
	streams_remove && dm_remove drive && return "$scenario_status"
}

# shellcheck disable=SC2153 # SCENARIOS comes from the campaign
for number in $SCENARIOS; do check "scenario $number" scenario "$number"; done
ktap_done
