#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# Streams come, print the line that makes them again, and go; what is wrong is
# refused in one sentence and changes nothing.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"

# One set of arguments in a line.
ARGUMENT_SETS='util_ppm 250000
max_iops 1000 burst_ms 0
max_mb_s 100 weight 300
op write pattern seq block_bytes 65536 window_ms 3000 confidence_permille 950
drive_queue_depth 8 drive_mode strict drive_best_effort_permille 100
drive_overcommit on drive_drift_pct 0 drive_foreign_pct 0
drive_credit_ms 5 drive_flush_ns 1000000
drive ssd1 weight 7
drive a.b_c-d'

# The table that a stream prints makes the same stream again.  $@: arguments
round_trip() {
	qos_create first "$NULL_BLK" 0 32 "$@" || return
	made=$(dmsetup table first)
	for key in "$@"; do
		case " $made " in
		*" $key "*) ;;
		*) echo "'$key' is not in '$made'" && return 1 ;;
		esac
	done
	dm_remove first && dm_create first "$made" || return
	check_made=$(dmsetup table first)
	dm_remove first
	[ "$made" = "$check_made" ] || { printf 'first %s\nthen %s\n' "$made" "$check_made"; return 1; }
}

plain_line() { qos_create first "$NULL_BLK" 1 32 weight 100 op read && dmsetup table first | grep -q ' 2048 0$' && dm_remove first; }

# $1: words, the rest: arguments
refuses() {
	refuses_words=$1
	shift
	qos_refused "$refuses_words" qos_create bad "$NULL_BLK" 0 32 "$@"
}

# A refused message leaves the line as it was.  $1: words, the rest: message
refuses_message() {
	refuses_words=$1
	shift
	before=$(dmsetup table live)
	qos_refused "$refuses_words" dmsetup message live 0 "$@" && [ "$before" = "$(dmsetup table live)" ]
}

null_blk_create 64
echo "$ARGUMENT_SETS" >/tmp/sets
while read -r set; do
	# shellcheck disable=SC2086 # words
	check "'$set' comes back from the table" round_trip $set
done </tmp/sets
check "defaults need not be printed" plain_line

check "a key that is none" refuses "'speed' is not a parameter" speed 5
check "a value out of range" refuses 'weight.*10001' weight 10001
check "a word for a number" refuses 'max_iops.*many' max_iops many
check "two guarantees" refuses 'only one of them' util_ppm 5 min_iops 5
check "a guarantee above the limit" refuses 'max_iops' min_iops 100 max_iops 50
check "a rate without a profile" refuses 'needs a profile' min_iops 100
check "more than there is" refuses 'can be reserved' util_ppm 1000000
check "a drive that is not named first" refuses 'first key' weight 5 drive ssd1
check "a name of a drive with a colon" refuses 'not a name' drive 8:16
check "a name that is too long" refuses 'not a name' drive 01234567890123456789012345678901
check "an offset that is no number" qos_refused "'x' is not a number" dm_create bad "0 2048 ssdqos $NULL_BLK x"
check_fails "a key without a value" qos_create bad "$NULL_BLK" 0 32 weight
check_fails "a line without an offset" dm_create bad "0 2048 ssdqos $NULL_BLK"
check_fails "a device that is not there" dm_create bad "0 2048 ssdqos /dev/none 0"
check "nothing is left of all that" [ -z "$(dmsetup ls | grep -v 'No devices')" ]

check "a stream appears" qos_create live "$NULL_BLK" 0 32 util_ppm 400000
check "it says what it has" [ "$(gauge live state) $(gauge live util_ppm) $(gauge live used_ppm)" = "reserved 400000 400000" ]
check "and what is left" [ "$(gauge live free_ppm)" = 590000 ]
check "its drive is the disk" [ "$(gauge live drive)" = "$(cat "/sys/block/${NULL_BLK#/dev/}/dev")" ]
check "a message that is none" refuses_message "'jump' with 0 arguments is not a message" jump
check "a message without a value" refuses_message "every parameter needs a value" set weight 5 max_iops
check "a wrong one of two values" refuses_message "weight" set max_iops 5 weight 0
check "more than there is, later" refuses_message "can be reserved" util_ppm 999000
check "a profile that is none" refuses_message "profile" profile gibberish
check "a message retunes" dmsetup message live 0 weight 50
check "two at a time" dmsetup message live 0 set util_ppm 500000 max_iops 7
check_equal "the table says so" "0 65536 ssdqos $(cat "/sys/block/${NULL_BLK#/dev/}/dev") 0 6 util_ppm 500000 max_iops 7 weight 50" "$(dmsetup table live)"
check "requests pass" fio_run --filename=/dev/mapper/live --rw=randrw --bs=4k --iodepth=4 --number_ios=4 --size=32M
ktap_done
