# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# Helpers for tests that look at trace events; reads nothing by itself: after
# lib-flash.sh.

EVENTS=$TRACING/events/ssdqos
TRACE=/tmp/trace
NUMBER='[0-9][0-9]*'
DEV="dev=$NUMBER:$NUMBER"
TASK='\(host\|map\|flush\|gc\|scrub\|wear\|verify\)'

# Busybox's take forty times as long for the lines of a trace.
grep() { /usr/bin/grep "$@"; }
sed() { /usr/bin/sed "$@"; }

# Command names come from events of the scheduler; switching those rewrites code
# that runs on every CPU, which QEMU's emulation of several CPUs does not survive.
trace_prepare() {
	[ -d "$EVENTS" ] || skip_all "kernel has no trace events of ours"
	echo 30000 >"$TRACING/buffer_size_kb"
	echo 0 >"$TRACING/options/record-cmd"
}

# Runs a command with all events on and leaves the trace in $TRACE.
traced() {
	echo >"$TRACING/trace"
	echo 1 >"$EVENTS/enable"
	"$@"
	traced_status=$?
	echo 0 >"$EVENTS/enable"
	grep ssdqos_flash "$TRACING/trace" >"$TRACE"
	return "$traced_status"
}

count() { grep -c "ssdqos_flash_$1" "$TRACE"; }

# Every line of an event has its fields, and there is one.  $1: event, $2: fields
well_formed() {
	[ "$(count "$1:")" -gt 0 ] && ! grep "ssdqos_flash_$1:" "$TRACE" | grep -v "ssdqos_flash_$1: $2\$" | head -n 3 | grep .
}

# Begins a trace.  The rest: events without their prefix
trace_start() {
	echo >"$TRACING/trace"
	for trace_event in "$@"; do
		echo 1 >"$EVENTS/ssdqos_flash_$trace_event/enable"
	done
}

# Ends it and leaves it in $TRACE.
trace_stop() {
	echo 0 >"$EVENTS/enable"
	grep ssdqos_flash "$TRACING/trace" >"$TRACE"
}

# Every request in the trace has waited, cause by cause, for as long as it took,
# and there are as many as asked for.  $1: requests at least
waits_add_up() {
	awk -v least="$1" '/request_completed: / {
		n++
		sum = 0
		for (i = 1; i <= NF; i++) {
			split($i, kv, "=")
			if (kv[1] ~ /^wait_.*_ns$/) sum += kv[2]
			else if (kv[1] == "arrival_ns") arrival = kv[2]
			else if (kv[1] == "complete_ns") complete = kv[2]
		}
		if (sum != complete - arrival && bad++ < 3) print sum, $0
	} END { print n + 0 " requests, " bad + 0 " wrong"; exit !(n >= least && !bad) }' "$TRACE"
}
