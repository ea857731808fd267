#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
# include: tests/kselftest/lib.sh:/tests/lib.sh
# include: tests/kselftest/lib-flash.sh:/tests/lib-flash.sh
# include: tests/kselftest/lib-qos.sh:/tests/lib-qos.sh
# include: tests/kselftest/lib-trim.sh:/tests/lib-trim.sh
# program: tests/kselftest/trim-model.c:/usr/bin/trim-model
# What the last power cut has left is what was written; then the same streams are written to
# until the next one.  The kernel's arguments say which boot this is, and whether it is the
# last; journals are on the second disk.

# shellcheck source=tests/kselftest/lib-qos.sh
. "${0%/*}/lib-qos.sh"
# shellcheck source=tests/kselftest/lib-trim.sh
. "${0%/*}/lib-trim.sh"

# Streams are on an emulated drive over the disk that stays, whose write buffer holds stripes back.
DATA=/dev/nvme0n1
STRIPES="preset ttflash op_permille 600 rain on rain_width 4 rotate on gc_blocking plane rain_flush stripes"
DISK=/dev/mapper/drive
JOURNALS=/dev/nvme1n1
NR_STREAMS=3
STREAMS=$(seq "$NR_STREAMS")
# Discards go soon, or later, or not before the machine has gone.
AGES_MS="20 1000 600000"
FIRST_BOOT=1
PAUSE_S=0.2
# Nobody waits for the end of it.
LONG_S=1000

# $1: name of an argument of the kernel's
argument() { tr ' ' '\n' </proc/cmdline | sed -n "s/^powercut_$1=//p"; }

# $1: stream, the rest: options
model() {
	model_stream=$1
	shift
	trim-model -j "$JOURNALS:$model_stream" "$@" "/dev/mapper/s$model_stream" "$MODEL_SECTORS" $((BOOT * NR_STREAMS + model_stream))
}
left() {
	model "$1" -c >/tmp/left
	left_status=$?
	cat /tmp/left
	return "$left_status"
}
goes_on() { model "$1" -s "$LONG_S" || echo "not ok - stream $1 goes on"; }
age_ms() { echo "$AGES_MS" | tr ' ' '\n' | sed -n "$((BOOT % 3 + 1))p"; }
keeps() { dmsetup message s1 0 set drive_trim batch drive_trim_age_ms "$(age_ms)" drive_trim_granule_kib $((BOOT % 2 * 1048576)); }
kept() { echo "# kept $(trim waiting) $(trim under_way)"; }
# The drive has units in its buffer whose stripes were not written out.
holds() { [ "$(gauge drive buffered_units)" -gt 0 ]; }
changes() {
	dmsetup message s2 0 trim_flush
	dmsetup suspend s3 && dmsetup resume s3
	dmsetup message s1 0 set drive_trim_depth $((changes_turn % 4 + 1))
}

BOOT=$(argument boot)
# shellcheck disable=SC2086 # words of a line
check "the drive appears" flash_create drive "$DATA" $STRIPES
for i in $STREAMS; do
	check "stream $i appears" dm_create "s$i" "$(storm_line "$i")"
	[ "$BOOT" -eq "$FIRST_BOOT" ] || {
		check "stream $i has what was written" left "$i"
		diag "$(cat /tmp/left)"
	}
done
if [ "$(argument last)" = 0 ]; then
	check "discards are kept" keeps
	for i in $STREAMS; do goes_on "$i" & done
	check "and stripes" wait_for holds
	echo "# running"
	changes_turn=0
	while :; do
		changes_turn=$((changes_turn + 1))
		kept
		[ $((changes_turn % 5)) -ne 0 ] || changes
		sleep "$PAUSE_S"
	done
fi
ktap_done
