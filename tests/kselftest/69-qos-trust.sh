#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# include: /usr/bin/setpriv:/usr/bin/setpriv
# What people rely on when something goes wrong: a refused table, a refused
# write, a disk that has gone, and others who try to change the drive.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"

# So many pieces of 4 KiB are written.
WRITES=1024
WRITE_BYTES=$((WRITES * 4096))
# Nothing stops or is delayed with this.
LONG_LIFE="drive_endurance_gb 1000000000"
# It looks after the disk once a second.
GONE_S=3
# More than go at a time.
BURST=300

# ---- a table of two segments ----

two_segments() { printf '%s\n%s\n' "$(qos_line "$NULL_BLK" 0 2048 "$@")" "2048 ${second#* }"; }
# Both fit alone; together they don't, which only resume can know.
second_is_refused() {
	second=$(qos_line "$NULL_BLK" 2048 2048 util_ppm 600000)
	two_segments util_ppm 600000 drive_credit_ms 7 >/tmp/table
	dmsetup load pair /tmp/table && kmsg_mark && ! dmsetup resume pair && kmsg_new | grep 'can be reserved'
}
drive_param() { cat "$(flash_sysfs watcher)/params/$1"; }

# ---- writes that the disk below refuses ----

host_bytes() { life w host_bytes; }
# The disk takes two at a time and says "try again" to all others, which their submitter does.
write_refused() { fio_run --filename=/dev/mapper/w --rw=randwrite --bs=4k --iodepth=16 --io_size="$WRITE_BYTES" --size=16M --norandommap; }
# $1: what was counted before
counted_once() {
	once_bytes=$(($(host_bytes) - $1))
	echo "$once_bytes of $WRITE_BYTES"
	[ "$once_bytes" -eq "$WRITE_BYTES" ]
}

# ---- who is root, but not of the whole machine ----

# Not busybox, whose own knows no such thing.
without_admin() { /usr/bin/setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$@"; }
# $1: file in sysfs, $2: file with what is written
puts() { cat "$2" >"$1"; }
# The same, in a process that others may have started.
puts_without_admin() { without_admin sh -c "cat '$2' >'$1'" 2>/tmp/refused; }
refused_without_admin() { ! puts_without_admin "$@" && grep -i "not permitted" /tmp/refused; }

# ---- a disk that goes ----

# $1: name; leaves a process that writes in GONE
write_behind() {
	dd if=/dev/zero of="/dev/mapper/$1" bs=4k count=16 oflag=direct 2>"/tmp/gone.$1" &
	GONE=$!
}
has_ended() { ! kill -0 "$GONE" 2>/dev/null; }
ends_with_error() { wait_for -t "$GONE_S" has_ended && ! wait "$GONE" && grep -i 'error' "/tmp/gone.$1"; }
queued_is_above() { [ "$(gauge "$1" queued)" -gt "$2" ]; }
nothing_queued() { [ "$(gauge "$1" queued)" = 0 ]; }

null_blk_create 64 memory_backed
check "a stream that looks on" qos_create watcher "$NULL_BLK" 32 16
check "a device" dmsetup create pair --notable
on_exit dm_remove pair
check "its second segment is refused" second_is_refused
check_equal "the first one has nothing, then" "0 100" "$(gauge watcher used_ppm) $(drive_param drive_credit_ms)"
check "others may have it" dmsetup message watcher 0 util_ppm 900000
check "and give it back" dmsetup message watcher 0 util_ppm 0
second=$(qos_line "$NULL_BLK" 2048 2048 util_ppm 300000)
two_segments util_ppm 300000 drive_credit_ms 7 >/tmp/table
check "a table that fits" dmsetup load pair /tmp/table
check "is taken" dmsetup resume pair
check_equal "whole" "600000 7" "$(gauge watcher used_ppm) $(drive_param drive_credit_ms)"
dm_remove pair

# one may lock the drive
check "a tenant" qos_create tenant "$NULL_BLK" 0 16
check "may change the drive" dmsetup message tenant 0 drive_credit_ms 5
check "until another one locks it" dmsetup message watcher 0 drive_locked on
check "not any more" qos_refused 'drive_credit_ms.*drive_locked' dmsetup message tenant 0 drive_credit_ms 6
check "nor unlock it" qos_refused 'drive_locked' dmsetup message tenant 0 drive_locked off
check "nor give it a profile" qos_refused 'profile.*drive_locked' dmsetup message tenant 0 profile none
check "nor report its wear" qos_refused 'wear.*drive_locked' dmsetup message tenant 0 wear flash_bytes 1
check "nor by a table" qos_refused 'drive_credit_ms.*drive_locked' dmsetup reload tenant --table "$(qos_line "$NULL_BLK" 0 $((16 * SECTORS_PER_MB)) drive_credit_ms 6)"
check_equal "it is as it was" 5 "$(drive_param drive_credit_ms)"
check "what is its own it may change" dmsetup message tenant 0 weight 7
check "the same value may be said again" flash_reload tenant "$(dmsetup table tenant)"
check_fails "its line doesn't make it the owner" sh -c "dmsetup table tenant | grep drive_locked"
check "the owner's does" sh -c "dmsetup table watcher | grep 'drive_locked on'"
check "who has locked it may change it" dmsetup message watcher 0 drive_credit_ms 8
dm_remove watcher
check "when the owner goes, it is free" dmsetup message tenant 0 drive_credit_ms 9
check_equal "how long requests take is not for all" "440 440" "$(stat -c %a "$(flash_sysfs tenant)/latency") $(stat -c %a "$(flash_sysfs tenant)/status")"
check_equal "counters are" 444 "$(stat -c %a "$(flash_sysfs tenant)/stats/reads")"
dm_remove tenant

# a byte that is refused below and comes again is counted once
null_blk_create 64 irqmode=2 completion_nsec=1000000 hw_queue_depth=2
# shellcheck disable=SC2086 # words
check "wear is counted" qos_create w "$NULL_BLK" 0 64 $LONG_LIFE
BEFORE=$(host_bytes)
check "writes that are refused" write_refused
check "are counted once" counted_once "$BEFORE"
check_equal "as requests, too" "$WRITES" "$(counter w writes)"
check "the same with a policy" dmsetup message w 0 drive_throttle static
BEFORE=$(host_bytes)
check "writes that are refused" write_refused
check "are counted once" counted_once "$BEFORE"
STATE=$(flash_sysfs w)/life_state
CREDIT=$(flash_sysfs w)/params/drive_credit_ms
check "the drive's life can be read" cp "$STATE" /tmp/state
echo 6 >/tmp/credit
check "who may not administer changes no parameter" refused_without_admin "$CREDIT" /tmp/credit
check "nor the drive's life" refused_without_admin "$STATE" /tmp/state
check "who may, does" puts "$CREDIT" /tmp/credit
check "either" puts "$STATE" /tmp/state
dm_remove w

# many at a time
null_blk_create 64
# shellcheck disable=SC2086 # words
check "a spent budget" qos_create w "$NULL_BLK" 0 64 $ZONED_LIFE drive_throttle static drive_used_mb 1000
job_start w --rw=randwrite --iodepth="$BURST" --size=32M
check "more writes wait than go at a time" wait_for some_wait w
check "it is lifted" dmsetup message w 0 drive_throttle none
check "they go on" wait_for counter_is_above w writes "$BURST"
check "all of them" jobs_stop
check_equal "nothing waits" "0 0" "$(life w stopped) $(life w late)"
dm_remove w

# the disk goes while writes wait
null_blk_create 64
# shellcheck disable=SC2086 # words
check "a spent budget" qos_create w "$NULL_BLK" 0 32 $ZONED_LIFE drive_throttle static drive_used_mb 1000
write_behind w
check "a write is stopped" wait_for some_wait w
echo 0 >"$null_dir/power"
check "the disk goes: it ends with an error" ends_with_error w
write_behind w
check "so does the next one" ends_with_error w
check "the device can be removed" at_once dmsetup remove w
null_blk_create 64
check "a limit" qos_create l "$NULL_BLK" 0 32 max_iops 1 burst_ms 0
job_start l --rw=randwrite --iodepth=16 --size=16M --number_ios=64
check "requests wait for it" wait_for queued_is_above l 4
echo 0 >"$null_dir/power"
check "the disk goes: none waits" wait_for -t "$GONE_S" nothing_queued l
check "they end" wait_for -t "$GONE_S" sh -c "! kill -0 $JOBS"
check "the device can be removed" at_once dmsetup remove l
ktap_done
