#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
# A drive's life survives: by the file life_state, on a metadata device, and
# through power cuts.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-ready.sh
. "${0%/*}/lib-ready.sh"

DATA_MB=64
HALF_SECTORS=$((DATA_MB * SECTORS_PER_MB / 2))
META_BYTES=73728
# The kernel waits five seconds for the rest of a state.
CUT_WAIT_S=20
HEADER_BYTES=4096
STATE_BYTES=36864
# Where the number of a header is in it.
SEQ_AT=24
# Life passes so fast that epochs of a second end now and then ...
FAST="drive_throttle ready_opt drive_endurance_gb 2 drive_lifetime_h 6 drive_window_s 60 drive_time_scale 60"
# ... and so slowly that none does.
SLOW="drive_throttle ready_opt drive_endurance_gb 2 drive_lifetime_h 6 drive_window_s 60 drive_time_scale 1"
# Metadata are written every tenth of a second, but for what a look takes.
CUT="drive_endurance_gb 100000 drive_time_scale 10"
PERIOD_S=0.1
LATE_S=0.03
CUTS=8

state_file() { echo "$(flash_sysfs "$1")/life_state"; }

# $1: name, $2: MB on the data disk where it begins, the rest: keys and values
life_create() {
	life_name=$1
	life_mb=$2
	shift 2
	qos_create "$life_name" "$DATA" "$life_mb" $((DATA_MB / 2)) "$@"
}

# $1: name, $2: MB
write_mb() { fio_run --filename="/dev/mapper/$1" --rw=write --bs=64k --iodepth=4 --size="$2M"; }

# ---- the file ----

# Prints what shall be the same in the next life.
same_life() {
	for same_key in used_bytes host_bytes delay_ns delay_why epoch_s waf_permille; do life one "$same_key"; done
}

# The first epoch has nothing to expect; from the second one on, writes are delayed.
is_delayed() { [ "$(life one delay_ns)" -gt 0 ] && [ "$(life one delay_why)" != first_epoch ]; }

# shellcheck disable=SC2086 # words
slow_down() { dmsetup message one 0 set $SLOW && jobs_stop; }

saves() {
	before=$(same_life)
	age=$(life one age_s)
	cat "$(state_file one)" >/tmp/state && [ "$(wc -c </tmp/state)" -eq "$STATE_BYTES" ]
}

# Who could read nothing at the begin must not get what was in that memory before, further on.
nothing_further_on() {
	exec 4<"$(state_file one)" || return
	dd bs="$HEADER_BYTES" count=1 <&4 >/dev/null 2>&1 && return 1
	dd bs="$HEADER_BYTES" skip=1 count=1 <&4 >/tmp/further 2>/dev/null
	exec 4<&-
	[ ! -s /tmp/further ]
}

history_of() { tail -c +$((HEADER_BYTES + 1)) "$1" | md5sum -; }

# shellcheck disable=SC2086 # words
starts_anew() { dm_remove one && life_create one 0 $SLOW && [ "$(life one used_bytes)" = 0 ]; }
loads() { cat "$1" >"$(state_file one)"; }

# $1: words of the refusal, $2: file
refuses() {
	refuses_before=$(same_life)
	qos_refused "$1" loads "$2" 2>/tmp/refused && grep "Invalid argument" /tmp/refused &&
		[ "$refuses_before" = "$(same_life)" ]
}

# $1: byte of the state
flip() {
	cp /tmp/state /tmp/broken
	printf 'Z' | dd of=/tmp/broken bs=1 seek="$1" conv=notrunc 2>/dev/null
	! cmp -s /tmp/state /tmp/broken
}

# $1: bytes of the state
too_short() { head -c "$1" /tmp/state >/tmp/short && refuses "ends after $1 of $STATE_BYTES bytes" /tmp/short; }

# What ends with a block might go on: that it does not is only known later.
ends_with_block() {
	block_before=$(same_life)
	head -c "$1" /tmp/state >/tmp/short
	kmsg_mark
	loads /tmp/short && wait_for -t "$CUT_WAIT_S" says_once "ends after $1 of $STATE_BYTES bytes" &&
		[ "$block_before" = "$(same_life)" ]
}

from_the_middle() { qos_refused "36864 bytes" dd if=/tmp/state of="$(state_file one)" bs=4096 seek=3 count=1 conv=notrunc; }
in_small_pieces() { qos_refused "multiples of 4096" dd if=/tmp/state of="$(state_file one)" bs=512 conv=notrunc; }

# Its table again, with another length of the queue.
# shellcheck disable=SC2086 # words
reloads_as_it_was() {
	reload_before="$(life one used_bytes) $(life one host_bytes) $(life one delay_ns)"
	flash_reload one "$(qos_line "$DATA" 0 "$HALF_SECTORS" $SLOW drive_queue_depth 8)" &&
		dmsetup table one | grep queue_depth || return
	reload_after="$(life one used_bytes) $(life one host_bytes) $(life one delay_ns)"
	echo "$reload_before, then $reload_after"
	[ "$reload_before" = "$reload_after" ]
}

# ---- the metadata device ----

# $1: number of the header
header_seq() { dd if="$1" bs="$HEADER_BYTES" skip="$2" count=1 iflag=direct 2>/dev/null | od -An -v -t u8 -j "$SEQ_AT" -N 8 | tr -d ' '; }
newest_seq() { printf '%s\n' "$(header_seq "$1" 0)" "$(header_seq "$1" 1)" | sort -n | tail -n 1; }
is_written() { [ "$(newest_seq "$META")" -gt "$1" ]; }

named_in_table() { dmsetup table one | grep -q " drive_meta $(cat "/sys/block/${META#/dev/}/dev")"; }
contents() { dd if="$1" bs="$META_BYTES" count=1 iflag=direct 2>/dev/null | md5sum -; }

# shellcheck disable=SC2086 # words
lives_on() {
	used=$(life one used_bytes) host=$(life one host_bytes) age=$(life one age_s)
	dm_remove one && life_create one 0 drive_meta "$META" $SLOW &&
		[ "$used $host" = "$(life one used_bytes) $(life one host_bytes)" ] && [ "$(life one age_s)" -ge "$age" ] &&
		[ "$(life one age_s)" -le $((age + 60)) ]
}

# $1: words of the refusal, $2: device, the rest: more words of the table
# shellcheck disable=SC2086 # words
refuses_meta() {
	meta_words=$1
	meta_dev=$2
	meta_before=$(contents "$meta_dev")
	shift 2
	qos_refused "$meta_words" life_create two "$((DATA_MB / 2))" "$@" drive_meta "$meta_dev" $SLOW &&
		[ "$meta_before" = "$(contents "$meta_dev")" ]
}

# $1: name of a stream on the drive "other"
# shellcheck disable=SC2086 # words
refuses_itself() {
	qos_refused "is on the drive" flash_reload "$1" \
		"$(qos_line "$DATA" "$HALF_SECTORS" "$HALF_SECTORS" drive other drive_meta "/dev/mapper/$1" $SLOW)"
}

# A line for a stream that lives on, without the device and with it again.
# shellcheck disable=SC2086 # words
reloads_without() {
	without_used=$(life one used_bytes)
	flash_reload one "$(qos_line "$DATA" 0 "$HALF_SECTORS" $SLOW)" &&
		[ "$without_used" = "$(life one used_bytes)" ] || return
	without_seq=$(newest_seq "$META")
	without_host=$(life one host_bytes)
	write_mb one 1 && flash_reload one "$(qos_line "$DATA" 0 "$HALF_SECTORS" drive_meta "$META" $SLOW)" &&
		wait_for is_written "$without_seq" &&
		[ "$(life one host_bytes)" = $((without_host + 1048576)) ] && [ "$(life one used_bytes)" -gt "$without_used" ]
}

torn_header() {
	torn_host=$(life one host_bytes)
	dm_remove one && torn_seq=$(newest_seq "$META") &&
		printf 'torn' | dd of="$META" bs=1 seek=$((torn_seq % 2 * HEADER_BYTES + 100)) conv=notrunc,fsync 2>/dev/null &&
		life_create one 0 drive_meta "$META" drive_endurance_gb 2 &&
		[ "$(life one host_bytes)" -gt 0 ] && [ "$(life one host_bytes)" -le "$torn_host" ]
}

# The device fails; what is written still is, and somebody hears of it.
meta_fails() {
	dm_create flaky "0 2048 linear $META 0" && discard_meta "$META" &&
		life_create one 0 drive_meta /dev/mapper/flaky drive_endurance_gb 100 && write_mb one 1 &&
		wait_for is_written 1 || return
	kmsg_mark
	flash_reload flaky "0 2048 error" && write_mb one 2 && wait_for says_once "can't be written" && write_mb one 2 &&
		sleep 2 && says_once "can't be written" && [ "$(life one host_bytes)" = $((5 * 1048576)) ]
}
says_once() { [ "$(kmsg_new | grep -c "$1")" = 1 ]; }

# A write to the device does not end until that is resumed.
meta_hangs() {
	dm_create hanging "0 2048 linear $META 0" && discard_meta "$META" &&
		life_create one 0 drive_meta /dev/mapper/hanging drive_endurance_gb 100 && write_mb one 1 &&
		wait_for is_written 1 || return
	on_exit "dmsetup resume hanging"
	dmsetup suspend --nolockfs hanging && write_mb one 1 && wait_for write_hangs
}
write_hangs() { grep -q submit_bio_wait /proc/[0-9]*/stack; }
# The rest: command
ends_meanwhile() {
	rm -f /tmp/ended
	{ "$@" && : >/tmp/ended; } &
	wait_for -t 5 test -e /tmp/ended && write_hangs
}
is_written_when_resumed() {
	hanging_seq=$(newest_seq "$META")
	dmsetup resume hanging && wait_for is_written "$hanging_seq" && [ "$(life one host_bytes)" = $((3 * 1048576)) ]
}

discard_meta() { dd if=/dev/zero of="$1" bs="$META_BYTES" count=1 oflag=direct 2>/dev/null; }

# ---- power cuts ----

# What is on the device at a moment of a load; a line for each in /tmp/cuts: what
# was written a period before, and what just after.  $1: number, $2: its moment
cut_power() {
	cut_low=$(life one host_bytes)
	sleep "$(awk -v at="$2" -v p="$PERIOD_S" -v l="$LATE_S" 'BEGIN { print p + l + at }')"
	dd if="$META" of="/tmp/cut.$1" bs="$META_BYTES" count=1 iflag=direct 2>/dev/null
	echo "$1 $cut_low $(life one host_bytes)" >>/tmp/cuts
}

# A fresh drive begins with each of the copies; one that is older, or newer,
# than it may be is printed.  $1: throttle
check_cuts() {
	while read -r cut low high; do
		dd if="/tmp/cut.$cut" of="$META2" bs="$META_BYTES" count=1 oflag=direct 2>/dev/null
		# shellcheck disable=SC2086 # words
		life_create two 32 drive first drive_meta "$META2" $CUT drive_throttle "$1" || return
		host=$(life two host_bytes)
		dm_remove two
		echo "cut $cut: $low <= $host <= $high"
		[ "$low" -le "$host" ] && [ "$host" -le "$high" ] && [ "$host" -gt 0 ] || return
	done </tmp/cuts
}

# $1: throttle
power_cuts() {
	rm -f /tmp/cuts /tmp/cut.*
	discard_meta "$META" && discard_meta "$META2" || return
	# shellcheck disable=SC2086 # words
	life_create one 0 drive first drive_meta "$META" $CUT drive_throttle "$1" || return
	job_start one --rw=randwrite --iodepth=4 --size=16M
	wait_for -t 20 is_written 2 || return
	# moments spread over a period, repeatable
	awk -v n="$CUTS" -v p="$PERIOD_S" 'BEGIN { srand(1); for (i = 1; i <= n; i++) print i, p * rand() }' >/tmp/moments
	while read -r cut moment; do cut_power "$cut" "$moment"; done </tmp/moments
	jobs_stop && dm_remove one && [ "$(wc -l </tmp/cuts)" -eq "$CUTS" ] && check_cuts "$1"
}

slow_disk "$DATA_MB" memory_backed || skip_all "no null_blk"
DATA=$NULL_BLK
null_blk_create 1 memory_backed || skip_all "no null_blk"
META=$NULL_BLK
null_blk_create 1 memory_backed || skip_all "no null_blk"
META2=$NULL_BLK

check "a stream appears" life_create one 0
check_fails "without endurance there is nothing to save" cat "$(state_file one)"
check "neither at the begin nor further on" nothing_further_on
dd if=/dev/zero of=/tmp/zeroes bs=$STATE_BYTES count=1 2>/dev/null
check "or to load" qos_refused "wear is not counted" loads /tmp/zeroes
# shellcheck disable=SC2086 # words
check "it gets a lifetime" dmsetup message one 0 set $FAST
job_start one --rw=randwrite --iodepth=4
check "writes are delayed" wait_for is_delayed
check "life gets slower, and writes end" slow_down
check "saves" saves
check "a new drive has a new life" starts_anew
check "loads" loads /tmp/state
check_equal "what the other one had" "$before" "$(same_life)"
check_between "its age" "$age" "$(life one age_s)" $((age + 60))
cat "$(state_file one)" >/tmp/again
check_equal "its history" "$(history_of /tmp/state)" "$(history_of /tmp/again)"
check "a reload changes nothing" reloads_as_it_was
check "zeroes are no state" refuses "not one" /tmp/zeroes
check "a bit is wrong" flip 300
check "refused" refuses "broken" /tmp/broken
check "another kind of file" flip 2
check "refused" refuses "not one" /tmp/broken
check "pieces from the middle are refused" from_the_middle
check "a state that is cut short is refused" too_short 30000
check "and one that is a little too short" too_short $((STATE_BYTES - 1))
check "and small pieces" in_small_pieces
check "a header alone changes nothing" ends_with_block $HEADER_BYTES
check "nor does one that ends with a block" ends_with_block $((STATE_BYTES - HEADER_BYTES))
check "the whole state is taken yet" loads /tmp/state
check "a history that is broken" flip 20000
check "costs only the history" loads /tmp/broken
check_equal "and nothing else" "$(echo "$before" | head -n 2)" "$(same_life | head -n 2)"
check "removal" dm_remove one

# shellcheck disable=SC2086 # words
check "a metadata device" life_create one 0 drive_meta "$META" $SLOW
check "stands in the table" named_in_table
check "is written at once" wait_for is_written 0
check "writes" write_mb one 2
check_equal "are charged" $((2 * 1048576)) "$(life one host_bytes)"
check "life survives removal" lives_on
check "more writes" write_mb one 1
check "it survives again" lives_on
check_equal "all of it" $((3 * 1048576)) "$(life one host_bytes)"
check "it survives tables without the device" reloads_without
check "a second device is refused" refuses_meta "the drive has '.*' already" "$META2"
check "one that another drive uses is refused" refuses_meta "that of another drive" "$META" drive other
check "the device of the data is refused" refuses_meta "has the data on it" "$DATA" drive other
check "a stream of another drive" life_create own $((DATA_MB / 2)) drive other
check "is refused by that" refuses_meta "is on the drive" /dev/mapper/own drive other
check "and by itself" refuses_itself own
check "removal" dm_remove own
dm_create tiny "0 136 linear $META2 0"
check "one that is too small is refused" refuses_meta "too small" /dev/mapper/tiny drive other
dm_remove tiny
printf 'somebody' | dd of="$META2" bs=1 seek=1080 conv=notrunc,fsync 2>/dev/null
check "a foreign one is refused and stays as it is" refuses_meta "something else on it" "$META2" drive other
check "one named twice is refused" refuses_meta "one too many" "$META2" drive other drive_meta "$META2"
check "a torn header costs a period" torn_header
check "removal" dm_remove one
check "a device that fails is not the end" meta_fails
check "removal" dm_remove one
dm_remove flaky
check "a device that hangs" meta_hangs
check "holds up no change of parameters" ends_meanwhile dmsetup message one 0 weight 150
check "nobody who looks" ends_meanwhile dmsetup status one
check "and no write" ends_meanwhile write_mb one 1
check "what it missed is written in the end" is_written_when_resumed
wait
check "removal" dm_remove one
dm_remove hanging

check "power cuts without throttling" power_cuts none
check "power cuts with throttling" power_cuts ready_opt
ktap_done
