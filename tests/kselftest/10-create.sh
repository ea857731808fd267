#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# Drives come, print the line that makes them again, and go; so does the module.

# shellcheck source=tests/kselftest/lib-flash.sh
. "${0%/*}/lib-flash.sh"

# One set of arguments in a line; the least capacity has to do for all of them.
ARGUMENT_SETS='preset autossd
preset ttflash
channels 2 chips_per_channel 1 planes_per_chip 1
pages_per_block 64 page_kib 4
page_kib 8 op_permille 500 registers 1
chip_queue_depth 1 allocation static cache none
cache volatile buffer_kib 64 gc_depth 1
aged_pct 100 aged_pe_cycles 7 aged_reads 0
aged_pct 60 seed 18446744073709551615
aged_pct 90 aged_pattern sequential aged_bs 65536
aged_pct 90 aged_pattern mixed allocation static
read_ns 0 program_ns 1 erase_ns 10000000000
channel_mb_s 100000 ram_ns 0 trim_ns 0 trim_mode erase trim_granule_kib 64
trim_preset e-trim trim_ns 20000 trim_granule_kib 4
preset ttflash trim_preset i-trim
fill_timeout_ns 0 flush_start_pct 95 gc_policy greedy
gc_start_blocks 10 gc_stop_blocks 11 gc_copyback on
preset ttflash read_ns 40001 gc_copyback off allocation dynamic cache volatile
preset ttflash-autossd
preset ttflash-autossd verify off rotate forced gc_copyback off'
# A set is a dozen commands, which are half a minute in the debug kernel.
FEW_SETS='2p;6p;8p;14p;18p;20p'
! is_debug_kernel || ARGUMENT_SETS=$(echo "$ARGUMENT_SETS" | sed -n "$FEW_SETS")
MODULE=dm_ssdqos
MODULE_FILE=/lib/modules/$(uname -r)/dm-ssdqos.ko

# What a drive is made of: its line and its geometry.
identity() {
	dmsetup table "$1"
	cat "$(flash_sysfs "$1")/geometry"
}

# The table that a drive prints makes the same drive again.  $@: arguments
round_trip() {
	flash_create first "$NULL_BLK" "$@" || return
	made=$(identity first)
	for key in "$@"; do
		case " $(dmsetup table first) " in
		*" $key "*) ;;
		*) echo "'$key' is not in '$made'" && return 1 ;;
		esac
	done
	again=$(dmsetup table first)
	dm_remove first && dm_create first "$again" || return
	[ "$made" = "$(identity first)" ] || {
		printf 'first %s\nthen %s\n' "$made" "$(identity first)"
		return 1
	}
	dm_remove first
}

# A value that the preset has anyway need not be printed.
prints_differences() {
	flash_create first "$NULL_BLK" read_ns 50000 erase_ns 4000000 || return
	dmsetup table first | grep -q ' 0 4 preset autossd erase_ns 4000000$' && dm_remove first
}

inactive_line() {
	flash_create first "$NULL_BLK" &&
		dmsetup reload first --table "$(flash_line "$NULL_BLK" "$SECTORS" read_ns 123)" || return
	dmsetup table --inactive first | grep ' read_ns 123$' || return
	! dmsetup table first | grep ' read_ns 123$' && dm_remove first
}

# Sector 0 of the drive is sector 1024 of the device.
maps_at_offset() {
	dm_create first "0 $((SECTORS - 1024)) ssdqos-flash $NULL_BLK 1024" || return
	echo "this is sector 0" | dd of=/dev/mapper/first bs=512 count=1 conv=sync oflag=direct || return
	dd if="$NULL_BLK" bs=512 skip=1024 count=1 iflag=direct | grep -q "this is sector 0"
}

# Three segments, and a piece of plain device between two of them.
segments_table() {
	echo "0 131072 ssdqos-flash $NULL_BLK 0"
	echo "131072 131072 ssdqos-flash $NULL_BLK 131072 2 preset ttflash"
	echo "262144 2048 linear $NULL_BLK 262144"
	echo "264192 131072 ssdqos-flash $NULL_BLK 264192 4 preset autossd seed 5"
}
segments() {
	null_blk_create 256 memory_backed && dm_create many "$(segments_table)" || return
	[ "$(dmsetup status many | grep -c 'version=1 ')" = 3 ] || return
	dd if=/dev/urandom of=/tmp/random bs=1M count=4 2>/dev/null
	for at_mb in 62 126 128; do
		dd if=/tmp/random of=/dev/mapper/many bs=1M seek="$at_mb" oflag=direct || return
		dd if="$NULL_BLK" bs=1M skip="$at_mb" count=4 iflag=direct | cmp - /tmp/random || return
	done
	for begin in "" 131072 264192; do
		[ "$(cat "$(flash_sysfs many "$begin")/stats/writes")" -gt 0 ] || return
	done
	dm_remove many
}

users() { cut -d ' ' -f 1,3 /proc/modules | sed -n "s/^$MODULE //p"; }
target_known() { dmsetup targets | grep -q '^ssdqos-flash '; }

# dmsetup's unknown target makes the kernel ask for "dm-ssdqos-flash".
autoload() {
	strings "$MODULE_FILE" | sed -n "s/^alias=\(.*\)/alias \1 $MODULE/p" \
		>>"/lib/modules/$(uname -r)/modules.alias"
	flash_create first "$NULL_BLK" && target_known
}

# Also when a check failed half-way.
starts_clean() {
	dm_remove first
	"$@"
}

check "null_blk appears" null_blk_create "$FLASH_MIN_MB" memory_backed
SECTORS=$(sectors "$NULL_BLK")
while read -r arguments; do
	# shellcheck disable=SC2086 # they are words
	check "round trip: $arguments" starts_clean round_trip $arguments
done <<END
$ARGUMENT_SETS
END
check "the table has what differs from the preset" starts_clean prints_differences
check "an inactive table prints its own line" starts_clean inactive_line
check "64 MiB less a sector are refused" refused_with "length: '131071' is not from 131072 " \
	dmsetup create first --table "0 131071 ssdqos-flash $NULL_BLK 0"
null_blk_create 65 memory_backed
SECTORS=$(sectors "$NULL_BLK")
check "data lie at the offset" starts_clean maps_at_offset
check_equal "a drive is one user of the module" 1 "$(users)"
check_fails "the module can't go while a drive is there" rmmod "$MODULE"
check "the drive survived that" dd if=/dev/mapper/first of=/dev/null bs=1M count=1 iflag=direct
check "removing the drive" dm_remove first
check "several segments in a table" segments
check_equal "no drive, no user" 0 "$(users)"
check "the module goes" rmmod "$MODULE"
check_fails "its target is gone with it" target_known
check "a table line loads the module" autoload
check "the module goes after use" eval "dm_remove first && rmmod $MODULE && modprobe $MODULE"
ktap_done
