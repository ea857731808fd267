#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# Writes wait so that the drive lasts as long as it shall, reads don't, and
# nobody has to guess why.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-trace.sh
. "${0%/*}/lib-trace.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"

# The static rate: so much in an hour, which is a hundred of the drive's, so that
# its periods are short.
STATIC_GB=18
STATIC_IOPS=$((STATIC_GB * 1000000000 / 3600 / 4096))
FLOOR_KB_S=1000
FLOOR_IOPS=$((FLOOR_KB_S * 1000 / 4096))
# As jobs write where nothing else is said.
WRITE_BYTES=4096

# ---- a whole life ----

# What was used of the budget in this life, as it passes: never more than all, nor than the part of the time that
# has passed, or, for who may borrow, than its epoch has and may borrow.  (That by itself is ahead of the time: after an
# epoch that got along with its own the next one may borrow again.)  Leaves the last number in USED.
# $1: line or borrows
life_keeps_budget() {
	USED=0
	while read_life && [ "$LIFE_AGE_S" -lt "$LIFE_S" ]; do
		USED=$LIFE_USED
		if [ "$USED" -gt "$LIFE_LEFT_BYTES" ] || ! "within_$1"; then
			echo "$USED of $LIFE_LEFT_BYTES used at $LIFE_AGE_S s"
			return 1
		fi
		sleep 0.02
	done
}
within_line() { [ "$LIFE_USED" -le $((LIFE_LEFT_BYTES * (LIFE_AGE_S + 1) / LIFE_S)) ]; }
# The last write goes before it has been charged.  What was used is read last: a new epoch has used less.
within_borrows() {
	read -r epoch_bytes <"$life_dir/life_epoch_bytes" && read -r spare_bytes <"$life_dir/life_spare_bytes" &&
		read -r epoch_used <"$life_dir/life_epoch_used_bytes" || return
	epoch_most=$((epoch_bytes + spare_bytes + WRITE_BYTES))
	[ "$epoch_used" -le "$epoch_most" ] || { echo "an epoch used $epoch_used, not $epoch_most"; return 1; }
}
# Prints that part in per mille when it ended.
life_used_permille() { echo $((USED * 1000 / LIFE_LEFT_BYTES)); }

# $1: policy, $2: line or borrows, $3: permille that must be used in the end, the rest: more keys and values
live() {
	live_policy=$1
	live_bound=$2
	live_least=$3
	shift 3
	check "$live_policy: a life of five seconds" ready_create w 0 drive_throttle "$live_policy" "$@"
	job_start w --rw=randwrite --iodepth=8 --size=32M
	check "$live_policy: writes stay within the budget" life_keeps_budget "$live_bound"
	check_between "$live_policy: and use it" "$live_least" "$(life_used_permille)" 1000
	check "$live_policy: then no limit holds" wait_for life_is w delay_why target_reached
	check_between "$live_policy: so writes are fast" $((3 * LIFE_IOPS)) "$(rates 1 w)" 1000000
	check "$live_policy: they end" jobs_stop
	diag "$live_policy: $(ready_stats w)"
}

# ---- single things ----

nothing_waits() { [ "$(life "$1" stopped)" = 0 ] && [ "$(life "$1" late)" = 0 ]; }
off() { dmsetup message w 0 drive_throttle none && nothing_waits w; }
rate_is_near() { check_between "$1" $(($2 * 98 / 100)) "$3" $(($2 * 102 / 100)); }
wrote_all() { echo "$(life "$1" host_bytes), not $2"; [ "$(life "$1" host_bytes)" = "$2" ]; }
write_mb() { dd if=/dev/zero of=/dev/mapper/"$1" bs=64k count=$((16 * $2)) oflag=direct 2>/dev/null; }
switch_policies() {
	for switch_round in 1 2 3 4 5; do
		for switch_policy in static none ready_pes ready_opt none dynamic; do
			dmsetup message w 0 drive_throttle "$switch_policy" && sleep 0.05 || return
		done
		dmsetup message w 0 weight $((100 + switch_round % 2)) || return
	done
	dmsetup message w 0 drive_throttle none
}

require_virtual_clock
slow_disk 128
uevents_start
if ! [ -d "$EVENTS" ]; then NO_TRACE=1; fi

# what is wrong is refused in one sentence
check "a stream appears" qos_create w "$NULL_BLK" 0 64
check "no policy without an endurance" qos_refused 'drive_throttle.*endurance' dmsetup message w 0 drive_throttle static
check "nor with two" qos_refused 'only one' dmsetup message w 0 set drive_endurance_gb 1 drive_pe_cycles 100
check "nor one that is not there" qos_refused 'drive_throttle' dmsetup message w 0 drive_throttle some
check "no reports of wear that is not counted, or say nothing" qos_refused 'wear' dmsetup message w 0 wear flash_bytes 0
check "nor of something else" qos_refused "wear.*'colour'" dmsetup message w 0 wear colour 1
check "nor without a number" qos_refused "wear.*'much'" dmsetup message w 0 wear flash_bytes much
check "nor without a value" qos_refused 'wear' dmsetup message w 0 wear flash_bytes
check_equal "wear is not counted yet" "0 off" "$(life w endurance_bytes) $(life w delay_why)"

# without a policy, and while they come and go, each byte is counted once
check "an endurance" dmsetup message w 0 drive_endurance_gb "$STATIC_GB"
check "something is written" write_mb w 8
check "and counted" wrote_all w $((8 << 20))
check "by a second stream" qos_create other "$NULL_BLK" 64 64
check "too" write_mb other 4
check "by both" wrote_all w $((12 << 20))
check "also when it has gone" dm_remove other
check "it stays" wrote_all w $((12 << 20))
job_start w --rw=randwrite --bsrange=4k-64k --iodepth=4 --size=32M
check "policies come and go" switch_policies
check "writes end" jobs_stop
check "each byte was counted once" wrote_all w $(((4 << 20) + $(gauge w write_bytes)))
check "the status has it" [ "$(gauge w throttle) $(gauge w life_why)" = "none off" ]
dm_remove w

# a fixed rate
check "a fixed rate" qos_create w "$NULL_BLK" 0 64 drive_throttle static drive_lifetime_h 100 \
	drive_time_scale 100 drive_endurance_gb "$STATIC_GB"
job_start w --rw=randwrite --iodepth=8 --size=32M
sleep 0.5
rate_is_near "holds" "$STATIC_IOPS" "$(rates 2 w)"
check_equal "and is why" fixed_rate "$(life w delay_why)"
check "a reload changes nothing" flash_reload w "$(dmsetup table w)"
rate_is_near "it holds" "$STATIC_IOPS" "$(rates 2 w)"
check "suspend ends at once" at_once dmsetup suspend w
check "nothing waits then" [ "$(gauge w queued)" = 0 ]
check "resume" dmsetup resume w
check "writes wait again" wait_for some_wait w

# all is used
check "nothing is left" dmsetup message w 0 drive_used_mb $((STATIC_GB * 1000))
check_equal "that is why" budget_spent "$(life w delay_why)"
sleep 0.5
check_between "no write goes" 0 "$(rates 2 w)" 2
job_start w --rw=randread --iodepth=4
sleep 0.5
READ_IOPS=$(rates 2 w)
check "a floor" dmsetup message w 0 drive_floor_kb_s "$FLOOR_KB_S"
sleep 0.5
rate_is_near "is left to writes, reads go on" $((READ_IOPS + FLOOR_IOPS)) "$(rates 2 w)"
check "no floor" dmsetup message w 0 drive_floor_kb_s 0
check "some wait" wait_for some_wait w
check "switched off, nothing waits" off
check "all end" jobs_stop
job_start w --rw=randread --iodepth=4
sleep 0.5
rate_is_near "reads alone are as fast as they were" "$READ_IOPS" "$(rates 2 w)"
check "they end" jobs_stop
dm_remove w

# lives
live static line 940
dm_remove w
live ready_pes line 900
check "delays were seen" counter_is_above w delayed 100
check "and stops" counter_is_above w stopped 10
check "changes were told" wait_for -t 5 told lifetime_epoch
check_between "with the delay" 0 "$(told_fields lifetime_epoch SSDQOS_VALUE)" 1000000000
check "and the end" wait_for -t 5 told lifetime_reached
dm_remove w
live ready_opt borrows 900
dm_remove w
live dynamic borrows 900 drive_delay_at submission
check "delays were seen before writes went, too" counter_is_above w delayed 100
dm_remove w

# priority
check "an important stream" ready_create w 0 drive_throttle ready_opt delay_weight 0
check "and another" ready_create other 64
job_start w --rw=randwrite --iodepth=1 --rate_iops=$((LIFE_IOPS / 4)) --size=32M
job_start other --rw=randwrite --iodepth=8 --size=32M
check "within the budget" life_keeps_budget borrows
check "they end" jobs_stop
check_equal "the important one was not delayed" 0 "$(counter w delayed)"
check_between "and hardly stopped" 0 "$(counter w stopped)" 50
check "the other one was" counter_is_above other delayed 100
diag "important: $(ready_stats w), other: $(ready_stats other)"
check "nothing waits" nothing_waits w
dm_remove w
dm_remove other

# trace events
if [ "${NO_TRACE-}" ]; then
	ktap_skip "trace events" "kernel has none of ours"
else
	trace_prepare
	check "a stream is traced" ready_traced
	check "stops" ready_well_formed stopped "$DEV stream=$NUMBER seq=$NUMBER bytes=4096 decision=stop_\(period\|spent\)"
	check "releases" ready_well_formed released "$DEV stream=$NUMBER seq=$NUMBER bytes=4096 stop_ns=$NUMBER decision=[a-z_]*"
	check "delays" ready_well_formed delayed "$DEV stream=$NUMBER seq=$NUMBER bytes=4096 delay_ns=$NUMBER"
	check "epochs" ready_well_formed epoch "$DEV event=lifetime_[a-z_]* why=[a-z_]* delay_ns=$NUMBER capacity_bytes=$NUMBER used_bytes=$NUMBER expected_bytes=$NUMBER left_bytes=$NUMBER time_ns=$NUMBER"
fi
ktap_done
