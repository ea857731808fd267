#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# Rules change, tables change and devices go while requests run or wait.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

PART_MB=32
SECTORS=$((PART_MB * SECTORS_PER_MB))

# Requests that are verified, on "live", in the background.
load() {
	job_start live --rw=randrw --bsrange=4k-64k --iodepth=16 --size=16M --verify=crc32c --verify_backlog=64 "$@"
	wait_for went_on 20
}
went_on() { [ "$(requests live)" -gt "$1" ]; }
goes_on() { wait_for went_on $(($(requests live) + 20)); }
holds_some() { [ "$(gauge live queued)" -gt 0 ]; }

retunes() {
	for retune in "util_ppm 100000" "util_ppm 0" "weight 7" "drive_queue_depth 3" "drive_mode strict" \
		"drive_mode work_conserving" "max_mb_s 40" "max_mb_s 0" "window_ms 200" "drive_queue_depth 32"; do
		# shellcheck disable=SC2086 # words
		dmsetup message live 0 $retune && goes_on || return
	done
	put "$(flash_sysfs live)/params/weight" 100 && goes_on
}

same_line() { flash_reload live "$(dmsetup table live)" && goes_on; }
other_line() { flash_reload live "$(qos_line "$NULL_BLK" 0 "$SECTORS" util_ppm 123456 weight 9)" && [ "$(gauge live util_ppm)" = 123456 ]; }
plain_line() { flash_reload live "$(qos_line "$NULL_BLK" 0 "$SECTORS")" && [ "$(gauge live util_ppm)" = 0 ] && goes_on; }
abandoned_line() {
	dmsetup reload live --table "$(qos_line "$NULL_BLK" 0 "$SECTORS" util_ppm 777777)" && dmsetup clear live &&
		[ "$(gauge live util_ppm)" = 0 ]
}
linear_and_back() {
	flash_reload live "0 $SECTORS linear $NULL_BLK 0" && flash_reload live "$(qos_line "$NULL_BLK" 0 "$SECTORS" weight 50)" &&
		wait_for went_on 20
}
suspends() { dmsetup suspend "$@" live && dmsetup resume live && goes_on; }

# In a fraction of the time for which the limit would hold requests.
at_once() {
	once_ms=$(now_ms)
	"$@" && [ $(($(now_ms) - once_ms)) -lt 4000 ]
}

# The last word decides: between the two, somebody else took the time.
late_refusal() {
	qos_create late "$NULL_BLK" 64 8 && dmsetup reload late --table "$(qos_line "$NULL_BLK" 131072 16384 util_ppm 600000)" &&
		dmsetup message live 0 util_ppm 600000 && dmsetup suspend late || return
	qos_refused 'can be reserved' dmsetup resume late || return
	[ "$(gauge late util_ppm)" = 0 ] && dmsetup message live 0 util_ppm 0 && dmsetup resume late &&
		[ "$(gauge late util_ppm)" = 600000 ] && dm_remove late
}

segments() {
	dm_create parts "0 8192 ssdqos $NULL_BLK 65536 2 util_ppm 100000
8192 8192 ssdqos $NULL_BLK 73728 2 util_ppm 200000" &&
		[ "$(gauge live used_ppm)" = 300000 ] && [ "$(cat "$(flash_sysfs parts)/params/util_ppm")" = 100000 ] &&
		[ "$(cat "$(flash_sysfs parts 8192)/params/util_ppm")" = 200000 ] &&
		fio_run --filename=/dev/mapper/parts --rw=randrw --bs=4k --iodepth=8 --number_ios=200 --size=8M &&
		[ "$(cat "$(flash_sysfs parts 8192)/stats/reads")" -gt 10 ] &&
		dmsetup message parts 8192 util_ppm 50000 && [ "$(gauge live used_ppm)" = 150000 ]
}

sums_up() {
	dmsetup message live 0 util_ppm 600000 && qos_create second "$NULL_BLK" 32 8 util_ppm 390000 &&
		qos_refused 'can be reserved' qos_create third "$NULL_BLK" 40 8 util_ppm 1 && dm_remove second &&
		qos_create third "$NULL_BLK" 40 8 util_ppm 390000 && [ "$(gauge live free_ppm)" = 0 ]
}

overcommits() {
	qos_create fourth "$NULL_BLK" 48 8 drive_overcommit on util_ppm 500000 && [ "$(gauge live used_ppm)" = 1490000 ] &&
		dm_remove fourth && dm_remove third && dmsetup message live 0 set util_ppm 0 drive_overcommit off
}

admits() { dmsetup message live 0 admit "$@" >/tmp/answer && cat /tmp/answer; }
answer() { tr ' ' '\n' </tmp/answer | sed -n "s/^$1=//p"; }
answers() { for answers_key in "$@"; do answer "$answers_key"; done | xargs; }

profiles() {
	flat_profile 100000 4 >/tmp/p && load_profile live </tmp/p && [ "$(gauge live profile)" = ok ]
}

# One request at a time takes 400 us; 2 % of writes in the time cost 4 % more of it.
few_at_a_time() {
	{
		flat_profile 100000 4
		echo "cost read rand 4096 1 990 400000 400000 400000"
		echo "mixed 50 4 990 2000 2000 2000"
	} >/tmp/shallow && load_profile live </tmp/shallow && admits min_iops 1000 iodepth 1 &&
		[ "$(answer cost_ns) $(answer mix_factor_permille)" = "400000 1040" ]
}

# Beside the 1 % that everybody may write with, small reads are twice as slow, large ones five times; what is
# between them goes by the worse.
large_ones_beside_writes() {
	{
		flat_profile 100000 4
		echo "beside_of 4096 1 1 990 2000 2000 2000"
		echo "beside_of 65536 1 1 990 5000 5000 5000"
	} >/tmp/sizes && load_profile live </tmp/sizes || return
	for large_one in 4096=290000 16384=740000 65536=740000; do
		admits util_ppm 150000 iodepth 1 block_bytes "${large_one%=*}" &&
			[ "$(answer used_ppm)" = "${large_one#*=}" ] || return
	done
}

# In windows of 100 ms no write was seen.
too_short_windows() {
	{
		echo "ssdqos-profile 1"
		echo "window_ms 100 1000"
		echo "cost read rand 4096 4 990 100000 100000"
		echo "cost write rand 4096 4 990 - 100000"
	} >/tmp/seldom && load_profile live </tmp/seldom && admits min_iops 500 op write window_ms 100 &&
		[ "$(answers fits cost_ns fit_window_ms)" = "0 0 1000" ] &&
		qos_refused "'100' is too short to promise" dmsetup message live 0 set min_iops 500 op write window_ms 100
}

# live's 4,000 IOPS would take 0.41 of the time with their margin, then 1.23 of it
no_worse_profile() {
	dmsetup message live 0 min_iops 4000 && [ "$(gauge live util_ppm)" = 410000 ] &&
		flat_profile 300000 4 >/tmp/worse && qos_refused 'profile' load_profile live </tmp/worse &&
		[ "$(gauge live util_ppm)" = 410000 ]
}
no_missing_profile() { qos_refused 'needs a profile' dmsetup message live 0 profile none && [ "$(gauge live profile)" = ok ]; }
better_profile() {
	flat_profile 50000 4 >/tmp/better && load_profile live </tmp/better && [ "$(gauge live util_ppm)" = 205000 ]
}

null_blk_create 96 memory_backed irqmode=2 completion_nsec=50000
check "a stream appears" qos_create live "$NULL_BLK" 0 "$PART_MB" util_ppm 200000
check "requests run" load
check "rules change" retunes
check "the same line again" same_line
check "another line" other_line
check "a line without rules" plain_line
check "a line that is not used" abandoned_line
check "without the target for a while" linear_and_back
check "suspend and resume" suspends
check "likewise without flush" suspends --noflush --nolockfs
check "requests stop, and data are right" jobs_stop

check "few requests are allowed" dmsetup message live 0 set max_iops 1 burst_ms 0
job_start live --rw=randread --iodepth=8
check "so some wait" wait_for holds_some
check "suspend ends at once" at_once dmsetup suspend live
check "nothing waits then" [ "$(gauge live queued)" = 0 ]
check "and the limit holds again" dmsetup resume live
check "some wait again" wait_for holds_some
check "suspend without flush does, too" at_once dmsetup suspend --noflush --nolockfs live
dmsetup resume live
check "requests stop" jobs_stop
job_start live --rw=randread --iodepth=8
check "removed under load" at_once dmsetup remove --force live
jobs_stop >/dev/null 2>&1
dmsetup remove --retry live >/dev/null 2>&1

check "a stream appears again" qos_create live "$NULL_BLK" 0 "$PART_MB"
check "segments of a table are clients of their own" segments
dm_remove parts
check_equal "and their time is free when they go" 0 "$(gauge live used_ppm)"
check "guarantees add up to what there is" sums_up
check "or more, if that is wanted" overcommits
check "a reload is refused when it comes too late" late_refusal

check "a profile is loaded" profiles
check "a question is answered" admits min_iops 5000
check_equal "it would fit" "1 512500 990000 100000 9658" \
	"$(answer fits) $(answer util_ppm) $(answer free_ppm) $(answer cost_ns) $(answer fit_iops)"
check_equal "with what it rests on" "rand 4096 4096 1000 32 4 4 990" "$(answers from_pattern from_bytes from_bytes_to \
	from_window_ms asked_depth from_depth from_depth_to from_confidence_permille)"
check_equal "and what is left for others" "1000000 487500 1000000 480000 none" \
	"$(answers left_before_ppm left_ppm spare_write_before_ppm spare_write_ppm largest)"
check "one that doesn't fit" admits min_iops 20000
check_equal "has an answer, too" "0 9658" "$(answer fits) $(answer fit_iops)"
check "few requests at a time are dearer, and writes beside" few_at_a_time
check "large reads more than small ones" large_ones_beside_writes
check "what is promised in longer windows only" too_short_windows
check "the profile is loaded again" load_profile live </tmp/p
check "one without sense" qos_refused 'weight' dmsetup message live 0 admit weight 0
check "a question changes nothing" [ "$(gauge live used_ppm)" = 0 ]
check "no profile that breaks promises" no_worse_profile
check "nor none" no_missing_profile
check "a better one" better_profile
check "without promises none is fine" dmsetup message live 0 set min_iops 0
check "then" dmsetup message live 0 profile none
check "counters start again" dmsetup message live 0 reset_stats
check_equal "from zero" "0 0" "$(gauge live reads) $(gauge live charged_ns)"
ktap_done
