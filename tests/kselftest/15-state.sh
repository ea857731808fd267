#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# Messages, the state that can be saved and loaded, and the files in sysfs.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

UNITS=$((FLASH_MIN_MB * 256))
DRIVE=/dev/mapper/drive

message() { dmsetup message drive 0 "$@"; }

ages() {
	message age 50 7 && [ "$(gauge drive mapped_units)" = $((UNITS / 2)) ] && half=$(state_gauges drive) &&
		message age 100 && [ "$(gauge drive mapped_units)" = "$UNITS" ] &&
		[ "$(gauge drive wear_max)" -ge 100 ] && [ "$(gauge drive free_blocks)" -lt "$FRESH_BLOCKS" ] &&
		[ "$(gauge drive read_count_max)" -gt 0 ]
}

# The same seed makes the same drive, another seed another one.
ages_by_seed() {
	message age 50 7 && [ "$half" = "$(state_gauges drive)" ] && message save && cp "$DIR/state" /tmp/seed7 &&
		message age 50 8 && message save && ! cmp -s "$DIR/state" /tmp/seed7
}

ages_to_nothing() { message age 0 && [ "$(gauge drive mapped_units)" = 0 ]; }

write_some() {
	fio_run --filename="$DRIVE" --rw=randwrite --bs=4k --iodepth=8 --size=2M --offset=8M &&
		message flush_start_pct 90 &&
		fio_run --filename="$DRIVE" --rw=randwrite --bs=4k --iodepth=1 --size=20k && [ "$(gauge drive buffered_units)" -gt 0 ]
}

saves() {
	flash_settle drive && message save && message save && cat "$DIR/state" >/tmp/state && [ "$(wc -c </tmp/state)" -gt $((UNITS * 4)) ] &&
		gauges=$(state_gauges drive)
}

new_drive() {
	dm_remove drive && flash_create drive "$NULL_BLK" "$@" && DIR=$(flash_sysfs drive)
}

loads() {
	cat /tmp/state >"$DIR/state" && message load && [ "$gauges" = "$(state_gauges drive)" ] &&
		message save && cmp_states "$DIR/state" /tmp/state
}

# But for the checksum and the ages of the blocks, which begin behind the
# header and go on with the clock, equal states are equal files.
cmp_states() { [ "$(tail_of "$1")" = "$(tail_of "$2")" ]; }
tail_of() { tail -c $((UNITS * 4)) "$1" | md5sum -; }

# $1: byte that is changed, $2: what the kernel says, $3: bytes of the file (optional)
refuses_state() {
	head -c "${3:-99999999}" /tmp/state >/tmp/broken
	printf 'Z' | dd of=/tmp/broken bs=1 seek="$1" conv=notrunc 2>/dev/null
	flash_settle drive
	before=$(state_gauges drive)
	cat /tmp/broken >"$DIR/state" && refused_with "$2" message load && [ "$before" = "$(state_gauges drive)" ]
}

refuses_pieces() {
	dd if=/tmp/state of="$DIR/state" bs=4096 count=1 conv=notrunc &&
		! dd if=/tmp/state of="$DIR/state" bs=4096 seek=1000000 count=1 conv=notrunc &&
		! dd if=/tmp/state of="$DIR/state" bs=4096 skip=3 seek=3 count=1 conv=notrunc
}

resets() {
	fio_run --filename="$DRIVE" --rw=randrw --bs=4k --size=512k && [ "$(gauge drive writes)" -gt 0 ] || return
	units=$(gauge drive mapped_units)
	message reset_stats
	for counter in "$DIR"/stats/*; do
		[ "$(cat "$counter")" = 0 ] || return
	done
	! grep -v ' n=0 ' "$DIR/latency" && [ "$(gauge drive mapped_units)" = "$units" ]
}

same_counters() {
	fio_run --filename="$DRIVE" --rw=randrw --bs=4k --size=512k || return
	for counter in "$DIR"/stats/*; do
		[ "$(cat "$counter")" = "$(gauge drive "${counter##*/}")" ] || return
	done
}

requests_counted() {
	message reset_stats && fio_run --filename="$DRIVE" --rw=write --bs=8k --size=400k &&
		fio_run --filename="$DRIVE" --rw=read --bs=4k --size=100k && discard -o 0 -l 65536 "$DRIVE" || return
	counted="$(gauge drive writes) $(gauge drive host_write_units) $(gauge drive reads) $(gauge drive host_read_units) $(gauge drive discards) $(gauge drive trimmed_units)"
	echo "$counted"
	[ "$counted" = "50 100 25 25 1 16" ]
}

latency_counted() {
	grep '^read n=25 mean=[1-9]' "$DIR/latency" && grep '^write n=50 ' "$DIR/latency" &&
		grep '^discard n=1 ' "$DIR/latency" && grep '^late n=7[6-9] ' "$DIR/latency"
}

state_stays() {
	flash_settle drive && message save && cat "$DIR/state" >/tmp/before && dmsetup suspend drive &&
		[ ! -e "$DIR" ] && dmsetup message drive 0 read_ns 777 && dmsetup resume drive && [ -d "$DIR" ] &&
		cmp /tmp/before "$DIR/state" && [ "$(cat "$DIR/params/read_ns")" = 777 ]
}

two_segments() {
	null_blk_create 160 memory_backed && dm_create two "0 131072 ssdqos-flash $NULL_BLK 0
131072 131072 ssdqos-flash $NULL_BLK 131072 2 preset ttflash" || return
	[ "$(cat "$(flash_sysfs two)/params/preset") $(cat "$(flash_sysfs two 131072)/params/preset")" = "autossd ttflash" ] || return
	second=$(flash_sysfs two 131072)
	put "$second/params/read_ns" 1 && [ "$(cat "$(flash_sysfs two)/params/read_ns")" = 50000 ] || return
	dmsetup message two 131072 erase_ns 2 && [ "$(cat "$second/params/erase_ns")" = 2 ] || return
	flash_reload two "0 131072 ssdqos-flash $NULL_BLK 0" && [ -d "$(flash_sysfs two)" ] && [ ! -e "$second" ]
}

null_blk_create "$FLASH_MIN_MB" memory_backed discard=1 || skip_all "no null_blk"
check "a drive appears" flash_create drive "$NULL_BLK"
DIR=$(flash_sysfs drive)
FRESH_BLOCKS=$(gauge drive free_blocks)
check_equal "a fresh drive maps nothing" 0 "$(gauge drive mapped_units)"
check "it has a directory in sysfs" test -d "$DIR/params" -a -d "$DIR/stats"
for file in geometry latency status; do
	check "$file is text" grep -q '[a-z_]*=[0-9]' "$DIR/$file"
done
check_equal "geometry counts the units" "$UNITS" "$(tr ' ' '\n' <"$DIR/geometry" | sed -n 's/^logical_units=//p')"
check "there is nothing to load" refused_with "load: there is no state" message load
check "ages" ages
check "ages by the seed" ages_by_seed
check "ages to an empty drive" ages_to_nothing
message age 80
check "writes, some of which stay in the buffer" write_some
check "saves" saves
check "a new drive" new_drive
check "loads what the other one was" loads
check "the loaded drive works" fio_run --filename="$DRIVE" --rw=randrw --bs=4k --iodepth=4 --size=8M --verify=crc32c
check "refuses: not a state" refuses_state 0 "not a state"
check "refuses: empty" refuses_state 0 "not a state" 0
check "refuses: cut short" refuses_state 100 "cut short" 10000
check "refuses: a byte changed" refuses_state 5000 "checksum"
check "refuses: pieces with a hole or beyond the end" refuses_pieces
check "a drive of another geometry" new_drive op_permille 500
check "refuses: another geometry" refuses_state 100 "another geometry"
check "status and sysfs agree" same_counters
check "requests are counted" requests_counted
check "their latencies are counted" latency_counted
check "reset_stats" resets
check "suspend and resume keep state and tunables" state_stays
check "two segments have two directories" two_segments
check "removal" dm_remove drive
check_fails "takes the directory away" test -e "$DIR"
ktap_done
