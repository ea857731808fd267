#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# include: tests/kselftest/lib.sh
# include: tests/kselftest/lib-flash.sh
# include: tests/kselftest/lib-qos.sh
# Two clients on one drive: a shop that reads, later a backup that writes beside
# it, later a promise for the shop.  /demo.conf says how long and how much,
# /demo.profile is what requests cost on this drive.
# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=/dev/null
. /demo.conf

# The clock of /proc/uptime, so that all times can be compared.
CLOCK_MONOTONIC=1

# Every request is in the log, with the latency that the client has seen.
# $1: client, $2: seconds, the rest: its load
client() {
	client_name=$1 client_s=$2
	shift 2
	fio --name="$client_name" --filename="/dev/mapper/$client_name" --direct=1 --ioengine=libaio --thread \
		--norandommap --randseed=1 --time_based --runtime="$client_s" "$@" \
		--write_lat_log="/results/$client_name" --disable_clat=1 --disable_slat=1 \
		--log_alternate_epoch=1 --log_alternate_epoch_clock_id="$CLOCK_MONOTONIC" \
		--output-format=json --output="/results/$client_name.fio.json" >/dev/null &
	CLIENTS="${CLIENTS-} $!"
}

clients_end() {
	for client_pid in $CLIENTS; do wait "$client_pid" || return; done
}

profile() { grep -vE '^(#|meta|fit)' /demo.profile | load_profile shop; }
# The shop has begun.
runs() { [ "$(requests shop)" -gt 0 ]; }
# Would it fit?  $1: file for the answer, the rest: the promise
ask() {
	ask_file=$1
	shift
	dmsetup message shop 0 admit "$@" >"/results/$ask_file"
}

half_mb=$((SIZE_MB / 2))
check "a disk" null_blk_create "$SIZE_MB"
# shellcheck disable=SC2086 # a list of keys and values
check "an emulated SSD on it" flash_create ssd "$NULL_BLK" $DRIVE_ARGS
check "a client on its first half" qos_create shop /dev/mapper/ssd 0 "$half_mb"
check "and one on the second" qos_create backup /dev/mapper/ssd "$half_mb" "$half_mb"
check "the drive's profile" profile
# shellcheck disable=SC2086 # words, also below
client shop $((ALONE_S + TOGETHER_S + PROMISED_S)) $SHOP_LOAD
wait_for runs
sleep "$ALONE_S"
now_ms >/results/together
# shellcheck disable=SC2086
client backup $((TOGETHER_S + PROMISED_S)) $BACKUP_LOAD
sleep "$TOGETHER_S"
# shellcheck disable=SC2086
check "what is said to more than it can do" ask refused $TOO_MUCH
# shellcheck disable=SC2086
check "what is said to what it can do" ask admit $PROMISE
# shellcheck disable=SC2086
check "the promise" dmsetup message shop 0 set $PROMISE
now_ms >/results/promised
check "the clients come to their end" clients_end
for name in shop backup; do dmsetup status "$name" >"/results/$name.status"; done
dmsetup table >/results/tables
ktap_done
