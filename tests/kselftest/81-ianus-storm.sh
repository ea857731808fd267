#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 400
# program: tests/kselftest/trim-model.c:/usr/bin/trim-model
# Several CPUs write, read, flush and discard a mirror and verify what they read, while its
# members fail and return, parameters and tables change, and it is suspended.  In the end
# all members have the same bytes.  The campaign (./run campaign ianus storm) does it for longer.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

STORM_S=15
# shellcheck disable=SC1091 # written by the host
[ ! -r "${0%/*}/ianus-settings.sh" ] || . "${0%/*}/ianus-settings.sh"
# What each job has for itself, and what is left is nobody's.
PART_MB=8
PART_SECTORS=$((PART_MB * SECTORS_PER_MB))
MODEL_SECTORS=4096
MODEL=3
# A member's disk loses what it was not flushed.
CACHE_MB=4
COMES_AND_GOES=3
# Copying begins again with each table, and the rest of the machine may take most of it.
RETURN_S=120

require_smp
require_target ssdqos-ianus
require_cmd fio
MEMBER_MB=32

mirror() { ianus_create switch_ms 50 cache_kib 2048 rebuild_mb_s 0 max_errors 4 "$@"; }
part_line() { echo "0 $PART_SECTORS linear $M $(($1 * PART_SECTORS))"; }

# ---- what is done to data ----

# $1: part, the rest: options
load() {
	load_part=$1
	shift
	fio --name=job --ioengine=io_uring --direct=1 --thread --filename="/dev/mapper/p$load_part" --rw=randrw \
		--bsrange=4k-64k --blockalign=4k --iodepth=16 --size=4M --verify=crc32c --verify_fatal=1 --do_verify=1 \
		--randseed="$(now_ms)" "$@"
}
load_plain() { load 0; }
load_fsync() { load 1 --fsync=8; }
load_fua() { load 2 --ioengine=sync --sync=1 --size=1M; }
model() { trim-model -a 8 -u -s 8 "/dev/mapper/p$MODEL" "$MODEL_SECTORS" "$(now_ms)"; }

# ---- what is done to the mirror ----

failed() { is_state "$1" failed; }
# A table that was loaded anew begins with all members, so it may be back already.
joins() { dmsetup message m 0 "$2" "$1" || ! failed "$1"; }
comes_back() { wait_for -t "$RETURN_S" joins "$1" "$2" && wait_for -t "$RETURN_S" is_whole; }
# Another table may just have made it the only one that has all: then it has to stay for a moment.
gives_up() { wait_for -t "$RETURN_S" dmsetup message m 0 fail "$1"; }
# One after the other, and each in another way.
members() {
	who=$((turns % MEMBER_COUNT))
	how="join"
	case $((turns % 4)) in
	0) gives_up "$who" ;;
	1) leg_becomes "$who" error ;;
	2) leg_becomes "$who" "flakey 0 1 1 error_writes" ;;
	3) gives_up "$who" && how=rebuild ;;
	esac || return
	# where nothing is written, nobody sees it
	wait_for -t 2 failed "$who"
	leg_becomes "$who" linear && comes_back "$who" "$how"
}
parameters() {
	dmsetup message m 0 switch_ms $((turns % 10 * 20 + 20)) && dmsetup message m 0 idle_ms $((turns % 3 * 5)) &&
		dmsetup message m 0 depth $((turns % 16 + 1)) && dmsetup message m 0 run_kib $((4 << turns % 7)) &&
		dmsetup message m 0 throttle off && dmsetup message m 0 throttle on && dmsetup message m 0 idle_ms 0
}
# Two who resume the same would be in each other's way.
tables() {
	dmsetup suspend m && dmsetup resume m && dmsetup suspend --noflush --nolockfs m && dmsetup resume m &&
		ianus_reload switch_ms 50 cache_kib $((1024 << turns % 3)) rebuild_mb_s 0 max_errors 4
}
# As many words as the table line says, behind members and metadata, $1: sectors, target, how many
words_fit() {
	shift $((2 + 2 + 2 * MEMBER_COUNT + 1))
	words=$1
	shift
	[ $# -eq "$words" ] || { echo "$words words, it says, and has: $*" && return 1; }
}
# Files of sysfs come and go with each suspend.
look() {
	# shellcheck disable=SC2046 # words
	[ "$(dmsetup status | grep -c ssdqos-ianus)" = 1 ] && words_fit $(dmsetup table m) && find_node m || return
	find "$NODE/ssdqos" -type f -exec cat {} + >/dev/null 2>&1
	return 0
}

# What was discarded may differ.
written_again() { dd if=/dev/zero of="/dev/mapper/p$MODEL" bs=64k oflag=direct 2>/dev/null || [ $? -eq 1 ]; }
# What is flushed at a member leaves the cache.
flushed() { dd if=/dev/null of="$M" conv=notrunc,fsync 2>/dev/null && is_empty; }
whole() { wait_for is_whole && wait_for flushed; }

slow_mirror() { ianus_create switch_ms 50 cache_kib 2048 rebuild_mb_s 1; }
load_mirror() { fio_run --filename="$M" --rw=randwrite --bs=4k --size=1M; }
# It is told of things while it is suspended, and goes.
goes_suspended() {
	slow_mirror && load_mirror && dmsetup suspend m && dmsetup message m 0 fail 1 &&
		dmsetup message m 0 switch_ms 20 && dmsetup remove m
}
# It goes while parts of a member are copied.
goes_copying() {
	slow_mirror && dmsetup message m 0 fail 1 && wait_for dmsetup message m 0 rebuild 1 && dm_remove m
}
comes_and_goes() {
	for round in $(seq "$COMES_AND_GOES"); do
		if ! goes_suspended || ! goes_copying; then
			echo "in round $round"
			return 1
		fi
	done
}

check "members and a metadata device" legs_create 3 cache_size="$CACHE_MB" irqmode=2 completion_nsec=20000
check "a mirror" mirror
check "which is whole" whole
for part in 0 1 2 "$MODEL"; do
	check "part $part" dm_create "p$part" "$(part_line "$part")"
done
storm_begin "$STORM_S"
for what in load_plain load_fsync load_fua model members parameters tables look; do
	storm_job "$what" "$what"
done
storm_end
diag "$(cat /tmp/storm.model)"
dmsetup status m >/results/mirror
diag "$(cat /results/mirror)"
check "all that was discarded is written again" written_again
check "all is whole in the end" whole
check "all members have the same" suspended_agree
check_equal "no data were lost" "0 0" "$(gauge m lost_regions) $(gauge m broken)"
for part in 0 1 2 "$MODEL"; do
	check "part $part goes" dm_remove "p$part"
done
check "the mirror goes" dm_remove m
check "others come, and go in the midst of things" comes_and_goes
ktap_done
