#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# include: /usr/bin/setpriv:/usr/bin/setpriv
# What is wrong in a table line, a message or sysfs is refused with one
# sentence that names the argument, the value and what is allowed, and changes
# nothing; what is right is taken everywhere.
#
# Each value of each parameter is tried in user space (tests/unit/test_config.c);
# here each parameter is refused once by each way, and one of each kind in full.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

HUGE=18446744073709551616
LONG=123456789012345678901234567890123456789012345678901234567890
BAD_VALUES="nonsense -1 1.5 0x10 7q $HUGE $LONG"

# Puts in ALLOWED what the sentence about a bad value says is allowed, and in
# LOW and HIGH the range of a number.  $1: parameter
learn_range() {
	kmsg_mark
	dmsetup create other --table "$(flash_line "$OTHER" "$SECTORS" "$1" nonsense)" && return 1
	ALLOWED=$(kmsg_new | sed -nE "s/.*: $1: 'nonsense' is not (a number from [0-9]+ to [0-9]+|one of .*).*/\1/p")
	LOW=$(echo "$ALLOWED" | sed -n 's/a number from \([0-9]*\) to .*/\1/p')
	HIGH=$(echo "$ALLOWED" | sed -n 's/a number from .* to \([0-9]*\)/\1/p')
	[ -n "$ALLOWED" ]
}

# As root in a container that has not got this from its host.  $1: file, $2: text
refused_without_admin() {
	! /usr/bin/setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin sh -c "echo '$2' >'$1'" 2>/tmp/refused &&
		grep -i "not permitted" /tmp/refused
}

# Values that the parameter can't have: in full, or two of them.  $1: parameter
bad_values() {
	if [ "$1" = "$LIVE_IN_FULL" ] || [ "$1" = "$CREATE_IN_FULL" ]; then
		echo "$BAD_VALUES"
		[ -z "$LOW" ] || [ "$LOW" = 0 ] || echo $((LOW - 1))
	else
		echo nonsense
	fi
	# the shell counts to 2^63
	[ -z "$HIGH" ] || [ ${#HIGH} -gt 18 ] || echo $((HIGH + 1))
}

by_line() { dmsetup create other --table "$(flash_line "$OTHER" "$SECTORS" "$1" "$2")"; }
by_message() { dmsetup message -- drive 0 "$1" "$2"; }
by_sysfs() { put "$PARAMS/$1" "$2"; }

# $1: by_line, by_message or by_sysfs, $2: parameter
refuses_bad() {
	before=$(dmsetup table drive)
	wanted=0
	: >/tmp/wanted
	kmsg_mark
	for value in $(bad_values "$2"); do
		"$1" "$2" "$value" && echo "took '$value'" && return 1
		echo "ssdqos-flash: $2: '$value' is not $ALLOWED" >>/tmp/wanted
		wanted=$((wanted + 1))
	done
	kmsg_new | grep 'ssdqos-flash: .*: ' | grep -v 'table: ' >/tmp/seen
	[ "$(grep -cF -f /tmp/wanted /tmp/seen)" = "$wanted" ] || {
		echo "wanted $(cat /tmp/wanted) seen $(cat /tmp/seen)"
		return 1
	}
	[ ! -e /dev/mapper/other ] && [ "$before" = "$(dmsetup table drive)" ]
}

refuses_empty() {
	for empty in "" " "; do
		refused_with "$1: '' is not" by_sysfs "$1" "$empty" || return
	done
}

refuses_later() { refused_with "$1: '$2' can't be set on a running drive" by_message "$1" "$2"; }

# Two values to set one after the other: not the one that it has, and then that or
# another one.
other_value() {
	now=$(cat "$PARAMS/$1")
	case $ALLOWED in
	"one of "*)
		others=$(echo "${ALLOWED#one of }" | tr -d , | tr ' ' '\n' | grep -vx "$now")
		echo "${others%%[!a-z_]*}" "$now"
		;;
	*) echo $((now + 1)) $((now + 2)) ;;
	esac
}

# A live parameter takes a value from a message and another one from sysfs.
takes() {
	read -r first second <<-END
		$(other_value "$1")
	END
	old=$(cat "$PARAMS/$1")
	by_message "$1" "$first" && shows "$1" "$first" &&
		by_sysfs "$1" "$second" && shows "$1" "$second" &&
		by_sysfs "$1" "$old" && shows "$1" "$old"
}

# sysfs says so, and the table, unless the preset says the same.
shows() {
	[ "$(cat "$PARAMS/$1")" = "$2" ] || return
	case $(dmsetup table drive) in
	*" $1 $2" | *" $1 $2 "*) ;;
	*" $1 "*) return 1 ;;
	*) [ "$2" = "$old" ] ;;
	esac
}

takes_suffixes() {
	by_message read_ns 1k && [ "$(cat "$PARAMS/read_ns")" = 1024 ] && by_sysfs read_ns " 50000 "
}

create_with() { dmsetup create other --table "0 $SECTORS ssdqos-flash $*"; }
refused_line() {
	name=$1
	words=$2
	shift 2
	check "line refused: $name" refused_with "$words" create_with "$@"
}

null_blk_create "$FLASH_MIN_MB" memory_backed || skip_all "no null_blk"
OTHER=$NULL_BLK
# What each parameter needs of the drive, so that all of them can take another value:
# planes take turns where there are stripes, which can move where they are written as a whole,
# and are suspended where they are apart; a burst is never, or not short.
check "a drive appears" flash_on_null drive "$FLASH_MIN_MB" \
	array_scope plane allocation static rain on rain_flush stripes gc_burst_ns 1000000
SECTORS=$(sectors "$OTHER")
PARAMS=$(flash_sysfs drive)/params
LIVE=$(param_names "${PARAMS%/*}" live)
CREATE=$(param_names "${PARAMS%/*}" create)
LIVE_IN_FULL=${LIVE%%[!a-z_]*}
CREATE_IN_FULL=page_kib
check "there are parameters of both kinds" test -n "$LIVE" -a -n "$CREATE"

for param in $CREATE; do
	check "$param: the line says what is allowed" learn_range "$param"
	check "$param: bad values in a table line" refuses_bad by_line "$param"
done
for param in $LIVE; do
	check "$param: the line says what is allowed" learn_range "$param"
	check "$param: bad values by message" refuses_bad by_message "$param"
	check "$param: bad values by sysfs" refuses_bad by_sysfs "$param"
	check "$param: nothing at all by sysfs" refuses_empty "$param"
	check "$param: takes another value" takes "$param"
done
for param in $CREATE; do
	check "$param: no message changes it" refuses_later "$param" "$(cat "$PARAMS/$param")"
done
check "binary suffixes and spaces" takes_suffixes

refused_line "nothing" "<dev> <offset> are required"
refused_line "no offset" "<dev> <offset> are required" "$OTHER"
refused_line "bad offset" "offset: '-1' is not a number" "$OTHER -1"
refused_line "offset with a tail" "offset: '8s' is not a number" "$OTHER 8s"
refused_line "no such device" "dev: '/dev/nothing' can't be opened" "/dev/nothing 0"
refused_line "count of arguments that is none" "#args: " "$OTHER 0 two"
refused_line "odd count of arguments" "#args: " "$OTHER 0 1 seed"
refused_line "count beyond the arguments" "#args: " "$OTHER 0 4 seed 1"
refused_line "arguments beyond the count" "#args: " "$OTHER 0 2 seed 1 read_ns 1"
refused_line "unknown key" "'colour' is not a parameter" "$OTHER 0 2 colour 1"
refused_line "empty-handed key" "'SEED' is not a parameter" "$OTHER 0 2 SEED 1"
refused_line "preset after another key" "preset: 'ttflash' has to be the first" \
	"$OTHER 0 4 seed 1 preset ttflash"
refused_line "an aged_bs that is no power of two" \
	"aged_bs: '12288' is not a power of two from 4096 to 1048576" "$OTHER 0 2 aged_bs 12288"
refused_line "page of 12 KiB" "page_kib: '12' is not 4, 8 or 16" "$OTHER 0 2 page_kib 12"
refused_line "block of 100 pages" "pages_per_block: '100' is not a power of two from" \
	"$OTHER 0 2 pages_per_block 100"
refused_line "garbage collection that stops before it starts" \
	"gc_stop_blocks: '8' is not more than gc_start_blocks" "$OTHER 0 2 gc_start_blocks 8"
refused_line "more planes than there are ids" "planes_per_chip: '16' makes more than" \
	"$OTHER 0 6 channels 64 chips_per_channel 64 planes_per_chip 16"
refused_line "too little over-provisioning" "op_permille: '5' leaves no workable drive" \
	"$OTHER 0 2 op_permille 5"
check_fails "a line beyond the device's end" create_with "$OTHER 8"

before=$(dmsetup table drive)
check "message refused: stop not above start" refused_with "gc_stop_blocks: '4' is not more" \
	by_message gc_stop_blocks 4
check "sysfs refused: start not below stop" refused_with "gc_stop_blocks: '8' is not more" \
	by_sysfs gc_start_blocks 8
for message in colour "colour 1" "read_ns" "read_ns 1 2" "save 1" "load 1" "reset_stats 1" \
	"age 1 2 3" "age 101" "age -1" "age x" "age 50 x"; do
	# shellcheck disable=SC2086 # words of a message
	check "message refused: $message" refused_with "'?${message%% *}'?[: ]" \
		dmsetup message -- drive 0 $message
done
check "who may not administer changes no parameter" refused_without_admin "$PARAMS/read_ns" 12345
check "nor the drive's state" refused_without_admin "$(flash_sysfs drive)/state" x
check_equal "all that changed nothing" "$before" "$(dmsetup table drive)"
check_equal "nothing else is left" "drive" "$(dmsetup ls | cut -f 1)"
ktap_done
