#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# include: /usr/bin/stress-ng:/usr/bin/stress-ng
# include: /usr/bin/fs_mark:/usr/bin/fs_mark
# A file system on a linear device, and on a mirror whose members fail and return at random
# moments: the same programs work on it, it is clean afterwards, its files are as they were,
# and all members have the same bytes.  What fails on the linear device, too, is not the
# mirror's fault.  /results/programs has SIDE PROGRAM STATUS MS, /results/mirror the mirror's
# status.  The campaign (./run campaign ianus filesystems) says what to do more of.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"
# shellcheck source=tests/kselftest/lib-fs.sh
. "${0%/*}/lib-fs.sh"

FS=ext4
MODULES=
DURABILITY=strict
SEED=1
# Where members lie; without it they are in memory.
DISK=
MEMBER_MB=64
STRESSORS="dir fallocate hdd rename xattr"
STRESS_S=1
# Of them so many may fail on the linear device, too.
MAY_FAIL=0
PROGRAMS=fs_mark
PROGRAM_S=2
# shellcheck disable=SC1091 # written by the host
[ ! -r "${0%/*}/ianus-settings.sh" ] || . "${0%/*}/ianus-settings.sh"

MEMBER_COUNT=3
META_MB=2
JOURNAL_MB=16
DIR=/mnt/files
OVER=/tmp/over
# Between one thing that happens to a member and the next.
PAUSE_MOST_MS=600
# Of a program that hangs, and of copying or comparing all of a member.
PROGRAM_LIMIT_S=120
COPY_LIMIT_S=600
KEPT_FILES=24
KEPT_BYTES=65537
# Of what would fill the file system otherwise; of copy-file this is the least.
STRESS_BYTES=16m
COPY_BYTES=128m
STATUS_LATE=143
LOG_LINES=10

# ---- devices ----

# Sets PLACE to a device.  $1: name, $2: size in MB
place() {
	if [ -z "$DISK" ]; then
		null_blk_create "$2" memory_backed && PLACE=$NULL_BLK
	else
		dm_create "$1" "0 $(($2 * SECTORS_PER_MB)) linear $DISK $PLACED" || return
		PLACE=/dev/mapper/$1
		PLACED=$((PLACED + $2 * SECTORS_PER_MB))
	fi
}
places() {
	MEMBERS=
	PLACED=0
	for n in $(seq 0 $((MEMBER_COUNT - 1))); do
		place "member$n" "$MEMBER_MB" || return
		MEMBERS="$MEMBERS $PLACE 0"
	done
	place meta "$META_MB" && META=$PLACE && place journal "$JOURNAL_MB" && JOURNAL=$PLACE && place plain "$MEMBER_MB"
}
linear() { dm_create linear "0 $((MEMBER_MB * SECTORS_PER_MB)) linear $PLACE 0"; }
mirror() {
	set -- durability "$DURABILITY" switch_ms 200 cache_kib 8192 assume_same on
	[ "$DURABILITY" != journal ] || set -- "$@" journal "$JOURNAL"
	ianus_create "$@"
}

# ---- members ----

is_in() { ! is_state "$1" failed; }
# The last one that has all stays.
fails() { dmsetup message m 0 fail "$1" 2>/dev/null || is_in "$1"; }
joins() { is_in "$1" || dmsetup message m 0 join "$1"; }
pauses() { draw "$PAUSE_MOST_MS" && sleep_ms "$DRAWN"; }
is_even() { draw 2 && [ "$DRAWN" = 0 ]; }
# One member goes, and half of the time another one before it is back.
one_goes() {
	draw "$MEMBER_COUNT"
	goes=$DRAWN
	draw $((MEMBER_COUNT - 1))
	goes_too=$(((goes + 1 + DRAWN) % MEMBER_COUNT))
	pauses && fails "$goes" && pauses || return
	if is_even; then
		fails "$goes_too" && pauses && wait_for joins "$goes_too" || return
	fi
	wait_for joins "$goes" || return
	# half of the time the next one goes while this one is copied to
	is_even || wait_for -t "$COPY_LIMIT_S" is_whole
}
come_and_go() {
	while [ ! -e "$OVER" ]; do one_goes || return; done
}
come_and_go_begin() {
	DICE=$SEED
	come_and_go >/tmp/come_and_go 2>&1 &
	COMERS=$!
}
come_and_go_end() {
	touch "$OVER"
	wait "$COMERS" || { cat /tmp/come_and_go; dmsetup status m; return 1; }
}

# ---- what is done on file systems ----

# With stress-ng's own checks.  $1: stressor
stress() {
	case $1 in
	copy-file) set -- "$1" --copy-file-bytes "$COPY_BYTES" ;;
	fallocate | fiemap | hdd | iomix) set -- "$1" "--$1-bytes" "$STRESS_BYTES" ;;
	esac
	stress_name=$1
	shift
	stress-ng "--$stress_name" 1 --timeout "${STRESS_S}s" --verify --temp-path "$DIR" --no-rand-seed "$@"
}
dbench_runs() { dbench -D "$DIR" -t "$PROGRAM_S" 2; }
fs_mark_runs() { fs_mark -d "$DIR/fs_mark" -D 8 -n 100 -s 12345 -t 2 -S 1 -L "$PROGRAM_S" -l /tmp/fs_mark.log; }
bonnie_runs() { bonnie++ -d "$DIR" -s 64M -r 32M -n 1:20000:10:4 -f -u root -q; }
fio_runs() {
	fio_run --directory="$DIR" --nrfiles=4 --size=8M --rw=randrw --bsrange=1k-64k --ioengine=psync --direct=0 --fsync=16 \
		--verify=crc32c --verify_fatal=1 --do_verify=1
}

# A hang is a failure; all processes of it go.  $1: seconds, the rest: command
ends_within() {
	within_s=$1
	shift
	"$@" &
	within_job=$!
	(sleep "$within_s" && kill -TERM "$within_job") &
	within_guard=$!
	wait "$within_job"
	within_status=$?
	kill "$within_guard" 2>/dev/null
	wait "$within_guard" 2>/dev/null
	return "$within_status"
}
# $1: name, the rest: command
program() {
	program_name=$1
	shift
	program_begun=$(now_ms)
	ends_within "$PROGRAM_LIMIT_S" "$@" >/tmp/program.log 2>&1
	program_status=$?
	echo "$SIDE $program_name $program_status $(($(now_ms) - program_begun))" >>/results/programs
	program_judge
}
program_judge() {
	case $SIDE,$program_status,$FAILED_ON_LINEAR in
	*,0,*) ktap_ok "$SIDE: $program_name" ;;
	linear,"$STATUS_LATE",*) ktap_fail "$SIDE: $program_name" "not done in $PROGRAM_LIMIT_S s" ;;
	linear,*)
		FAILED_ON_LINEAR="$FAILED_ON_LINEAR $program_name "
		ktap_skip "$SIDE: $program_name" "status $program_status: $(tail -n 1 /tmp/program.log)"
		;;
	*,*" $program_name "*) ktap_skip "$SIDE: $program_name" "status $program_status, and fails on the linear device" ;;
	*) ktap_fail "$SIDE: $program_name" "status $program_status: $(tail -n "$LOG_LINES" /tmp/program.log)" ;;
	esac
}

mounts() { mkdir -p "$DIR" && mount -t "$FS" "$DEVICE" "$DIR" && on_exit "umount $DIR"; }
makes() { fs_make "$FS" "$DEVICE" && mounts; }
keeps() {
	mkdir "$DIR/kept" || return
	for n in $(seq "$KEPT_FILES"); do
		head -c $((KEPT_BYTES * n)) /dev/urandom >"$DIR/kept/$n" || return
	done
	kept_sums >/tmp/kept
}
kept_sums() { md5sum "$DIR"/kept/*; }
has_kept() { [ "$(kept_sums)" = "$(cat /tmp/kept)" ]; }
comes_again() { umount "$DIR" && echo 3 >/proc/sys/vm/drop_caches && mounts; }
# btrfs compares all it has with its checksums while it is mounted.
checks_mounted() {
	[ "$FS" != btrfs ] || { mkdir -p /var/lib/btrfs && btrfs scrub start -B "$DIR"; }
}
is_clean() {
	case $FS in
	ext4) e2fsck -fn "$DEVICE" ;;
	xfs) xfs_repair -n "$DEVICE" ;;
	btrfs) btrfs check "$DEVICE" ;;
	esac
}
is_silent() { ! fs_complaints; }

# ---- one side after the other ----

# $1: side, $2: device
works() {
	SIDE=$1
	DEVICE=$2
	check "$SIDE: $FS" makes
	check "$SIDE: files to be kept" keeps
	mkdir "$DIR/fs_mark"
	for name in $STRESSORS; do program "$name" stress "$name"; done
	for name in $PROGRAMS; do program "$name" "${name}_runs"; done
	check "$SIDE: it is mounted again" comes_again
	check "$SIDE: files are as they were" has_kept
	check "$SIDE: checksums are right" checks_mounted
	check "$SIDE: it is unmounted" umount "$DIR"
}
ends() {
	check "$SIDE: it is clean" is_clean
	check "$SIDE: nobody has complained" is_silent
}
has_failed() { [ "$(gauge m failures)" -gt 0 ]; }

require_target ssdqos-ianus
require_cmd stress-ng
FAILED_ON_LINEAR=
diag "seed $SEED"
# shellcheck disable=SC2086 # names
check "modules" fs_modules_load $MODULES
check "devices" places
check "a linear device" linear
works linear /dev/mapper/linear
ends
check_between "programs that fail there" 0 "$(echo "$FAILED_ON_LINEAR" | wc -w)" "$MAY_FAIL"
check "a mirror" mirror
come_and_go_begin
works mirror "$M"
check "members came and went up to here" come_and_go_end
check "all is copied" wait_for -t "$COPY_LIMIT_S" is_whole
ends
check "members have failed" has_failed
check "all members have the same" suspended_agree
check "they are compared" scrub -t "$COPY_LIMIT_S"
check_equal "nothing differs" 0 "$(gauge m differing_blocks)"
check_equal "nothing was lost" "0 0 0" "$(gauge m lost_regions) $(gauge m broken) $(gauge m meta_failed)"
dmsetup status m >/results/mirror
diag "$(gauge m failures) failures, $(gauge m copied_blocks) blocks copied"
ktap_done
