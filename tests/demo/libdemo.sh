# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# For the demo: replays a trace on one emulated drive and brings back what the
# drive's trace events say.  /demo.conf has SIZE_MB and DRIVE_ARGS, /demo.iolog
# is the trace as fio wants it.

# shellcheck source=/dev/null
. /demo.conf

TRACING=/sys/kernel/tracing
# An event takes less than 100 bytes; a trace of 500,000 requests fits.
BUFFER_KB=65536
# Each has a buffer as large as the largest request.
IODEPTH=512

tracing_start() {
	[ -d "$TRACING/events" ] || mount -t tracefs tracefs "$TRACING" || return
	echo "$BUFFER_KB" >"$TRACING/buffer_size_kb"
	echo nocontext-info >"$TRACING/trace_options"
	echo >"$TRACING/trace"
	for traced in request_completed gc_decided; do
		echo 1 >"$TRACING/events/ssdqos/ssdqos_flash_$traced/enable" || return
	done
	echo 1 >"$TRACING/tracing_on"
}

# $1: name of the drive
tracing_stop() {
	echo 0 >"$TRACING/tracing_on"
	echo 0 >"$TRACING/events/ssdqos/enable"
	cat "$TRACING/trace" >"/results/$1.trace"
	cat "$TRACING"/per_cpu/cpu*/stats >"/results/$1.lost"
}

replay() {
	# libaio: with io_uring, large writes ended with EAGAIN here.
	# Sleeps between requests shall end in time, not 50 us later.
	echo 1 >/proc/self/timerslack_ns
	fio --output-format=json --output="/results/$1.fio.json" --name="$1" \
		--read_iolog=/demo.iolog --replay_redirect="/dev/mapper/$1" \
		--ioengine=libaio --direct=1 --iodepth="$IODEPTH" || return
	# Nothing of the trace may have been left out.
	[ "$(grep -cE ' (read|write) ' /demo.iolog)" = "$(sed -n 's/^ *"total_ios" : \([0-9]*\),*$/\1/p' \
		"/results/$1.fio.json" | head -n 3 | awk '{ sum += $1 } END { print sum }')" ]
}

# The same sectors are written many times and nobody reads the data: no memory
# behind them is needed.
# $1: name of the drive, the rest: parameters beside DRIVE_ARGS
demo_drive() {
	drive=$1
	shift
	# shellcheck disable=SC2086 # a list of keys and values
	set -- $DRIVE_ARGS "$@"
	check "$drive: null_blk" null_blk_create "$SIZE_MB" discard=1
	check "$drive: create" dm_create "$drive" \
		"0 $((SIZE_MB * SECTORS_PER_MB)) ssdqos-flash $NULL_BLK 0 $# $*"
	check "$drive: trace" tracing_start
	check "$drive: replay" replay "$drive"
	dmsetup status "$drive" >"/results/$drive.status"
	# Returns when garbage collection has come to rest.
	check "$drive: rest" flash_settle "$drive"
	check "$drive: stop the trace" tracing_stop "$drive"
	dmsetup table "$drive" >"/results/$drive.table"
	cat "/sys/block/dm-$(dmsetup info -c --noheadings -o minor "$drive")/ssdqos/latency" \
		>"/results/$drive.latency"
	check_equal "$drive: no event was lost" 0 \
		"$(awk '/^(overrun|dropped events|commit overrun)/ { lost += $NF } END { print lost + 0 }' "/results/$drive.lost")"
	ktap_done
}
