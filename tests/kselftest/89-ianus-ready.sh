#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# A mirror whose members have lifetimes (READY): below each of them is a stream that slows writes
# down, above it are streams with a guarantee and without.  The mirror takes what its members may be
# written, reads keep their promise meanwhile, nothing hangs, and all members have the same.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"
# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"

# So much in an hour: the fixed rate, of each member.
STATIC_GB=18
STATIC_IOPS=$((STATIC_GB * 1000000000 / 3600 / 4096))
READ_NS=1000000
READ_DEPTH=4
PROMISED_IOPS=$((READ_DEPTH * 1000000000 / READ_NS / 4))
WINDOWS=5
LONG_S=60

# Members in place of their disks.
lives() {
	live_number=0
	LIVES=
	while [ "$live_number" -lt "$MEMBER_COUNT" ]; do
		qos_create "life$live_number" "$(member "$live_number")" 0 "$MEMBER_MB" drive_throttle static drive_lifetime_h 100 \
			drive_time_scale 100 drive_endurance_gb "$STATIC_GB" || return
		LIVES="$LIVES /dev/mapper/life$live_number 0"
		live_number=$((live_number + 1))
	done
	MEMBERS=$LIVES
}
# $1: name, $2: MB where it begins, the rest: keys and values
client() {
	client_name=$1
	client_at=$2
	shift 2
	qos_create "$client_name" "$M" "$client_at" 32 drive pair "$@"
}
at_least() { [ "$(gauge "$1" "$2")" -ge "$3" ]; }
waits() { at_least m waits 1; }
# Of a fixed rate, what a member does not use in the other one's turn is lost to it.
rate_is() { check_between "$1" $((STATIC_IOPS * 4 / 10)) "$(rates 5 writer)" $((STATIC_IOPS * 55 / 100)); }
rests() { dmsetup suspend m && members_agree && dmsetup resume m; }
# $1: member
budget() { dmsetup message "life$1" 0 drive_used_mb "$2"; }
is_spent() { life_is "life$1" delay_why budget_spent; }

require_virtual_clock
require_target ssdqos-ianus
check "disks" members_create 2 irqmode=2 completion_nsec="$READ_NS" hw_queue_depth=256
check "each has a life" lives
check "a mirror of them" ianus_create assume_same on switch_ms 100 cache_kib 1024
check "a client with a promise" client reader 0 drive_apart on drive_queue_depth "$READ_DEPTH"
check "one that writes" client writer 32
flat_profile $((READ_NS / READ_DEPTH)) "$READ_DEPTH" >/tmp/profile
check "a profile" load_profile reader </tmp/profile
check "reads are promised" dmsetup message reader 0 min_iops "$PROMISED_IOPS"

job_start writer --rw=randwrite --iodepth=16
check "writes wait" wait_for waits
check "as members' lives do" wait_for some_wait life0
check_equal "for their fixed rate" "fixed_rate fixed_rate" "$(life life0 delay_why) $(life life1 delay_why)"
rate_is "the mirror takes half of what a member may be written"
job_start reader --rw=randread --iodepth=8
check "reads are asked for, a whole window" wait_for -t "$LONG_S" at_least reader windows_met 1
missed=$(gauge reader windows_missed)
check "they keep their promise" wait_for -t "$LONG_S" at_least reader windows_met "$WINDOWS"
check_equal "none is missed" "$missed" "$(gauge reader windows_missed)"
check "the mirror can rest under load, and members have the same" rests
check "so can a life below it" dmsetup suspend --noflush --nolockfs life0
check "which goes on" dmsetup resume life0

# one of them has nothing left
check "a budget is spent" budget 0 $((STATIC_GB * 1000))
check "that is why" wait_for is_spent 0
kept=$(gauge reader windows_met)
check "reads go on" wait_for -t "$LONG_S" at_least reader windows_met $((kept + 1))
missed=$(gauge reader windows_missed)
check "and keep their promise" wait_for -t "$LONG_S" at_least reader windows_met $((kept + 1 + WINDOWS))
check_equal "none is missed" "$missed" "$(gauge reader windows_missed)"
check "the member is given up" dmsetup message m 0 fail 0
written=$(gauge writer writes)
check "writes go to the other one" wait_for at_least writer writes $((written + 100))
check "a budget again" budget 0 0
check "it joins" wait_for dmsetup message m 0 join 0
check "jobs end" jobs_stop
check "it is whole" wait_for -t "$LONG_S" is_whole
check "all members have the same" rests
ktap_done
