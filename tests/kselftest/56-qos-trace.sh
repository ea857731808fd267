#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
# Trace events say what happened, and their numbers agree with each other.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-trace.sh
. "${0%/*}/lib-trace.sh"

KIND='\(read\|write\|discard\|flush\)'
PATTERN='\(rand\|seq\)'
DECISION='\(reserved\|spare\|best_effort\|urgent\)'
WHY='\(drive\|depth\|overcommitted\|others\)'
REASON='\(depth\|deadline\|limit\|strict\|pace\|debt\)'
DEBT_WHY='\(lack\|surplus\|slow_surplus\|load_changed\|return_lack\|away\|lend\|forget\)'
RATES="rate_ppm=$NUMBER room_ppm=$NUMBER away_permille=$NUMBER time_ns=$NUMBER"
REQUEST="$DEV stream=$NUMBER seq=$NUMBER kind=$KIND pattern=$PATTERN sector=$NUMBER bytes=$NUMBER cost_ns=$NUMBER"

qos_count() { grep -c "ssdqos_qos_$1" "$TRACE"; }
# Every line of an event has its fields, and there is one.  $1: event, $2: fields
qos_well_formed() {
	[ "$(qos_count "$1:")" -gt 0 ] && ! grep "ssdqos_qos_$1:" "$TRACE" | grep -v "ssdqos_qos_$1: $2\$" | head -n 3 | grep .
}

flush() { dd if=/dev/null of=/dev/mapper/gold conv=fsync,notrunc; }

work() {
	fio_run --filename=/dev/mapper/gold --rw=randrw --bs=4k --iodepth=16 --number_ios=300 --size=32M &
	fio_run --filename=/dev/mapper/greedy --rw=write --bs=64k --iodepth=16 --number_ios=100 --size=32M && wait
	# the first one uses up the maximum, the second one doesn't wait for it
	dmsetup message gold 0 set max_iops 1 burst_ms 0
	flush && flush
	dmsetup message gold 0 max_iops 0
	dmsetup message gold 0 util_ppm 400000
	# a promise that this disk does not keep: by its profile two at a time are as good as four
	flat_profile $((SLOW_NS / SLOW_DEPTH)) 2 >/tmp/profile && load_profile gold </tmp/profile
	dmsetup message gold 0 set util_ppm 0 min_iops 2500 window_ms 100 drive_queue_depth 2 drive_overcommit on
	fio_run --filename=/dev/mapper/gold --rw=randread --bs=4k --iodepth=16 --time_based --runtime=2 --size=32M
	sleep 1
	dmsetup status gold
}

qos_traced() {
	echo >"$TRACING/trace"
	echo 1 >"$EVENTS/enable"
	"$@"
	qos_traced_status=$?
	echo 0 >"$EVENTS/enable"
	grep ssdqos_qos "$TRACING/trace" >"$TRACE"
	return "$qos_traced_status"
}

# A request is completed once, dispatched once before that, and waited where it was queued.
each_once() {
	awk '{
		for (i = 1; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] }
	}
	/request_queued: / { queued[v["seq"]]++ }
	/request_dispatched: / { sent[v["seq"]]++; if (!queued[v["seq"]] && v["queue_ns"]) bad++ }
	/request_completed: / { n++; if (++done[v["seq"]] > 1 || sent[v["seq"]] != 1) bad++ }
	END { for (s in queued) if (!done[s]) bad++; print n + 0 " requests, " bad + 0 " wrong"; exit !(n > 300 && !bad) }' "$TRACE"
}

# A change of what spare writes may use says whose promise decided, in the order of time, and the new rate is what
# the profile says times the new factor, but for rounding and what all without a guarantee own.
debt_adds_up() {
	awk '{
		for (i = 1; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] }
	}
	/debt_changed: / {
		n++
		if (v["time_ns"] - last < 500000000) bad++
		last = v["time_ns"]
		want = v["room_ppm"] * v["new_permille"] / 1000
		if (v["rate_ppm"] > 10000 && (v["rate_ppm"] < want - 1 || v["rate_ppm"] > want + v["room_ppm"] / 1000)) bad++
		if (v["why"] == "lack" && v["owner"] == 0 && v["got_permille"] < 1000 && v["new_permille"] < v["old_permille"]) lacks++
	}
	END { print n + 0 " changes, " lacks + 0 " lacks, " bad + 0 " wrong"; exit !(n && lacks && !bad) }' "$TRACE"
}

# Of a reserved request that was done, the cost is what the profile says.
costs_are_the_profiles() { ! grep 'request_completed: .*stream=0 .*kind=read ' "$TRACE" | grep -v "cost_ns=250000 " | grep .; }

trace_prepare
slow_disk 64 cache_size=8 memory_backed
check "a stream appears" qos_create gold "$NULL_BLK" 0 32 drive_queue_depth "$SLOW_DEPTH"
check "and another" qos_create greedy "$NULL_BLK" 32 32
check "their drive gets a profile" slow_profile gold
check "a guarantee" dmsetup message gold 0 util_ppm 300000
check "requests are traced" qos_traced work
check "queued" qos_well_formed request_queued "$REQUEST reason=$REASON queued=$NUMBER drive_queued=$NUMBER drive_in_flight=$NUMBER"
check "spare writes wait for what the drive bears" grep -q 'request_queued: .*stream=1 .*kind=write .*reason=debt ' "$TRACE"
check "dispatched" qos_well_formed request_dispatched "$REQUEST decision=$DECISION deadline_ns=$NUMBER queue_ns=$NUMBER"
check "completed" qos_well_formed request_completed \
	"$REQUEST decision=$DECISION deadline_ns=$NUMBER time_ns=$NUMBER queue_ns=$NUMBER device_ns=$NUMBER"
check "shares reserved" qos_well_formed share_reserved "$DEV stream=$NUMBER util_ppm=$NUMBER used_ppm=$NUMBER free_ppm=$NUMBER"
check "flushes are urgent" grep -q 'kind=flush .*decision=urgent' "$TRACE"
check "each request once" each_once
check "at the profile's cost" costs_are_the_profiles
check "spare writes get more or less" qos_well_formed debt_changed \
	"$DEV stream=$NUMBER why=$DEBT_WHY owner=-\?$NUMBER got_permille=$NUMBER old_permille=$NUMBER new_permille=$NUMBER $RATES"
check "by what an owner lacked" debt_adds_up
check "windows" qos_well_formed window_missed "$DEV stream=$NUMBER promised=250 achieved=$NUMBER windows=$NUMBER why=$WHY time_ns=$NUMBER"
ktap_done
