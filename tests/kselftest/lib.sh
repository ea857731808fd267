# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Helpers of the test scripts that run in the virtual machine (busybox sh).
# A script prints one KTAP line per check:
#
#	. "${0%/*}/lib.sh"
#	null_blk_create 64
#	check "a linear device appears" dm_create lin "0 8 linear $NULL_BLK 0"
#	ktap_done
#
# What a helper has created is removed when the script ends, newest first.

KTAP_COUNT=0
KTAP_FAILED=0
CLEANUPS=
CHECK_OUT=/tmp/check.$$

# Exit status that tells "cannot run here" from "failed" (as kselftest has it).
KSFT_SKIP=4
WAIT_STEP_S=0.02
# Only what fails takes so long; on the debug kernel fio takes seconds to begin.
WAIT_DEFAULT_S=30
NULL_BLK_DIR=/sys/kernel/config/nullb
# shellcheck disable=SC2034 # for the scripts
SECTORS_PER_MB=2048

# The shell takes busybox's own programs before those of the same name, and these take an emulated machine many times as
# long: a second for a MiB of "yes", where these take some milliseconds.
cmp() { /usr/bin/cmp "$@"; }
yes() { /usr/bin/yes "$@"; }
md5sum() { /usr/bin/md5sum "$@"; }
head() { /usr/bin/head "$@"; }

diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# Announces the number of checks; the host complains if another number came.
ktap_plan() { echo "1..$1"; }

ktap_ok() {
	KTAP_COUNT=$((KTAP_COUNT + 1))
	echo "ok $KTAP_COUNT - $1"
}

# $1: name, $2: what was seen (optional)
ktap_fail() {
	KTAP_COUNT=$((KTAP_COUNT + 1))
	KTAP_FAILED=$((KTAP_FAILED + 1))
	[ -z "${2-}" ] || diag "$2"
	echo "not ok $KTAP_COUNT - $1"
}

# $1: name, $2: reason
ktap_skip() {
	KTAP_COUNT=$((KTAP_COUNT + 1))
	echo "ok $KTAP_COUNT - $1 # SKIP $2"
}

# Nothing in this script can run here.  $1: reason
skip_all() {
	echo "1..0 # SKIP $1"
	exit "$KSFT_SKIP"
}

# Last line of a script.
ktap_done() {
	[ "$KTAP_FAILED" -eq 0 ]
	exit
}

# One check: the command succeeds.  $1: name, the rest: command
# It runs in this shell, so that what it sets and creates stays known.
check() {
	check_name=$1
	shift
	"$@" >"$CHECK_OUT" 2>&1
	check_status=$?
	if [ "$check_status" -eq 0 ]; then
		ktap_ok "$check_name"
	else
		ktap_fail "$check_name" "$* -> status $check_status: $(cat "$CHECK_OUT")"
	fi
}

# One check: the command fails.
check_fails() {
	check_name=$1
	shift
	if "$@" >"$CHECK_OUT" 2>&1; then
		ktap_fail "$check_name" "$* succeeded: $(cat "$CHECK_OUT")"
	else
		ktap_ok "$check_name"
	fi
}

# One check: two texts are equal.  $1: name, $2: wanted, $3: seen
check_equal() {
	if [ "$2" = "$3" ]; then
		ktap_ok "$1"
	else
		ktap_fail "$1" "wanted '$2', got '$3'"
	fi
}

# One check: low <= number <= high.  $1: name, $2: low, $3: number, $4: high
check_between() {
	if awk -v low="$2" -v x="$3" -v high="$4" \
		'BEGIN { exit !(x ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && low + 0 <= x + 0 && x + 0 <= high + 0) }'; then
		ktap_ok "$1"
	else
		ktap_fail "$1" "$3 is not between $2 and $4"
	fi
}

# Adds a command that runs at the end, before those added earlier.
on_exit() {
	CLEANUPS="$*
$CLEANUPS"
}

run_cleanups() {
	cleanup_status=$?
	trap - EXIT
	printf '%s' "$CLEANUPS" >"/tmp/cleanup.$$"
	while read -r cleanup_line; do
		[ -z "$cleanup_line" ] || eval "$cleanup_line" </dev/null >/dev/null 2>&1
	done <"/tmp/cleanup.$$"
	rm -f "/tmp/cleanup.$$" "$CHECK_OUT"
	exit "$cleanup_status"
}
trap run_cleanups EXIT
trap 'exit 1' HUP INT TERM

# The whole script is skipped where a program is missing.
require_cmd() {
	for required in "$@"; do
		command -v "$required" >/dev/null || skip_all "no $required in this image"
	done
}

require_module() {
	for required in "$@"; do
		modprobe -q "$required" 2>/dev/null || [ -d "/sys/module/$(echo "$required" | tr - _)" ] ||
			skip_all "kernel has no $required"
	done
}

require_target() {
	dmsetup targets | grep -q "^$1 " || skip_all "no device-mapper target $1"
}

# Ours, with all checkers in it; each command takes many times longer there.
is_debug_kernel() { case $(uname -r) in *-ssdqos-debug) ;; *) false ;; esac; }

require_virtual_clock() {
	[ "${SSDQOS_CLOCK-}" = virtual ] || skip_all "needs the virtual clock"
}

# Waits until a command succeeds, at most some seconds.
# [-t SECONDS] command...
wait_for() {
	wait_left_s=$WAIT_DEFAULT_S
	if [ "$1" = -t ]; then
		wait_left_s=$2
		shift 2
	fi
	read_uptime
	wait_end_ms=$((UPTIME_MS + wait_left_s * 1000))
	until "$@" >/dev/null 2>&1; do
		read_uptime
		[ "$UPTIME_MS" -lt "$wait_end_ms" ] || return 1
		sleep "$WAIT_STEP_S"
	done
}

# Sets UPTIME_MS; without a fork, which takes long in an emulated machine.
read_uptime() {
	read -r uptime_s uptime_idle </proc/uptime
	# a fraction such as 08 is not octal
	UPTIME_MS=$((${uptime_s%.*} * 1000 + 1${uptime_s#*.}0 - 1000))
}

now_ms() {
	read_uptime
	echo "$UPTIME_MS"
}

# ---- chance ----

# What draw's numbers are below.
DRAW_MOST=8388608
DICE_MASK=2147483647
# Sets DRAWN to a number below $1, by DICE, which is the seed at first.
draw() {
	DICE=$(((DICE * 1103515245 + 12345) & DICE_MASK))
	DRAWN=$(((DICE >> 8) % $1))
}

sleep_ms() { sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"; }

# ---- storms: several jobs that do something again and again ----

# What is shown of a job that failed.
STORM_TAIL_LINES=5
# Lines: job, how often it was done.
STORM_TURNS=/results/storm-turns

# Their time begins.  $1: seconds
storm_begin() { STORM_END_MS=$(($(now_ms) + $1 * 1000)); }
storms() { [ "$(now_ms)" -lt "$STORM_END_MS" ]; }

# Loops until the storm is over; counts the turns in $turns, and notes them in the end.
# $1: name, the rest: command
during_storm() {
	storm_name=$1
	shift
	turns=0
	while storms; do
		"$@" >"/tmp/storm.$storm_name" 2>&1 || { echo "$* failed" >>"/tmp/storm.$storm_name"; return 1; }
		turns=$((turns + 1))
	done
	echo "$storm_name $turns" >>"$STORM_TURNS"
	[ "$turns" -gt 0 ]
}

# A job of the storm.  $1: its name, one word, the rest: command that it repeats
storm_job() {
	during_storm "$@" &
	STORM_JOBS="${STORM_JOBS-} $!:$1"
}

# $1: process of a job, $2: its name
storm_held_out() {
	wait "$1" && return
	tail -n "$STORM_TAIL_LINES" "/tmp/storm.$2"
	return 1
}

# One check for each job: it went on until the end.
storm_end() {
	for storm_job in $STORM_JOBS; do
		check "${storm_job#*:} holds out" storm_held_out "${storm_job%%:*}" "${storm_job#*:}"
	done
	STORM_JOBS=
}

# ---- devices ----

# A null_blk disk; sets NULL_BLK to its device.
# $1: size in MB, then "memory_backed" and key=value attributes of configfs
null_blk_create() {
	[ -d "$NULL_BLK_DIR" ] || modprobe null_blk nr_devices=0 || return
	NULL_BLK_COUNT=$((${NULL_BLK_COUNT:-0} + 1))
	null_dir=$NULL_BLK_DIR/ssdqos$NULL_BLK_COUNT
	mkdir "$null_dir" || return
	on_exit "null_blk_remove $null_dir"
	echo "$1" >"$null_dir/size" || return
	shift
	for null_attribute in "$@"; do
		[ "$null_attribute" != memory_backed ] || null_attribute=memory_backed=1
		echo "${null_attribute#*=}" >"$null_dir/${null_attribute%%=*}" || return
	done
	echo 1 >"$null_dir/power" || return
	# 6.12 names the disk after the directory, 6.1 by its index.
	NULL_BLK=/dev/nullb$(cat "$null_dir/index")
	[ -b "$NULL_BLK" ] || NULL_BLK=/dev/ssdqos$NULL_BLK_COUNT
	[ -b "$NULL_BLK" ]
}

null_blk_remove() {
	echo 0 >"$1/power"
	rmdir "$1"
}

# Sets NODE to the directory in sysfs of a mapped device; fails where there is
# none of that name.  $1: name
find_node() {
	for NODE in /sys/block/dm-*; do
		read -r node_name 2>/dev/null <"$NODE/dm/name" && [ "$node_name" = "$1" ] && return
	done
	NODE=
	return 1
}

# $1: name, $2: table line(s)
dm_create() {
	printf '%s\n' "$2" | dmsetup create "$1" || return
	on_exit "dm_remove $1"
}

dm_remove() {
	! find_node "$1" || dmsetup remove --retry "$1"
}

sectors() { blockdev --getsz "$1"; }

# Waits until an emulated drive has nothing left to do ("save" does not): what it counts stays
# the same for a while.  $1: name
flash_settle() {
	settle_same=0
	settle_was=
	for settle_try in $(seq 600); do
		settle_now=$(dmsetup status "$1" | tr ' ' '\n' | grep -v '^time_ns=')
		[ "$settle_now" = "$settle_was" ] || settle_same=0
		settle_was=$settle_now
		settle_same=$((settle_same + 1))
		[ "$settle_same" -lt 4 ] || return 0
		sleep 0.1
	done
	echo "busy after $settle_try looks"
	return 1
}
