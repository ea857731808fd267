#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# What is wrong is noticed: promises that are not kept, a profile that does not
# hold any more, somebody else who writes to the disk.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

FLASH_MB=128
DEPTH=4
FLASH_READ_NS=4000000
# The profile is looked at in periods of 10 s.
PERIODS_S=25

says() { [ "$(gauge "$1" "$2")" = "$3" ]; }

event_number() { dmsetup info -c --noheadings -o events "$1" | tr -d ' '; }
missed_more() { [ "$(gauge gold windows_missed)" -gt "$1" ]; }
quiet_writer() { dd if=/dev/zero of=/dev/mapper/drive bs=64k seek=1600 count=64 oflag=direct 2>/dev/null; }
# Some megabytes a second, for some seconds.  $1: seconds
foreign_writer() {
	fio_run --filename=/dev/mapper/drive --rw=write --bs=64k --iodepth=1 --offset=100M --size=16M --rate=2m \
		--time_based --runtime="$1"
}
# The drive gets slow and fast again some times, each for so long that three windows see it.
WINDOW_MS=100
TURNS=5
TURN_S=0.6
# A change is told at once, and others this time later.
QUIET_S=10
changes_of_risk() { grep -cE '^SSDQOS_EVENT=promise_(at_risk|safe)$' "$UEVENTS"; }
last_of_risk() { sed -nE 's/^SSDQOS_EVENT=promise_(at_risk|safe)$/\1/p' "$UEVENTS" | tail -n 1; }
traced_changes() { grep -cE 'ssdqos_qos_promise_(at_risk|safe): ' "$TRACING/trace"; }
to_and_fro() {
	for _ in $(seq "$TURNS"); do
		dmsetup message drive 0 read_ns $((4 * FLASH_READ_NS)) && sleep "$TURN_S" &&
			dmsetup message drive 0 read_ns "$FLASH_READ_NS" && sleep "$TURN_S" || return
	done
}
watches_risk() {
	sleep "$QUIET_S"
	uevents_forget
	dmsetup message gold 0 window_ms "$WINDOW_MS" && echo >"$TRACING/trace" &&
		for risk in at_risk safe; do echo 1 >"$TRACING/events/ssdqos/ssdqos_qos_promise_$risk/enable" || return; done
}

require_virtual_clock
# shellcheck disable=SC2086 # words of a line
check "a drive appears" flash_on_null drive "$FLASH_MB" aged_pct 100 $PLAIN read_ns "$FLASH_READ_NS"
check "a stream appears" qos_create gold /dev/mapper/drive 0 48 drive_queue_depth "$DEPTH" weight 200
check "and another" qos_create other /dev/mapper/drive 48 48
uevents_start

job_start gold --rw=randread --iodepth=16
sleep 0.5
IOPS=$(rates 4 gold)
diag "alone: $IOPS"
flat_profile $((1000000000 / IOPS)) "$DEPTH" >/tmp/profile
check "the drive gets a profile" load_profile gold </tmp/profile
check "and it a guarantee" dmsetup message gold 0 set min_iops $((IOPS / 2)) window_ms 500
sleep 12
check_between "a profile that holds has little drift" -20 "$(gauge gold drift_pct)" 20
check "it holds" says gold profile ok
check "promises are kept" says gold windows_missed 0
check_fails "there is nothing to tell" told .
check "windows may slide" dmsetup message gold 0 windows sliding
check "counters start again" dmsetup message gold 0 reset_stats
sleep 4
check_between "then there are eight in the time of one" 40 "$(gauge gold windows)" 80
check "which are kept, too" says gold windows_missed 0
check "there are no others" qos_refused "windows: .tumbling. is not one of aligned, sliding" dmsetup message gold 0 windows tumbling
check "windows are aligned again" dmsetup message gold 0 windows aligned

EVENTS_BEFORE=$(event_number gold)
check "the drive gets slower" dmsetup message drive 0 read_ns $((4 * FLASH_READ_NS))
check "promises are missed" wait_for -t 5 missed_more 2
check "which is told" wait_for -t 5 told promise_missed
check_equal "with the drive and the device" "$(gauge gold drive) $(dm_kernel_name gold)" \
	"$(told_fields promise_missed SSDQOS_DRIVE) $(told_fields promise_missed DEVNAME | sed 's:^/dev/::')"
check_between "and what it got" 1 "$(told_fields promise_missed SSDQOS_VALUE)" $((IOPS / 4))
check "the drive is why" [ "$(gauge gold missed_drive)" -gt 0 ]
check_equal "which is told, too" drive "$(told_fields promise_missed SSDQOS_WHY)"
check "the promise is at risk" wait_for -t 5 told promise_at_risk
check_equal "for the same reason" drive "$(told_fields promise_at_risk SSDQOS_WHY)"
check "not for every window" [ "$(grep -c promise_missed "$UEVENTS")" -lt 3 ]
check "who waits for the device's events hears of it" [ "$(event_number gold)" -gt "$EVENTS_BEFORE" ]
check "the profile is stale" wait_for -t "$PERIODS_S" says gold profile stale
check "for the other one, too" says other profile stale
check_between "by how much" 51 "$(gauge gold drift_pct)" 400
check "which is told" wait_for -t 5 told profile_stale
check_equal "to both" 2 "$(grep -c profile_stale "$UEVENTS")"
check "the drive is fast again" dmsetup message drive 0 read_ns "$FLASH_READ_NS"
check "and the profile holds" wait_for -t "$PERIODS_S" says gold profile ok
check "which is told" wait_for -t 5 told profile_ok
check "the promise is safe again" wait_for -t "$QUIET_S" told promise_safe
check_equal "which the status knows" 0 "$(gauge gold at_risk)"
check "its windows get short" watches_risk
check "and the drive slow and fast, again and again" to_and_fro
check_between "each change is traced" $((2 * TURNS)) "$(traced_changes)" $((2 * TURNS))
check_equal "the first one is told" "1 at_risk" "$(changes_of_risk) $(last_of_risk)"
sleep "$QUIET_S"
check_equal "and how it ended" "2 safe" "$(changes_of_risk) $(last_of_risk)"
echo 0 >"$TRACING/events/ssdqos/enable"
uevents_forget
check "the drive is slow once more" dmsetup message drive 0 read_ns $((4 * FLASH_READ_NS))
check "which is told" wait_for -t $((2 * QUIET_S)) told promise_at_risk
check "the promise is taken back" dmsetup message gold 0 set min_iops 0
check "so nothing is at risk" wait_for -t $((2 * QUIET_S)) told promise_safe
check "the drive is fast again" dmsetup message drive 0 read_ns "$FLASH_READ_NS"

check "nobody else writes" says gold unmanaged 0
job_start other --rw=randwrite --iodepth=1 --rate_iops=50
sleep 4
check "what our own clients write is not foreign" says gold unmanaged 0
foreign_writer 8 &
check "somebody else does" wait_for -t 8 says gold unmanaged 1
check "which is told" wait_for -t 5 told unmanaged_writer
check_between "with the part that he writes" 50 "$(told_fields unmanaged_writer SSDQOS_VALUE)" 100
check "he stops" wait_for -t 20 says gold unmanaged 0
check "which is told" wait_for -t 5 told unmanaged_writer_gone
check "requests stop" jobs_stop
ktap_done
