#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# Errors of the backing device reach the one who asked; a drive goes on.
# Where memory is short, a drive is made or is not.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

DRIVE=/dev/mapper/drive
BAD_SECTOR=8192
ATTEMPTS=20
FAULTS=/sys/kernel/debug

# $1: first sector, $2: read or write
touch_sector() {
	case $2 in
	read) dd if="$DRIVE" of=/dev/null bs=512 count=1 skip="$1" iflag=direct ;;
	write) dd if=/dev/zero of="$DRIVE" bs=512 count=1 seek="$1" oflag=direct ;;
	esac
}
fails_with_eio() { touch_sector "$1" "$2" 2>/tmp/dd && cat /tmp/dd && return 1; grep 'Input/output error\|I/O error' /tmp/dd; }

# Half of the drive is an error.
on_half_an_error() {
	half=$((SECTORS / 2))
	dm_create below "0 $half linear $NULL_BLK 0
$half $half error" && flash_create drive /dev/mapper/below
}

all_errors_counted() {
	fio_run --filename="$DRIVE" --rw=randrw --bs=4k --iodepth=16 --size=4M --offset=$((SECTORS * 256)) \
		--continue_on_error=all --output=/tmp/fio
	grep -q 'total=1024 ' /tmp/fio || grep -q 'err=.*1024' /tmp/fio || grep -i 'errors *: *total=1024' /tmp/fio
}

device_swapped() {
	dmsetup suspend below && dmsetup reload below --table "0 $SECTORS $1" && dmsetup resume below
}

comes_back() {
	device_swapped error && fails_with_eio 0 read && fails_with_eio 0 write &&
		device_swapped "linear $NULL_BLK 0" && touch_sector 0 read && touch_sector 0 write
}

stays_usable() {
	fio_run --filename="$DRIVE" --rw=randrw --bs=4k --iodepth=8 --size=4M --verify=crc32c --do_verify=1
}

# One process fails allocations; each attempt works, or leaves nothing.
# $1: failslab or fail_page_alloc
under_faults() {
	fault=$FAULTS/$1
	echo 8 >"$fault/probability"
	echo 1 >"$fault/interval"
	echo -1 >"$fault/times"
	echo 0 >"$fault/verbose"
	echo Y >"$fault/task-filter"
	echo N >"$fault/ignore-gfp-wait"
	[ ! -e "$fault/min-order" ] || echo 0 >"$fault/min-order"
	made=0
	failed=0
	attempt=0
	while [ "$attempt" -lt "$ATTEMPTS" ]; do
		if sh -c "echo 1 >/proc/self/make-it-fail; exec dmsetup create faulty --table \"$(flash_line "$NULL_BLK" "$SECTORS" aged_pct 50)\"" 2>/dev/null; then
			made=$((made + 1))
		else
			failed=$((failed + 1))
		fi
		wait_for gone || return
		attempt=$((attempt + 1))
	done
	echo 0 >"$fault/probability"
	echo "$made made, $failed failed"
	[ "$failed" -gt 0 ] && [ "$(users)" = 0 ]
}
gone() { dmsetup remove --retry faulty 2>/dev/null; ! dmsetup info faulty; }
users() { cut -d ' ' -f 1,3 /proc/modules | sed -n 's/^dm_ssdqos //p'; }

null_blk_create 96 memory_backed || skip_all "no null_blk"
SECTORS=$(sectors "$NULL_BLK")
check "a drive of which one half fails" on_half_an_error
for op in read write; do
	check "$op: the good half works" touch_sector 0 "$op"
	check "$op: the bad half fails" fails_with_eio $((SECTORS / 2 + 8)) "$op"
done
check "many errors at once all come back" all_errors_counted
check "the drive goes on" stays_usable
check "the model counted what failed" test "$(gauge drive reads)" -gt 100
check "errors begin and end with the device's" comes_back
dm_remove drive
dm_remove below

null_blk_create 96 memory_backed badblocks="+$BAD_SECTOR-$((BAD_SECTOR + 7))"
check "a drive with a bad block" flash_create drive "$NULL_BLK"
check "the bad block can't be read" fails_with_eio "$BAD_SECTOR" read
check "its neighbours can" touch_sector $((BAD_SECTOR + 8)) read
dm_remove drive

if modprobe -q dm-flakey; then
	check "a flaky device" dm_create below "0 $SECTORS flakey $NULL_BLK 0 0 100"
	check "a drive on it" flash_create drive /dev/mapper/below
	check "writes fail" fails_with_eio 0 write
	check "reads fail" fails_with_eio 0 read
	dm_remove drive
	dm_remove below
else
	ktap_skip "a flaky device" "no dm-flakey"
fi

for fault in failslab fail_page_alloc; do
	if [ -d "$FAULTS/$fault" ] && [ -e /proc/self/make-it-fail ]; then
		check "$fault while drives are made" under_faults "$fault"
	else
		ktap_skip "$fault while drives are made" "kernel has no fault injection"
	fi
done
check "a drive can be made now" flash_create drive "$NULL_BLK"
check "and works" stays_usable
ktap_done
