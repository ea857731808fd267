# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034
# Helpers for tests of lifetimes; after lib-qos.sh and, to trace, lib-trace.sh.

# A life of five seconds: an hour, so much faster.
LIFE_S=3600
LIFE_SCALE=720
# What is left of the endurance then, and the mean rate that is.
LIFE_GB=1
LIFE_LEFT_MB=25
LIFE_LEFT_BYTES=$((LIFE_LEFT_MB * 1000000))
LIFE_USED_MB=$((LIFE_GB * 1000 - LIFE_LEFT_MB))
LIFE_IOPS=$((LIFE_LEFT_BYTES * LIFE_SCALE / LIFE_S / 4096))

# A life of 100 seconds, in each of which a megabyte may be written.
ZONED_LIFE="drive_lifetime_h 20 drive_time_scale 720 drive_window_s 60 drive_endurance_gb 1 drive_used_mb 900"

# A stream on 64 MB of $NULL_BLK whose drive has such a life before it.
# $1: name, $2: MB where it begins, the rest: keys and values
ready_create() {
	ready_name=$1
	ready_offset=$2
	shift 2
	qos_create "$ready_name" "$NULL_BLK" "$ready_offset" 64 drive_lifetime_h 1 drive_endurance_gb "$LIFE_GB" \
		drive_used_mb "$LIFE_USED_MB" drive_time_scale "$LIFE_SCALE" drive_window_s 60 "$@"
}

# Prints a gauge of the drive's life, or a counter of the stream.  $1: name of the stream, $2: which
life() { cat "$(flash_sysfs "$1")/life_$2"; }
counter() { cat "$(flash_sysfs "$1")/stats/$2"; }
counter_is_above() { above_count=$(counter "$1" "$2") && echo "$2: $above_count" && [ "$above_count" -gt "$3" ]; }
some_wait() { [ "$(life "$1" stopped)" -gt 0 ]; }
life_is() { [ "$(life "$1" "$2")" = "$3" ]; }

# Sets LIFE_USED, of what was left, and LIFE_AGE_S right after, of the stream w.
read_life() {
	[ -d "${life_dir-}" ] || life_dir=$(flash_sysfs w)
	read -r life_used <"$life_dir/life_used_bytes" && read -r LIFE_AGE_S <"$life_dir/life_age_s" || return
	LIFE_USED=$((life_used - LIFE_USED_MB * 1000000))
}

# Prints what throttling did to a stream.  $1: name
ready_stats() {
	for stats_name in delayed delay_ns stopped stop_ns; do
		printf '%s=%s ' "$stats_name" "$(counter "$1" "$stats_name")"
	done
}

# In a fraction of the time for which writes would wait.
at_once() {
	once_ms=$(now_ms)
	"$@" && [ $(($(now_ms) - once_ms)) -lt 2000 ]
}

# Traces some seconds of a life into $TRACE.
ready_traced() {
	ready_create w 0 drive_throttle ready_pes || return
	echo >"$TRACING/trace"
	for traced_event in stopped released delayed epoch; do
		echo 1 >"$EVENTS/ssdqos_ready_$traced_event/enable"
	done
	job_start w --rw=randwrite --iodepth=8 --size=32M
	sleep 3
	jobs_stop
	traced_status=$?
	echo 0 >"$EVENTS/enable"
	grep ssdqos_ready "$TRACING/trace" >"$TRACE"
	return "$traced_status"
}
# Every line of an event has its fields, and there is one.  $1: event, $2: fields
ready_well_formed() {
	grep -q "ssdqos_ready_$1:" "$TRACE" &&
		! grep "ssdqos_ready_$1:" "$TRACE" | grep -v "ssdqos_ready_$1: $2\$" | head -n 3 | grep .
}
