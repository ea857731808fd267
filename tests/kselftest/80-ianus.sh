#!/bin/busybox sh
# shellcheck shell=dash disable=SC2317
# SPDX-License-Identifier: GPL-2.0
# timeout: 300
# A mirror whose members take turns: what is written can be read, whoever's turn it is;
# all members have it in the end; one may fail and return.

# shellcheck source=tests/kselftest/lib-ianus.sh
. "${0%/*}/lib-ianus.sh"

require_target ssdqos-ianus
require_cmd fio

PATTERN_BYTES=1048576

# The rest: keys and values
mirror() { ianus_create switch_ms 100 cache_kib 8192 "$@"; }
verify() {
	fio_run --filename="$M" --verify=crc32c --verify_fatal=1 --do_verify=1 --bsrange=4k-64k --blockalign=4k --size=32m "$@"
}
refuse() { ianus_refused "$1" dmsetup create x --table "$2"; }
same_line() { [ "$(dmsetup table m)" = "$1" ]; }
pattern() { yes "$1" | head -c "$PATTERN_BYTES"; }
put_pattern() { pattern "$1" | dd of="$M" bs=64k oflag=direct iflag=fullblock conv=notrunc 2>/dev/null; }
read_pattern() { dd if="$M" bs=64k count=16 iflag=direct 2>/dev/null; }
has_pattern() { [ "$(read_pattern | md5sum -)" = "$(pattern "$1" | md5sum -)" ]; }
reads_zeroes() { [ "$(read_pattern | tr -d '\000' | wc -c)" = 0 ]; }
old_data() { pattern old >"$(member 0)"; }
two_parts() {
	dm_create x "0 8192 ssdqos-ianus 2 $(member 0) 0 $(member 0) 8192 $META" && dm_remove x &&
		dd if=/dev/zero of="$META" bs=1M count="$META_MB" oflag=direct 2>/dev/null
}
# A superblock, a block of masks and the tool's, each twice.
behind_meta() {
	dm_create x "0 8192 ssdqos-ianus 2 $(member 0) 0 $(member 1) 48 $(member 1)" && dm_remove x &&
		dd if=/dev/zero of="$(member 1)" bs=1M count=5 oflag=direct 2>/dev/null
}
# It has data, which must stay.
foreign_meta() {
	pattern foreign | dd of="$META" bs=64k oflag=direct iflag=fullblock 2>/dev/null &&
		refuse "there is something else" "$(ianus_line)" && [ "$(head -c 7 "$META")" = foreign ] &&
		dd if=/dev/zero of="$META" bs=1M count="$META_MB" oflag=direct 2>/dev/null
}
random_writes() { fio_run --filename="$M" --rw=randwrite --bs=4k --size=1M; }
rewrites() { put_pattern new && has_pattern new; }
rewrites_settle() { wait_for is_empty && has_pattern new; }
# All may have it already when the machine is slow.
caches() { put_pattern cached && has_pattern cached && [ "$(gauge m cache_reads)" -gt 0 ]; }
block_bytes() { blockdev --getss "$M"; }
discards() {
	discard -o 0 -l "$PATTERN_BYTES" "$M" && wait_for is_empty && dmsetup suspend m && dmsetup resume m && reads_zeroes
}
give_up() { dmsetup message m 0 fail "$1" && is_state "$1" failed; }
# $1: join or rebuild, $2: member
take_back() { wait_for dmsetup message m 0 "$1" "$2" && wait_for is_whole; }
# It is not whole before it was looked at; a mirror that is suspended doesn't.
is_not_whole_at_once() {
	give_up 1 && random_writes && wait_for is_empty && dmsetup suspend m && dmsetup message m 0 join 1 || return
	is_whole
	whole=$?
	dmsetup resume m && wait_for is_whole && suspended_agree && [ "$whole" -ne 0 ]
}
other_disk() { dd if=/dev/zero of="$(member 0)" bs=1M count="$MEMBER_MB" oflag=direct 2>/dev/null; }
replace() { give_up 0 && wait_for is_empty && other_disk && take_back rebuild 0 && suspended_agree; }
turns_go_on() {
	turns=$(($(gauge m switches) + 2))
	verify --rw=randwrite --iodepth=16 --loops=4 && wait_for switched "$turns"
}
survives_reload() { put_pattern kept && ianus_reload switch_ms 100 cache_kib 8192 && has_pattern kept; }
# $1: word of its status.  A table that is loaded, and waits for its turn
says_inactive() {
	dmsetup reload m --table "$(ianus_line)" || return
	inactive=$(dmsetup status --inactive m)
	dmsetup clear m
	echo "$inactive"
	case " $inactive " in *" $1 "*) ;; *) return 1 ;; esac
}
survives_removal() { dm_remove m && members_agree && mirror && has_pattern kept; }
other_size() {
	dmsetup create x --table "0 8192 ssdqos-ianus 2$MEMBERS $META" && return
	dmsetup remove x 2>/dev/null
	return 1
}
# Regions get another leader in the midst of it.
writes_in_two_turns() {
	turns=$(($(gauge m switches) + 1))
	random_writes && wait_for switched "$turns" && random_writes
}
# Nobody is the only one that has all then, so any of them may fail.
comes_back_whole() {
	for round in 1 2 3; do
		writes_in_two_turns && dm_remove m && mirror && wait_for is_whole && [ "$(gauge m copied_blocks)" = 0 ] && continue
		echo "in round $round $(gauge m copied_blocks) blocks were copied"
		return 1
	done
}
refuses_other_size() { dm_remove m && ianus_refused "of a mirror of" other_size; }
# Of members that are larger than the mirror.
shorter_is_refused() {
	mirror && put_pattern before && ianus_refused "can't become smaller" dmsetup reload m --table \
		"0 8192 ssdqos-ianus 2$MEMBERS $META" && has_pattern before
}
goes_on() { dmsetup suspend m && dmsetup resume m && has_pattern before && put_pattern after && has_pattern after; }
volatile() {
	mirror durability volatile && wait_for is_whole && verify --rw=randwrite --iodepth=4 --fsync=4 --size=8m &&
		dm_remove m && members_agree
}
# Sectors are sent to a device that is suspended, and come to the mirror that takes its place.
SECTOR=7
# They are on their way.
SECTORS_MS=2000
sector() { fio_run --filename="$M" --rw="$1" --bs=512 --offset=$((512 * SECTOR)) --size=512 --invalidate=0; }
fits_no_block() { kmsg_new | grep -q "1 sectors from sector $SECTOR on are not whole blocks"; }
sectors_come() {
	dm_create m "0 $((MEMBER_MB * SECTORS_PER_MB)) linear $(member 0) 0" && put_pattern sectors && dmsetup suspend m || return
	kmsg_mark
	sector write >/dev/null 2>&1 &
	sector_writer=$!
	sector read >/dev/null 2>&1 &
	sector_reader=$!
	sleep_ms "$SECTORS_MS"
	ianus_reload assume_same on && ! wait "$sector_writer" && ! wait "$sector_reader" && fits_no_block
}
# A read of two parts fails at member 0; of member 1 the second part can be made to wait.
PART_SECTORS=128
READS=20
READS_MS=130
WHOLE_BYTES=131072
# $1: the first part, $2: device of the second one
parts_line() { echo "0 $PART_SECTORS $1
$PART_SECTORS $((MEMBER_MB * SECTORS_PER_MB - PART_SECTORS)) linear $2 $PART_SECTORS"; }
parts_create() {
	part_disk=$(member 0)
	dm_create late "0 $((MEMBER_MB * SECTORS_PER_MB)) linear $(member 1) 0" &&
		dm_create part0 "$(parts_line "linear $part_disk 0" "$part_disk")" &&
		dm_create part1 "$(parts_line "linear $(member 1) 0" /dev/mapper/late)" || return
	MEMBERS=" /dev/mapper/part0 0 /dev/mapper/part1 0"
	mirror assume_same on max_errors 1000000 && put_pattern parts && wait_for is_empty &&
		dmsetup reload part0 --table "$(parts_line error "$part_disk")" && dmsetup suspend --noflush --nolockfs part0 &&
		dmsetup resume part0
}
sum_parts() { dd if="$M" bs="$WHOLE_BYTES" count=1 iflag=direct 2>/dev/null | md5sum -; }
reads_late() {
	dmsetup suspend --noflush --nolockfs late || return
	sum_parts >/tmp/parts &
	reader=$!
	sleep_ms "$READS_MS"
	dmsetup resume late && wait "$reader" && [ "$(cat /tmp/parts)" = "$(pattern parts | head -c "$WHOLE_BYTES" | md5sum -)" ]
}
# Until member 0 was asked, who is not while it is written.
reads_again() {
	reads_left=$READS
	while [ "$reads_left" -gt 0 ] && [ "$(gauge m read_retries)" -lt 2 ]; do
		reads_left=$((reads_left - 1))
		fio_run --filename="$M" --rw=randwrite --bs=4k --offset=16m --size=256k >/dev/null && reads_late || return
	done
	[ "$reads_left" -gt 0 ]
}

check "members and a metadata device" members_create 2
check "the first member has data" old_data
check_fails "members that differ don't agree" members_agree
check "one member is no mirror" refuse "" "0 8 ssdqos-ianus 1 $(member 0) 0 $META"
check "a length of half a block is refused" refuse "" "0 12 ssdqos-ianus 2$MEMBERS $META"
check "a parameter out of range has a sentence" refuse "depth: '0' is not a number from 1 to 64" \
	"0 8192 ssdqos-ianus 2$MEMBERS $META 2 depth 0"
check "more writers than can be are refused" refuse "leaves none of the 2 members" \
	"0 8192 ssdqos-ianus 2$MEMBERS $META 2 writers 2"
check "a member twice is refused" refuse "member 1: .* has sectors of member 0" \
	"0 8192 ssdqos-ianus 2 $(member 0) 0 $(member 0) 8184 $META"
check "and one that has the metadata" refuse "meta: .* has sectors of member 1" "0 8192 ssdqos-ianus 2$MEMBERS $(member 1)"
check "and one where the tool keeps something behind them" refuse "meta: .* has sectors of member 1" \
	"0 8192 ssdqos-ianus 2 $(member 0) 0 $(member 1) 32 $(member 1)"
check "one behind that is not" behind_meta
check "two parts of one device are not" two_parts
check "a table that is read-only is refused" ianus_refused "read-only, and a mirror writes" \
	dmsetup create x --readonly --table "$(ianus_line)"
check "a journal without a device is refused" refuse "durability: 'journal' needs a device for it" \
	"0 8192 ssdqos-ianus 2$MEMBERS $META 2 durability journal"
check "a metadata device with something else on it is refused, and left alone" foreign_meta

check "a mirror is made" mirror rebuild_mb_s 0
check "its first member's data are there at once" has_pattern old
check "the others are copied to" wait_for is_whole
check "and have the same then" suspended_agree
check "the table line makes the same mirror" same_line "$(dmsetup table m)"
check_equal "blocks are 4 KiB" 4096 "$(block_bytes)"

check "what is written can be read at once" rewrites
check "and when all members have it" rewrites_settle
check "random writes and reads over many turns" verify --rw=randwrite --iodepth=16 --loops=2
check "members have taken turns" switched 2
check "all members have the same" suspended_agree
check "with flushes in between" verify --rw=randwrite --iodepth=4 --fsync=16 --size=8m
check "reads are served by the cache, too" wait_for caches
check "a discard is done by all" discards

check "a member is given up" give_up 1
check "the last one is not" ianus_refused "is the last one" dmsetup message m 0 fail 0
check "the other one does it all" verify --rw=randwrite --iodepth=16
check "the one that failed comes back" take_back join 1
check "and has the same again" suspended_agree
check "it counts as whole only when it was looked at" is_not_whole_at_once
check "turns go on" turns_go_on
check "a member that is another disk is copied to, all of it" replace

check "data outlive the table" survives_reload
check "who has not read its metadata doesn't say what its members are" says_inactive member0=unread
check "nor that they have all" says_inactive "stale_regions=$(gauge m regions)"
check "and the mirror" survives_removal
check "which leaves nothing to be copied" comes_back_whole
check "a mirror of another size is refused on its metadata" refuses_other_size
check "so is a shorter table for one that is there" shorter_is_refused
check "which goes on as it was" goes_on
check "it goes" dm_remove m
check "its metadata, too" dd if=/dev/zero of="$META" bs=4k count=2 oflag=direct
check "volatile: flushes are answered at once, and all is written in the end" volatile
check "it goes" dm_remove m
check "its metadata, too" dd if=/dev/zero of="$META" bs=4k count=2 oflag=direct
check "what is not whole blocks fails" sectors_come
check "and changes nothing" has_pattern sectors
check "the mirror works" verify --rw=randwrite --iodepth=16
check "it goes" dm_remove m
check "its metadata, too" dd if=/dev/zero of="$META" bs=4k count=2 oflag=direct
check "members that split requests" parts_create
check "a read that has failed at one is whole when the other one has done it" reads_again
ktap_done
